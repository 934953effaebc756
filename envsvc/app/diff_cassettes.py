"""Compare two cassettes, key by key (S0-20)."""

from collections.abc import Iterable, Iterator
from enum import StrEnum

import msgspec

from envsvc.app.seal import answer_of
from envsvc.exchange.key import CanonicalKey, canonical_key
from envsvc.exchange.message import Exchange, Failure, Request, Response, header
from envsvc.exchange.placeholder import without_numbers

_AROUND = 24  # bytes on each side of a difference: a word or two


class Change(StrEnum):
    """What became of a key."""

    NEW = "new"
    GONE = "gone"
    CHANGED = "changed"
    SAME = "same"


class KeyChange(msgspec.Struct, frozen=True, kw_only=True):
    """A key in two cassettes; ``before`` and ``after`` describe its different answers.

    Either is () on the side that does not have the key.
    """

    change: Change
    method: str
    url: str
    key: str
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()


class _Known(msgspec.Struct):
    """A key of one cassette: its first request, and its different answers, one of each."""

    request: Request
    answers: dict[object, Exchange] = msgspec.field(default_factory=dict)


def differences(before: Iterable[Exchange], after: Iterable[Exchange]) -> Iterator[KeyChange]:
    """Yield every key of both sides: those of *before* in recorded order, then the new ones."""
    ours, theirs = _by_key(before), _by_key(after)
    for key in dict.fromkeys((*ours, *theirs)):
        one, other = ours.get(key), theirs.get(key)
        request = (ours.get(key) or theirs[key]).request
        before_words, after_words = _words(one, other)
        yield KeyChange(
            change=_change(one, other),
            method=request.method,
            url=request.url,
            key=key.hex(),
            before=before_words,
            after=after_words,
        )


def _by_key(exchanges: Iterable[Exchange]) -> dict[CanonicalKey, _Known]:
    found: dict[CanonicalKey, _Known] = {}
    for exchange in exchanges:
        known = found.setdefault(canonical_key(exchange.request), _Known(exchange.request))
        known.answers.setdefault(answer_of(exchange), exchange)
    return found


def _change(one: _Known | None, other: _Known | None) -> Change:
    if one is None:
        return Change.NEW
    if other is None:
        return Change.GONE
    same = one.answers.keys() == other.answers.keys()
    return Change.SAME if same else Change.CHANGED


def _words(one: _Known | None, other: _Known | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Describe the answers of both sides; of two single ones also where they begin to differ."""
    ours = list(one.answers.values()) if one else []
    theirs = list(other.answers.values()) if other else []
    shown = [[_shown(exchange) for exchange in side] for side in (ours, theirs)]
    if len(ours) == len(theirs) == 1:
        parts = _first_difference(_body(ours[0]), _body(theirs[0]))
        shown = [[f"{words}{part}"] for (words,), part in zip(shown, parts, strict=True)]
    return tuple(shown[0]), tuple(shown[1])


def _first_difference(one: bytes, other: bytes) -> tuple[str, str]:
    """Return what both have around the first byte that differs; "" if none does."""
    if one == other:
        return "", ""
    pairs = enumerate(zip(one, other, strict=False))
    place = next((n for n, (ours, theirs) in pairs if ours != theirs), min(len(one), len(other)))
    start = max(0, place - _AROUND)
    ours, theirs = (
        side[start : place + _AROUND].decode("utf-8", "replace") for side in (one, other)
    )
    return f", from byte {place}: {ours!r}", f", from byte {place}: {theirs!r}"


def _body(exchange: Exchange) -> bytes:
    """Return the body without the numbers of placeholders, which every recording counts anew."""
    return without_numbers(exchange.answer.body) if isinstance(exchange.answer, Response) else b""


def _shown(exchange: Exchange) -> str:
    answer = exchange.answer
    if isinstance(answer, Failure):
        return f"failure: {answer.kind}"
    place = header(answer.headers, "location")
    said = f", {len(exchange.messages)} messages" if exchange.messages else ""
    return f"{answer.status}, {len(answer.body)} bytes{said}{f' to {place}' if place else ''}"
