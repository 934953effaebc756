"""Compare one recorded answer with what the live app answers now (D12).

There are three outcomes, not two: a live app that refuses, sends to its login or breaks says
nothing about the recording.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from enum import StrEnum

import msgspec

from envsvc.drift.page import page_facts, region
from envsvc.exchange.json_text import Json, NotCanonicalError, canonical_json, parse_json
from envsvc.exchange.message import Headers, header, media_type

_SERVER_ERROR = 500
_REFUSALS = frozenset({401, 403, 407, 408, 425, 429})
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_LOGINS = ("login", "log-in", "signin", "sign-in", "/auth", "sso")
_MAX_SHOWN = 60  # characters of a value: enough to see what changed


class Verdict(StrEnum):
    """Whether a recording is still true."""

    SAME = "same"
    DRIFT = "drift"
    UNKNOWN = "unknown"


class Sample(msgspec.Struct, frozen=True, kw_only=True):
    """An answer; ``body`` is decoded. A live app is best asked twice or more."""

    status: int = 200
    headers: Headers = ()
    body: bytes = b""


class Compared(msgspec.Struct, frozen=True, kw_only=True):
    """The verdict; ``reason`` says why it is not ``same``, ``volatile`` what was left out."""

    verdict: Verdict
    reason: str = ""
    volatile: tuple[str, ...] = ()


def compare(recorded: Sample, live: Sequence[Sample]) -> Compared:
    """Return whether *recorded* is still what the live app answers, asked once for each of *live*.

    What differs between two live answers changes by itself and is left out; with a single one
    nothing is. No live answer at all is unknown.
    """
    if not live:
        return Compared(verdict=Verdict.UNKNOWN, reason="the live app was not reached")
    for sample in live:
        refusal = _refusal(recorded, sample)
        if refusal:
            return Compared(verdict=Verdict.UNKNOWN, reason=refusal)
    for sample in live:
        moved = _moved(recorded, sample)
        if moved:
            return Compared(verdict=Verdict.DRIFT, reason=moved)
    return _compared(_facts(recorded), [_facts(sample) for sample in live])


def _refusal(recorded: Sample, live: Sample) -> str:
    """Return why *live* says nothing about *recorded*; "" if it does."""
    if live.status == recorded.status:
        is_check = b"captcha" in live.body.lower() and b"captcha" not in recorded.body.lower()
        return "live asked for a captcha" if is_check else ""
    if live.status in _REFUSALS or live.status >= _SERVER_ERROR:
        return f"live answered {live.status}"
    target = header(live.headers, "location").lower()
    if live.status in _REDIRECTS and any(word in target for word in _LOGINS):
        return "live sent to its login"
    return ""


def _moved(recorded: Sample, live: Sample) -> str:
    if recorded.status != live.status:
        return f"status {recorded.status}, now {live.status}"
    before, now = (header(sample.headers, "location") for sample in (recorded, live))
    return f"location {before}, now {now}" if before != now else ""


def _compared(recorded: Mapping[str, Hashable], live: Sequence[Mapping[str, Hashable]]) -> Compared:
    first = live[0]
    volatile = {place for other in live[1:] for place, _, _ in _differences(first, other)}
    names = tuple(dict.fromkeys(f"volatile region: {region(place)}" for place in sorted(volatile)))
    for place, before, now in _differences(recorded, first):
        if not any(place == one or place.startswith((f"{one}/", f"{one}@")) for one in volatile):
            reason = f"{place or 'body'}: {_shown(before)}, now {_shown(now)}"
            return Compared(verdict=Verdict.DRIFT, reason=reason, volatile=names)
    return Compared(verdict=Verdict.SAME, volatile=names)


def _differences(
    one: Mapping[str, Hashable], other: Mapping[str, Hashable]
) -> Iterator[tuple[str, Hashable, Hashable]]:
    for place in dict.fromkeys((*one, *other)):
        before, now = one.get(place), other.get(place)
        if before != now:
            yield place, before, now


def _facts(sample: Sample) -> Mapping[str, Hashable]:
    """Return what *sample* says, place by place: a page, a JSON document, or bytes."""
    kind = media_type(sample.headers)
    if kind.endswith(("json", "+json")) or (not kind and sample.body[:1] in {b"{", b"["}):
        try:
            document = parse_json(sample.body.decode())
            canonical_json(document)  # refuses what nests too deeply to be walked
            return dict(_members("", document))
        except (NotCanonicalError, UnicodeDecodeError):
            return {"": sample.body}
    if "html" in kind or (not kind and sample.body.lstrip()[:1] == b"<"):
        return page_facts(sample.body)
    return {"": sample.body}


def _members(place: str, value: Json) -> Iterator[tuple[str, Hashable]]:
    """Yield the leaves of a document by their JSON pointers, and how long its arrays are."""
    match value:
        case dict():
            yield place, "object"
            for name, one in value.items():
                yield from _members(f"{place}/{name}", one)
        case list():
            yield place, f"array of {len(value)}"
            for number, one in enumerate(value):
                yield from _members(f"{place}/{number}", one)
        case _:
            yield place, canonical_json(value)


def _shown(value: Hashable) -> str:
    if value is None:
        return "nothing"
    text = value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
    return f"{text[:_MAX_SHOWN]}…" if len(text) > _MAX_SHOWN else text
