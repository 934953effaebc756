"""Explain a miss to the evaluator: why, what is nearest, what differs. Never to the agent."""

from collections.abc import Iterable
from datetime import date
from decimal import Decimal
from enum import StrEnum
from typing import assert_never

import msgspec

from envsvc.cassette.index import Index
from envsvc.cassette.writes import Made, State
from envsvc.exchange.body import (
    CanonicalBody,
    FormBody,
    JsonBody,
    MultipartBody,
    RawBody,
    canonical_body,
)
from envsvc.exchange.json_text import Json, canonical_json, parse_json
from envsvc.exchange.key import meant_method
from envsvc.exchange.message import Request
from envsvc.exchange.multipart import Part
from envsvc.exchange.placeholder import holds_placeholder, holds_unknown
from envsvc.exchange.url import CanonicalUrl, canonical_url

MAX_NEAREST = 3
_MAX_SHOWN = 120  # characters of a value: enough to see what differs, fits a terminal line
_DATE_CHARS = 10  # YYYY-MM-DD
_EMPTY = "(empty)"  # a value that is there and empty differs from one that is not there


class Reason(StrEnum):
    """Why a request found no answer, from the farthest to the nearest."""

    CASSETTE_EMPTY = "cassette_empty"
    HOST_NEVER_RECORDED = "host_never_recorded"
    PATH_NEVER_RECORDED = "path_never_recorded"
    METHOD_DIFFERS = "method_differs"
    QUERY_DIFFERS = "query_differs"
    BODY_DIFFERS = "body_differs"
    SPELLING_DECIDES = "spelling_decides"
    STATE_UNKNOWN = "state_unknown"
    AMBIGUOUS = "ambiguous"
    ONLY_304_RECORDED = "only_304_recorded"
    INCOMPLETE_ENTITY = "incomplete_entity"


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """One part in which the request and a recorded one differ; "" where a side has none."""

    field: str
    asked: str
    recorded: str


class Nearest(msgspec.Struct, frozen=True, kw_only=True):
    """A recorded request that is near, with all that differs."""

    method: str
    url: str
    differences: tuple[Difference, ...]


class Explanation(msgspec.Struct, frozen=True, kw_only=True):
    """Why a request missed; ``nearest`` is empty if nothing of that host was recorded.

    ``made`` are the writes of the session that count for this request, ``states`` the ones after
    which it was recorded; both are empty unless the state was unknown. ``hint`` says what to do
    where the cause is plain.
    """

    reason: Reason
    nearest: tuple[Nearest, ...] = ()
    hint: str = ""
    made: tuple[str, ...] = ()
    states: tuple[tuple[str, ...], ...] = ()


def explain(request: Request, index: Index) -> Explanation:
    """Return why *request*, already redacted, has no answer in *index*."""
    if not index.entries:
        return Explanation(reason=Reason.CASSETTE_EMPTY)
    asked = canonical_url(request.url)
    if asked is None:
        return Explanation(reason=Reason.HOST_NEVER_RECORDED)
    near = sorted(_candidates(request, asked, index), key=_distance)
    if not near:
        return Explanation(reason=Reason.HOST_NEVER_RECORDED)
    return Explanation(
        reason=_reason(near[0]), nearest=tuple(near[:MAX_NEAREST]), hint=_hint(near[0])
    )


def explain_state(states: Iterable[State], made: Made, index: Index) -> Explanation:
    """Return why a request that was recorded in *states* has no answer after *made* writes."""
    recorded = tuple(states)
    counting = frozenset(key for state in recorded for key, _ in state)
    return Explanation(
        reason=Reason.STATE_UNKNOWN,
        made=(*index.writes(made.relevant(counting)), *sorted(made.unrecorded)),
        states=tuple(tuple(index.writes(state)) for state in recorded),
    )


def _candidates(request: Request, asked: CanonicalUrl, index: Index) -> Iterable[Nearest]:
    seen = set()
    for entry in index.entries:
        url = canonical_url(entry.url)
        if url is None or url.host != asked.host:
            continue
        recorded = index.request(entry.number)
        candidate = Nearest(
            method=entry.method,
            url=entry.url,
            differences=tuple(_differences(request, asked, recorded, url)),
        )
        if candidate not in seen:
            seen.add(candidate)
            yield candidate


def _differences(
    request: Request, asked: CanonicalUrl, recorded: Request, url: CanonicalUrl
) -> Iterable[Difference]:
    yield from _field("origin", asked.origin, url.origin)
    yield from _field("path", asked.path, url.path)
    yield from _field("method", meant_method(request), meant_method(recorded))
    yield from _pairs("query", asked.query, url.query)
    yield from _bodies(
        canonical_body(request.headers, request.body),
        canonical_body(recorded.headers, recorded.body),
    )


