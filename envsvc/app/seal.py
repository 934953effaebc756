"""Turn the journal of a recording into a cassette that proves itself."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import msgspec

from envsvc.app.final_scan import refuse_leaks
from envsvc.app.record_app import Task
from envsvc.app.self_replay import self_replay
from envsvc.cassette.bodies import body_path
from envsvc.cassette.entry import entry_of, timestamp
from envsvc.cassette.fingerprints import with_fingerprints
from envsvc.cassette.index import Index
from envsvc.cassette.manifest import Certificate, Dropped, Manifest, TourRecord
from envsvc.errors import EnvsvcError
from envsvc.exchange.key import CanonicalKey, canonical_key
from envsvc.exchange.message import Exchange, Failure, Request, header
from envsvc.exchange.placeholder import without_numbers
from envsvc.exchange.redact import Redactor
from envsvc.playback.indexing import (
    ambiguous_keys,
    empty_index,
    match_rules,
    refuse_conflicts,
    several_answers,
)
from envsvc.playback.noise import is_worker_script
from envsvc.ports import Browser, CassetteStore, Clock, Journal, ReplayRuntime
from envsvc.record.journal import Recording, StepId, fold
from envsvc.record.volatile_requests import propose


class NothingRecordedError(EnvsvcError):
    """A recording holds no exchange."""

    code = "E311"
    exit_code = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class SealTools:
    """What a cassette is sealed with.

    ``staging`` holds the cassette until it is proven; only then one under ``cassettes`` is
    replaced. ``redactor`` is the recording's own and knows its credentials; ``replay_redactor``
    knows what a replay would know.
    """

    journal: Journal
    staging: CassetteStore
    cassettes: CassetteStore
    replays: ReplayRuntime
    browser: Browser
    clock: Clock
    redactor: Redactor
    replay_redactor: Redactor
    envsvc_version: str


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """How many keys a cassette has that the one before had not, and so on."""

    new: int
    changed: int
    gone: int


class Sealed(msgspec.Struct, frozen=True, kw_only=True):
    """A cassette as it was written; ``difference`` is None if there was none before.

    ``worker_scripts`` are the URLs of service workers, which did not run while it was recorded.
    """

    manifest: Manifest
    difference: Difference | None
    worker_scripts: tuple[str, ...] = ()


class Answers(msgspec.Struct, kw_only=True):
    """All different answers of one key."""

    url: str
    different: set[tuple[object, ...]] = msgspec.field(default_factory=set)


def seal(task: Task, tools: SealTools, *, answer_table_version: str | None) -> Sealed:
    """Write the cassette of what the journal holds, certified or marked as not.

    Raises: NothingRecordedError, SecretLeftError, CassetteWriteError; the journal stays in every
    case.
    """
    recording = fold(tools.journal.events())
    exchanges = _final_exchanges(recording, tools.redactor)
    if not exchanges:
        raise NothingRecordedError(
            f"nothing was recorded of {task.name}",
            fix="Check that the tour visits the app's virtual host",
        )
    plain = _manifest(task, recording, exchanges, tools, answer_table_version)
    again = [_redacted_again(recording.passes[n], tools) for n in sorted(recording.passes) if n > 1]
    plain = _with_proposals(plain, [exchanges, *again])
    exchanges, draft = described(plain, exchanges, again)
    refuse_leaks(draft, exchanges, tools.redactor.spellings)
    manifest = msgspec.structs.replace(draft, certificate=_proof(task, tools, draft, exchanges))
    before = _previous_answers(task, tools.cassettes)
    written = tools.cassettes.write(manifest, exchanges)
    difference = None if before is None else _difference(before, answers_by_key(exchanges))
    scripts = dict.fromkeys(one.request.url for one in exchanges if is_worker_script(one.request))
    return Sealed(manifest=written, difference=difference, worker_scripts=tuple(scripts))


def _redacted_again(exchanges: Iterable[Exchange], tools: SealTools) -> list[Exchange]:
    """Return a later pass without what was learnt after it: values of it are shown to people."""
    return [tools.redactor.exchange(exchange) for exchange in exchanges]


def _with_proposals(manifest: Manifest, passes: Sequence[Sequence[Exchange]]) -> Manifest:
    proposed = propose(passes, match_rules(manifest))
    return msgspec.structs.replace(manifest, proposed_rules=proposed)


def _proof(task: Task, tools: SealTools, draft: Manifest, exchanges: list[Exchange]) -> Certificate:
    tools.staging.write(draft, exchanges)
    cassette = tools.staging.load(task.spec.app, task.version, tools.replay_redactor)
    return self_replay(
        task,
        cassette,
        replays=tools.replays,
        browser=tools.browser,
        clock=tools.clock,
        redactor=tools.redactor,
    )


def _final_exchanges(recording: Recording, redactor: Redactor) -> list[Exchange]:
    """Return the first pass in the order it happened, steps by name, late-learnt values gone."""
    ordered = sorted(recording.passes.get(1, []), key=lambda exchange: exchange.started_us)
    # Each is read twice: what the last one teaches must be gone from the first one.
    learnt = [redactor.exchange(exchange) for exchange in ordered]
    redactor.count_anew()
    return [redactor.exchange(_labelled(exchange, recording)) for exchange in learnt]


def _labelled(exchange: Exchange, recording: Recording) -> Exchange:
    number = int(exchange.step or 0)
    label = recording.done.get(StepId(1, exchange.tour, number), "")
    return msgspec.structs.replace(exchange, step=f"{number} {label}".strip() if number else "")


def _manifest(
    task: Task,
    recording: Recording,
    exchanges: list[Exchange],
    tools: SealTools,
    answer_table_version: str | None,
) -> Manifest:
    spec = task.spec
    assert recording.browser is not None  # noqa: S101 - no exchange is journalled before Started
    return Manifest(
        app=spec.app,
        version=task.version,
        recorded_at=timestamp(exchanges[0].started_us),
        virtual_host=spec.virtual_host,
        task_hosts=tuple(sorted(spec.all_task_hosts)),
        noise=spec.noise,
        tool_schema_version=None,
        answer_table_version=answer_table_version,
        envsvc_version=tools.envsvc_version,
        browser=recording.browser,
        tours=tuple(_tour_records(task, recording)),
        passes=task.passes,
        entries=len(exchanges),
        body_bytes=0,  # counted by the store as it writes
        redaction={rule: count for rule, count in sorted(tools.redactor.counts.items()) if count},
        changed_between_passes=tuple(changed_between_passes(recording.passes)),
        repeat=dict(spec.repeat),
        match_rules=dict(spec.match_rules),
        dropped=tuple(_dropped(recording, tools.redactor)),
    )


def _tour_records(task: Task, recording: Recording) -> Iterator[TourRecord]:
    for tour in task.tours:
        steps = [s for s in recording.done if s.pass_number == 1 and s.tour == tour.name]
        yield TourRecord(name=tour.name, sha256=tour.sha256, steps=len(steps))


def described(
    manifest: Manifest, exchanges: list[Exchange], again: Sequence[Sequence[Exchange]] = ()
) -> tuple[list[Exchange], Manifest]:
    """Return what is learnt of keys with several answers: fingerprints, what tells them apart."""
    fingerprinted = with_fingerprints(exchanges, index_of(manifest, exchanges), again)
    index = index_of(manifest, fingerprinted)
    refuse_conflicts(index)
    return fingerprinted, msgspec.structs.replace(
        manifest,
        several_answers=tuple(several_answers(index)),
        ambiguous=tuple(ambiguous_keys(index)),
    )


def index_of(manifest: Manifest, exchanges: Iterable[Exchange]) -> Index:
    """Return the index of *exchanges* as a replay of *manifest*'s cassette would build it."""
    index = empty_index(manifest)
    for exchange in exchanges:
        index.add(entry_of(exchange, body_path), exchange.request)
    return index


