"""Turn what another program recorded into a cassette: redacted, judged, told apart, sealed (D2)."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import msgspec

from envsvc.app.final_scan import refuse_leaks
from envsvc.cassette.bodies import body_path
from envsvc.cassette.entry import entry_of, timestamp
from envsvc.cassette.foreign_har import Left, Taken
from envsvc.cassette.index import Index
from envsvc.cassette.manifest import BrowserInfo, Dropped, Manifest
from envsvc.exchange.key import CanonicalKey, canonical_key
from envsvc.exchange.message import Exchange, Request, Response
from envsvc.exchange.redact import Redactor
from envsvc.playback.indexing import ambiguous_keys, empty_index, several_answers
from envsvc.playback.noise import is_browser_chatter
from envsvc.ports import CassetteStore
from envsvc.record.app_spec import AppSpec
from envsvc.record.quality import MAX_ATTEMPTS, Drop, judge

_MAX_LISTED = 10_000  # losses in a manifest, which people read; the counts are always complete
_UNKNOWN = BrowserInfo(build="unknown", locale="", timezone="", viewport=(0, 0))

type Entries = Callable[[], Iterable[Taken | Left]]
"""Reads the source from its beginning, each time that it is called."""


class Imported(msgspec.Struct, frozen=True, kw_only=True):
    """What an import kept and left out.

    ``reasons`` counts what was dropped by reason, ``ignored`` what was no web traffic at all,
    ``lost_bodies`` the entries without their body by media type, ``warnings`` what had to be
    assumed. ``digest`` is "" if nothing was written.
    """

    kept: int
    ignored: int
    dropped: tuple[Dropped, ...]
    reasons: dict[str, int]
    lost_bodies: dict[str, int]
    warnings: dict[str, int]
    digest: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """Where an import goes; ``name`` says what was imported."""

    spec: AppSpec
    version: str
    name: str
    envsvc_version: str


class _Account:
    """Counts what one reading of a source brings."""

    def __init__(self) -> None:
        """Start with nothing."""
        self.kept = 0
        self.first_us = -1
        self.ignored = 0
        self.dropped: list[Dropped] = []
        self.reasons: Counter[str] = Counter()
        self.lost_bodies: Counter[str] = Counter()
        self.warnings: Counter[str] = Counter()

    def left(self, method: str, url: str, reason: str, kind: str = "") -> None:
        """Note an entry that is not kept."""
        self.reasons[reason] += 1
        if reason.startswith("body missing"):
            self.lost_bodies[kind.partition(";")[0] or "unknown"] += 1
        if len(self.dropped) < _MAX_LISTED:
            self.dropped.append(Dropped(method=method, url=url, reason=reason))


def import_traffic(
    entries: Entries,
    target: Target,
    redactor: Redactor,
    cassettes: CassetteStore,
    *,
    dry_run: bool,
) -> Imported:
    """Write the cassette of what *entries* gives, unless *dry_run*, and say what was kept.

    The source is read several times and never held: first to learn its credentials and which
    requests have a body, then to tell answers apart, to look for credentials that are left, and to
    write. Raises: CassetteWriteError, SecretLeftError, and what the source raises. Nothing is
    written if nothing can be kept.
    """
    whole = _learn(entries, redactor)
    account, index = _Account(), empty_index(_manifest(target, _Account()))
    for exchange in _kept(entries, target, redactor, whole, account):
        index.add(entry_of(exchange, body_path), exchange.request)
    digest = ""
    if account.kept and not dry_run:
        manifest = _described(_manifest(target, account), index)

        def again() -> Iterator[Exchange]:
            return _kept(entries, target, redactor, whole, _Account())

        refuse_leaks(manifest, again(), redactor.spellings)
        digest = cassettes.write(manifest, again()).digest
    return Imported(
        kept=account.kept,
        ignored=account.ignored,
        dropped=tuple(account.dropped),
        reasons=dict(account.reasons.most_common()),
        lost_bodies=dict(account.lost_bodies.most_common()),
        warnings=dict(account.warnings.most_common()),
        digest=digest,
    )


def _learn(entries: Entries, redactor: Redactor) -> frozenset[CanonicalKey]:
    """Let *redactor* see every credential; return the keys that have an answer with a body."""
    whole = set()
    for entry in entries():
        if isinstance(entry, Taken):
            exchange = redactor.exchange(entry.exchange)
            if isinstance(exchange.answer, Response) and exchange.answer.body:
                whole.add(canonical_key(exchange.request))
    redactor.counts.clear()
    return frozenset(whole)


def _kept(
    entries: Entries,
    target: Target,
    redactor: Redactor,
    whole: frozenset[CanonicalKey],
    account: _Account,
) -> Iterator[Exchange]:
    """Yield what goes into the cassette, and note in *account* what does not."""
    intended = frozenset(target.spec.intended_statuses)
    for entry in entries():
        if isinstance(entry, Left):
            if entry.is_foreign:
                account.ignored += 1
            else:
                url = redactor.request(Request(method=entry.method, url=entry.url)).url
                account.left(entry.method, url, entry.reason, entry.kind)
            continue
        exchange = redactor.exchange(entry.exchange)
        reason = _fault(exchange, intended, whole)
        if reason:
            account.left(exchange.request.method, exchange.request.url, reason)
            continue
        account.kept += 1
        account.warnings.update(entry.warnings)
        if account.first_us < 0:
            account.first_us = exchange.started_us
        yield exchange


def _fault(
    exchange: Exchange, intended: frozenset[int], whole: frozenset[CanonicalKey]
) -> str | None:
    """Return why *exchange* is not frozen, as a recording would decide; None if it is."""
    if is_browser_chatter(exchange.request.url):
        return "browser chatter"
    verdict = judge(exchange, MAX_ATTEMPTS, intended)
    if isinstance(verdict, Drop):
        return verdict.reason.partition(",")[0]
    answer = exchange.answer
    is_empty_page = isinstance(answer, Response) and answer.status == 200 and not answer.body  # noqa: PLR2004
    if is_empty_page and exchange.request.method == "GET" and not exchange.messages:
        # A browser's cache or service worker answered: the body stands at another entry.
        return "a copy without its body" if canonical_key(exchange.request) in whole else None
    return None


def _described(manifest: Manifest, index: Index) -> Manifest:
    return msgspec.structs.replace(
        manifest,
        several_answers=tuple(several_answers(index)),
        ambiguous=tuple(ambiguous_keys(index)),
    )


def _manifest(target: Target, account: _Account) -> Manifest:
    spec = target.spec
    return Manifest(
        app=spec.app,
        version=target.version,
        recorded_at=timestamp(max(0, account.first_us)),
        virtual_host=spec.virtual_host,
        task_hosts=tuple(sorted(spec.all_task_hosts)),
        noise=spec.noise,
        repeat=dict(spec.repeat),
        match_rules=dict(spec.match_rules),
        tool_schema_version=None,
        answer_table_version=None,
        envsvc_version=target.envsvc_version,
        browser=_UNKNOWN,
        tours=(),
        passes=0,
        entries=account.kept,
        body_bytes=0,  # counted by the store as it writes
        redaction={},
        imported_from=target.name,
        dropped=tuple(account.dropped),
    )
