"""What a client prefers of several media types (RFC 9110 12.5.1)."""

from collections.abc import Iterable

_ANY = 1.0


def preferred(accept: str, kinds: Iterable[str]) -> str | None:
    """Return the one of *kinds* that *accept* prefers to all others; None if there is no such."""
    ranges = [_range(part) for part in accept.split(",")]
    ranked = sorted(((_quality(kind, ranges), kind) for kind in kinds), reverse=True)
    match ranked:
        case [(best, kind), *others] if best > 0 and all(best > other for other, _ in others):
            return kind
        case _:
            return None


def _range(part: str) -> tuple[str, float]:
    """Return a media range in lower case and its quality; other parameters do not count."""
    kind, *parameters = (piece.strip().lower() for piece in part.split(";"))
    for parameter in parameters:
        name, _, value = parameter.partition("=")
        if name.strip() == "q":
            return kind, _number(value)
    return kind, _ANY


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return _ANY


def _quality(kind: str, ranges: list[tuple[str, float]]) -> float:
    """Return the quality of the narrowest range that holds *kind*; 0 if none does."""
    given = dict(ranges)
    for holds in (kind, f"{kind.partition('/')[0]}/*", "*/*"):
        if holds in given:
            return given[holds]
    return 0