def _dropped(recording: Recording, redactor: Redactor) -> Iterable[Dropped]:
    """Return each different loss once, without credentials that were learnt after it."""
    return {
        msgspec.structs.replace(
            dropped,
            url=redactor.request(Request(method=dropped.method, url=dropped.url)).url,
        ): None
        for dropped in recording.dropped
    }


def changed_between_passes(passes: Mapping[int, Iterable[Exchange]]) -> list[str]:
    """Return the URLs that were answered differently in different passes, in recorded order."""
    by_pass = [answers_by_key(exchanges) for _, exchanges in sorted(passes.items())]
    if not by_pass:
        return []
    first, *later = by_pass
    changed = {
        answers.url: None
        for key, answers in first.items()
        if any(key in other and other[key].different != answers.different for other in later)
    }
    return list(changed)


def answers_by_key(exchanges: Iterable[Exchange]) -> dict[CanonicalKey, Answers]:
    """Return the different answers of every key, keys in recorded order."""
    found: dict[CanonicalKey, Answers] = {}
    for exchange in exchanges:
        key = canonical_key(exchange.request)
        known = found.setdefault(key, Answers(url=exchange.request.url))
        known.different.add(answer_of(exchange))
    return found


def answer_of(exchange: Exchange) -> tuple[object, ...]:
    """Return what makes two answers the same: status, body, target and talk; kind of failure."""
    answer = exchange.answer
    if isinstance(answer, Failure):
        return (answer.kind,)
    body = body_path(without_numbers(answer.body), "")
    talk = tuple((message.from_client, message.content) for message in exchange.messages)
    return (answer.status, body, header(answer.headers, "location"), talk)


def _previous_answers(task: Task, cassettes: CassetteStore) -> dict[CanonicalKey, Answers] | None:
    """Return the answers of the cassette that is replaced; None if none can be read."""
    try:
        entries = cassettes.entries(task.spec.app, task.version)
        return answers_by_key(exchange for _, exchange in entries)
    except EnvsvcError:
        return None


def _difference(
    before: Mapping[CanonicalKey, Answers], after: Mapping[CanonicalKey, Answers]
) -> Difference:
    kept = before.keys() & after.keys()
    return Difference(
        new=len(after.keys() - before.keys()),
        changed=sum(before[key].different != after[key].different for key in kept),
        gone=len(before.keys() - after.keys()),
    )