def _field(name: str, asked: str, recorded: str) -> Iterable[Difference]:
    if asked != recorded:
        yield _difference(name, asked, recorded)


def _difference(name: str, asked: str, recorded: str) -> Difference:
    return Difference(field=name, asked=_shown(asked), recorded=_shown(recorded))


def _pairs(
    name: str, asked: tuple[tuple[str, str], ...], recorded: tuple[tuple[str, str], ...]
) -> Iterable[Difference]:
    for key in sorted({key for key, _ in (*asked, *recorded)}):
        ours = [value or _EMPTY for other, value in asked if other == key]
        theirs = [value or _EMPTY for other, value in recorded if other == key]
        if ours != theirs:
            yield _difference(f"{name} {key}", ", ".join(ours), ", ".join(theirs))


def _bodies(asked: CanonicalBody, recorded: CanonicalBody) -> Iterable[Difference]:
    if isinstance(asked, FormBody) and isinstance(recorded, FormBody):
        yield from _pairs("form", asked.pairs, recorded.pairs)
    elif isinstance(asked, JsonBody) and isinstance(recorded, JsonBody):
        ours, theirs = _leaves(parse_json(asked.text)), _leaves(parse_json(recorded.text))
        for pointer in sorted(ours.keys() | theirs.keys()):
            yield from _field(f"json {pointer}", ours.get(pointer, ""), theirs.get(pointer, ""))
    elif asked != recorded:
        yield _difference("body", _body_text(asked), _body_text(recorded))


def _leaves(document: Json, pointer: str = "") -> dict[str, str]:
    """Return the leaves of *document* as JSON texts, by JSON pointer (RFC 6901)."""
    items: Iterable[tuple[object, Json]]
    if isinstance(document, dict):
        items = document.items()
    elif isinstance(document, list):
        items = enumerate(document)
    else:
        return {pointer: _leaf(document)}
    found = {} if document else {pointer: "{}" if isinstance(document, dict) else "[]"}
    for name, value in items:
        step = str(name).replace("~", "~0").replace("/", "~1")
        found.update(_leaves(value, f"{pointer}/{step}"))
    return found


def _leaf(value: str | Decimal | bool | None) -> str:  # noqa: FBT001 - any leaf
    return f"{value:f}" if isinstance(value, Decimal) else canonical_json(value)


def _hint(nearest: Nearest) -> str:
    """Return what to do if all that differs are credentials, or dates by as many days."""
    pairs = [(difference.asked, difference.recorded) for difference in nearest.differences]
    if pairs and all(holds_unknown(asked) and holds_placeholder(then) for asked, then in pairs):
        return "name this credential under secrets in app.yaml, and record again"
    dates = [(_date(d.asked), _date(d.recorded)) for d in nearest.differences]
    shifts = {asked - then for asked, then in dates if asked and then}
    if not dates or len(shifts) != 1 or any(not (asked and then) for asked, then in dates):
        return ""
    earliest = min(then for _, then in dates if then)
    return f"pin the client clock to {earliest.isoformat()}"


def _date(text: str) -> date | None:
    try:
        return date.fromisoformat(text.strip('"')[:_DATE_CHARS])
    except ValueError:
        return None


def _body_text(body: CanonicalBody) -> str:
    match body:
        case JsonBody():
            return body.text
        case FormBody():
            return "&".join(f"{name}={value}" for name, value in body.pairs)
        case MultipartBody():
            return " | ".join(_part_text(part) for part in body.parts)
        case RawBody():
            return body.content.decode("utf-8", "replace")
        case _:
            assert_never(body)


def _part_text(part: Part) -> str:
    headers = "; ".join(f"{name}: {value}" for name, value in part.headers)
    return f"{headers}; {part.content.decode('utf-8', 'replace')}"


def _shown(text: str) -> str:
    return text if len(text) <= _MAX_SHOWN else text[:_MAX_SHOWN] + "…"


_REASONS = {
    "origin": Reason.HOST_NEVER_RECORDED,
    "path": Reason.PATH_NEVER_RECORDED,
    "method": Reason.METHOD_DIFFERS,
    "query": Reason.QUERY_DIFFERS,
}
_WEIGHTS = {"origin": 1000, "path": 100, "method": 10}


def _distance(nearest: Nearest) -> int:
    kinds = [difference.field.partition(" ")[0] for difference in nearest.differences]
    return sum(_WEIGHTS.get(kind, 1) for kind in kinds)


def _reason(nearest: Nearest) -> Reason:
    if not nearest.differences:
        return Reason.SPELLING_DECIDES
    first = nearest.differences[0].field.partition(" ")[0]
    return _REASONS.get(first, Reason.BODY_DIFFERS)
