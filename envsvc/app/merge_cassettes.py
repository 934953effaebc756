"""Put cassettes of one app together that were recorded apart, each from a fresh state (D4)."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import msgspec

from envsvc.app.edit_cassette import Edited, with_traffic
from envsvc.app.seal import answers_by_key
from envsvc.cassette.manifest import AmbiguousKey, Manifest
from envsvc.cassette.writes import SAFE_METHODS
from envsvc.errors import EnvsvcError
from envsvc.exchange.key import canonical_key
from envsvc.exchange.message import Exchange

_LISTED = 5  # of what contradicts, in an error of one line


class MergeConflictError(EnvsvcError):
    """Two cassettes contradict each other."""

    code = "E208"
    exit_code = 1


class Part(NamedTuple):
    """A cassette that is put together with others."""

    manifest: Manifest
    exchanges: Sequence[Exchange]


class Merged(msgspec.Struct, frozen=True, kw_only=True):
    """The whole, how many exchanges came in, and how many were there already."""

    edited: Edited
    added: int
    same: int


def merged(parts: Sequence[Part], *, allow_ambiguous: bool) -> Merged:
    """Return the first of *parts* with all that the others have and it has not.

    Each stays a run of its own: what was written in one was never there in another. A read that
    was answered the same in both is taken once. Raises: MergeConflictError if the parts are of
    different hosts, if their match rules of one name differ, and, unless *allow_ambiguous*, if
    nothing would tell answers apart that were clear in each part.
    """
    base, exchanges, same = parts[0], list(parts[0].exchanges), 0
    manifest = base.manifest
    for part in parts[1:]:
        manifest = _joined(manifest, part.manifest)
        fresh = _fresh(exchanges, part.exchanges)
        first_run = 1 + max((exchange.run for exchange in exchanges), default=-1)
        exchanges += [msgspec.structs.replace(one, run=first_run + one.run) for one in fresh]
        same += len(part.exchanges) - len(fresh)
    edited = with_traffic(manifest, exchanges)
    if not allow_ambiguous:
        _refuse_contradictions(edited.manifest.ambiguous, parts)
    return Merged(edited=edited, added=len(exchanges) - len(base.exchanges), same=same)


def _fresh(known: Sequence[Exchange], new: Sequence[Exchange]) -> list[Exchange]:
    """Return those of *new* that are writes, or not answered in one way that *known* has too."""
    ours, theirs = answers_by_key(known), answers_by_key(new)
    settled = {
        key
        for key in ours.keys() & theirs.keys()
        if len(ours[key].different) == 1 and ours[key].different == theirs[key].different
    }
    return [
        exchange
        for exchange in new
        if exchange.request.method not in SAFE_METHODS
        or canonical_key(exchange.request) not in settled
    ]


def _joined(one: Manifest, other: Manifest) -> Manifest:
    """Return manifest *one* with what *other* says beside it. Raises: MergeConflictError."""
    if one.virtual_host != other.virtual_host:
        raise MergeConflictError(
            f"one cassette is of {one.virtual_host}, the other of {other.virtual_host}",
            fix="Merge recordings of one app only",
        )
    for name in one.match_rules.keys() & other.match_rules.keys():
        if one.match_rules[name] != other.match_rules[name]:
            raise MergeConflictError(
                f"match rule {name} differs between the two",
                fix="Rename it in one of them: edit app.yaml, then envsvc match-rules apply",
            )
    tours = {tour.name: tour for tour in (*other.tours, *one.tours)}
    return msgspec.structs.replace(
        one,
        task_hosts=tuple(sorted({*one.task_hosts, *other.task_hosts})),
        noise=tuple(dict.fromkeys((*one.noise, *other.noise))),
        repeat={**other.repeat, **one.repeat},
        match_rules={**other.match_rules, **one.match_rules},
        proposed_rules={**other.proposed_rules, **one.proposed_rules},
        tours=tuple(tours.values()),
        redaction=_summed(one.redaction, other.redaction),
        dropped=tuple(dict.fromkeys((*one.dropped, *other.dropped))),
    )


def _summed(one: Mapping[str, int], other: Mapping[str, int]) -> dict[str, int]:
    return {name: one.get(name, 0) + other.get(name, 0) for name in sorted({*one, *other})}


def _refuse_contradictions(ambiguous: Iterable[AmbiguousKey], parts: Iterable[Part]) -> None:
    before = {(key.method, key.url) for part in parts for key in part.manifest.ambiguous}
    found = [key for key in ambiguous if (key.method, key.url) not in before]
    if found:
        listed = ", ".join(f"{key.method} {key.url}" for key in found[:_LISTED])
        raise MergeConflictError(
            f"{len(found)} requests were answered differently, and nothing tells when: {listed}",
            fix="See envsvc diff. Trim what is out of date, or give --allow-ambiguous",
        )
