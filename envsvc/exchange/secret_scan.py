"""Look through what is to be stored for credentials that are known (D9)."""

from collections.abc import Iterable, Iterator

import msgspec

from envsvc.exchange.spelling import Spellings


class Leak(msgspec.Struct, frozen=True):
    """How often known values stand in the piece that ``place`` names; the values are not told."""

    place: str
    count: int


def leaks(pieces: Iterable[tuple[str, bytes]], known: Spellings) -> Iterator[Leak]:
    """Yield every piece, given with the name of its place, that holds a value of *known*.

    Every spelling counts that redaction would replace; nothing is yielded if all is clean.
    """
    for place, content in pieces:
        found = known.find(content)
        if found:
            yield Leak(place, len(found))
