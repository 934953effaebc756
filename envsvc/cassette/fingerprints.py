"""Learn which parts of an answer change by themselves, so that its state can be told (D4).

Two answers of one key with no write between them show the same state. Where they differ in
nothing but values of a volatile shape (a time, an identifier, a hash), those values say nothing
about the state. Values that were not seen to change so are never passed over: a new order number
may be all that tells one state from another.
"""

import hashlib
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

import msgspec

from envsvc.cassette.index import Index
from envsvc.cassette.stored import Entry, greeting, identity
from envsvc.cassette.variants import Variants
from envsvc.exchange.key import CanonicalKey
from envsvc.exchange.message import Exchange, Failure, Response, media_type

_SHAPES = re.compile(
    rb"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?"  # ISO 8601
    rb"|(?:[A-Z][a-z]{2}, )?\d\d? [A-Z][a-z]{2} \d{4}(?: \d\d:\d\d(?::\d\d)?(?: GMT)?)?"  # RFC 9110
    rb"|\b\d\d?:\d\d(?::\d\d(?:\.\d+)?)?\b"  # a clock
    rb"|\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b"  # UUID
    rb"|\b\d{10,20}(?:\.\d+)?\b"  # a stamp in seconds or finer
    rb"|(?<![\w.-])(?=[\w.-]*(?:\d|[a-z][A-Z]))[\w.-]{16,}(?![\w.-])"  # a hash or a token
    rb"|\b\d+\.\d+\b"  # a duration
)
_CONTEXT = 16  # bytes before a value that name it: the end of a tag with its class, a JSON key


class Volatile(msgspec.Struct, frozen=True):
    """The texts after which values change by themselves."""

    places: frozenset[bytes]

    def masked(self, body: bytes) -> bytes:
        """Return *body* with the values at these places replaced by one mark."""
        texts, values = _split(body)
        kept = [
            b"\0" if text[-_CONTEXT:] in self.places else value
            for text, value in zip(texts, values, strict=False)
        ]
        return b"".join(piece for pair in zip(texts, [*kept, b""], strict=True) for piece in pair)


def changing_places(one: bytes, other: bytes) -> frozenset[bytes]:
    """Return the places where the two differ; none if they differ in anything but values."""
    texts, values = _split(one)
    other_texts, other_values = _split(other)
    if texts != other_texts:
        return frozenset()
    triples = zip(texts, values, other_values, strict=False)
    return frozenset(text[-_CONTEXT:] for text, ours, theirs in triples if ours != theirs)


def with_fingerprints(
    exchanges: Sequence[Exchange], index: Index, again: Sequence[Sequence[Exchange]] = ()
) -> list[Exchange]:
    """Return *exchanges* with fingerprints where answers of a key change by themselves.

    *index* holds the same exchanges in the same order; *again* are further passes over the same
    tours. What a pass was answered before its first write shows the fresh state of the app, so
    that two passes may be compared there, and only there: later, they made different things. A
    place that was seen to change by itself in one page counts in all of that media type if the
    text before it is long enough to name it.
    """
    several = list(index.several())
    own = [frozenset().union(*_seen(variants, index, exchanges)) for variants in several]
    shared: dict[str, set[bytes]] = {}
    seen = [(_kind(exchanges[v.entries[0].number]), p) for v, p in zip(several, own, strict=True)]
    for kind, places in (*seen, *_seen_again([exchanges, *again], index)):
        shared.setdefault(kind, set()).update(p for p in places if len(p) == _CONTEXT)
    marked = list(exchanges)
    for variants, places in zip(several, own, strict=True):
        volatile = Volatile(places | shared[_kind(exchanges[variants.entries[0].number])])
        for entry in variants.entries if volatile.places else ():
            exchange = marked[entry.number]
            digest = hashlib.sha256(volatile.masked(_body(exchange))).hexdigest()
            marked[entry.number] = msgspec.structs.replace(exchange, fingerprint=digest)
    return marked


def _seen(
    variants: Variants, index: Index, exchanges: Sequence[Exchange]
) -> Iterator[frozenset[bytes]]:
    """Yield where answers of one key differ that were given with no write between them."""
    for before, after in pairwise(variants.entries):
        if _like(before) == _like(after) and not index.wrote_between(before, after):
            yield changing_places(_body(exchanges[before.number]), _body(exchanges[after.number]))


def _seen_again(
    passes: Sequence[Sequence[Exchange]], index: Index
) -> Iterator[tuple[str, frozenset[bytes]]]:
    """Yield where answers of one key differ between passes, as long as nothing was written."""
    fresh = [_unwritten(exchanges, index) for exchanges in passes]
    for one, other in pairwise(fresh):
        for key in one.keys() & other.keys():
            if _kind(one[key]) == _kind(other[key]):
                yield _kind(one[key]), changing_places(_body(one[key]), _body(other[key]))


def _unwritten(exchanges: Sequence[Exchange], index: Index) -> dict[CanonicalKey, Exchange]:
    """Return the first answer of each key before anything was written, by when it was asked."""
    found: dict[CanonicalKey, Exchange] = {}
    for exchange in sorted(exchanges, key=lambda exchange: exchange.started_us):
        if index.is_write(exchange.request.method, exchange.request.url):
            break
        found.setdefault(index.key_for(exchange.request), exchange)
    return found


def _kind(exchange: Exchange) -> str:
    return media_type(exchange.answer.headers) if isinstance(exchange.answer, Response) else ""


def _like(entry: Entry) -> tuple[object, ...]:
    """Return what must be equal for two bodies to be compared: status, kind and target."""
    same = identity(entry)
    return (same[:1], media_type(entry.headers), same[2:3])


def _body(exchange: Exchange) -> bytes:
    if isinstance(exchange.answer, Failure):
        return b""
    return exchange.answer.body or b"\n".join(greeting(exchange.messages))


def _split(body: bytes) -> tuple[list[bytes], list[bytes]]:
    """Return the fixed texts of *body* and the values of volatile shape between them."""
    texts, values, end = [], [], 0
    for match in _SHAPES.finditer(body):
        texts.append(body[end : match.start()])
        values.append(match[0])
        end = match.end()
    texts.append(body[end:])
    return texts, values
