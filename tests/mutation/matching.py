"""Alter every request of a recording, and count what the matcher makes of it."""

from collections import Counter
from collections.abc import Iterable, Iterator

import msgspec

from envsvc.cassette.index import Found, Index
from envsvc.cassette.stored import identity
from envsvc.cassette.writes import Made
from envsvc.exchange.message import Exchange, Request, Response
from tests.mutation.mutations import others, same
from tests.mutation.reference import meaning


class Tally(msgspec.Struct):
    """How many alterations there were of each part, and which of them ended wrongly."""

    missed: Counter[str] = msgspec.field(default_factory=Counter)
    hit: Counter[str] = msgspec.field(default_factory=Counter)
    false_hits: list[str] = msgspec.field(default_factory=list)
    false_misses: list[str] = msgspec.field(default_factory=list)


def matched(index: Index, exchanges: Iterable[Exchange]) -> Tally:
    """Ask *index* for every request of *exchanges*, in order, and for all of its alterations."""
    recorded, tally = list(exchanges), Tally()
    meanings = {meaning(exchange.request) for exchange in recorded}
    for exchange, found, made in _in_order(index, recorded):
        for part, request in others(exchange.request):
            if meaning(request) in meanings:
                continue  # it asks what was recorded elsewhere
            tally.missed[part] += 1
            wrong = index.find(request, made)
            # What an accepted match rule takes out is not asked for, by its own words.
            if wrong is not None and not (isinstance(wrong, Found) and wrong.rules):
                tally.false_hits.append(_named(part, request))
        for part, request in same(exchange.request):
            tally.hit[part] += 1
            again = index.find(request, made)
            alike = isinstance(again, Found) and identity(again.entry) == identity(found.entry)
            if not alike:
                tally.false_misses.append(_named(part, request))
    return tally


def _in_order(
    index: Index, exchanges: Iterable[Exchange]
) -> Iterator[tuple[Exchange, Found, Made]]:
    """Yield each exchange that finds an answer, with it and what was written before."""
    made = Made()
    for exchange in exchanges:
        found = index.find(exchange.request, made)
        if not isinstance(found, Found):
            continue
        if isinstance(exchange.answer, Response):
            yield exchange, found, made
        if found.turn is not None:
            made.turns[found.turn] += 1
        if found.write is not None:
            made.wrote(found.write)


def _named(part: str, request: Request) -> str:
    return f"{part}: {request.method} {request.url} {request.body[:200]!r}"
