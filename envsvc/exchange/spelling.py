"""Find known values in every spelling that URLs, forms, HTML, JSON and encodings give them (D9)."""

import base64
import html
import json
from bisect import bisect_left
from itertools import accumulate, pairwise
from urllib.parse import quote, quote_plus

import ahocorasick_rs
import msgspec

from envsvc.exchange.message import Chunk
from envsvc.exchange.placeholder import in_placeholder

# A shorter piece of base64 occurs by chance in any image.
_SHORTEST_BASE64 = 8
_BASE64_SKIPPED = (0, 2, 3)  # characters that hold bits of what stands before, by offset


class Match(msgspec.Struct, frozen=True, order=True):
    """A value that was found, as ``content[start:end]``, and what shall stand there."""

    start: int
    end: int
    stand_in: bytes


class Spellings:
    """Known values with their stand-ins, found in one pass over a content."""

    def __init__(self) -> None:
        """Know nothing."""
        self._tables: list[_Table] = []
        self._new: dict[bytes, bytes] = {}

    def add(self, value: str, stand_in: str) -> None:
        """Know *value* from now on; *stand_in* is written in the spelling that was found."""
        for spelling, written in spellings(value, stand_in).items():
            self._new.setdefault(spelling, written)

    def find(self, content: bytes) -> list[Match]:
        """Return where values stand, in order and without overlap, the longest of each place.

        Placeholders are left alone: a value that is a part of one does not count there.
        """
        if self._new:
            self._build()
        found: list[Match] = []
        for table in self._tables:
            found = _apart(found, table.find(content))
        return [match for match in found if not in_placeholder(content, match.start, match.end)]

    def _build(self) -> None:
        """Put what is new into a table, with all tables that are not much larger.

        So there are few tables to search, and a value is put into a new one few times.
        """
        fresh, self._new = self._new, {}
        while self._tables and len(self._tables[-1].stand_ins) <= _MUCH_LARGER * len(fresh):
            fresh |= self._tables.pop().stand_ins  # what was known first stays
        self._tables.append(_Table(fresh))


_MUCH_LARGER = 8
# As a table of all its states an automaton is four times as fast, but takes up to 1 kB per byte
# sought, and the square of their number to build where they repeat themselves.
_LARGEST_FULL_TABLE = 16_000  # bytes sought


_FULL = ahocorasick_rs.Implementation.DFA
_COMPACT = ahocorasick_rs.Implementation.ContiguousNFA


class _Table:
    def __init__(self, stand_ins: dict[bytes, bytes]) -> None:
        self.stand_ins = stand_ins
        self._written = list(stand_ins.values())
        is_small = sum(map(len, stand_ins)) <= _LARGEST_FULL_TABLE
        self._automaton = ahocorasick_rs.BytesAhoCorasick(
            list(stand_ins),
            matchkind=ahocorasick_rs.MatchKind.LeftmostLongest,
            implementation=_FULL if is_small else _COMPACT,
        )

    def find(self, content: bytes) -> list[Match]:
        found = self._automaton.find_matches_as_indexes(content)
        return [Match(start, end, self._written[index]) for index, start, end in found]


def _apart(one: list[Match], other: list[Match]) -> list[Match]:
    """Return all matches in order; of those that overlap the first, and the longest there."""
    if not one or not other:
        return one or other
    kept: list[Match] = []
    for match in sorted([*one, *other], key=lambda match: (match.start, -match.end)):
        if not kept or match.start >= kept[-1].end:
            kept.append(match)
    return kept


def merged(first: list[Match], then: list[Match]) -> list[Match]:
    """Return all of *first* with those of *then* that overlap none of them, in order."""
    if not first or not then:
        return first or then
    starts = [match.start for match in first]
    free = [match for match in then if not _overlaps(match, first, starts)]
    return sorted([*first, *free])


def _overlaps(match: Match, others: list[Match], starts: list[int]) -> bool:
    before = bisect_left(starts, match.end)
    return before > 0 and others[before - 1].end > match.start


def rewritten(content: bytes, matches: list[Match]) -> bytes:
    """Return *content* with every match replaced; they are in order and do not overlap."""
    if not matches:
        return content
    ends = [0, *(match.end for match in matches)]
    pieces = [
        piece
        for end, match in zip(ends, matches, strict=False)
        for piece in (content[end : match.start], match.stand_in)
    ]
    return b"".join([*pieces, content[ends[-1] :]])


def recut(chunks: tuple[Chunk, ...], matches: list[Match]) -> tuple[Chunk, ...]:
    """Return the chunks of the rewritten body: the cuts stay at the same places of the text.

    A cut inside of a match moves to its end.
    """
    starts = [match.start for match in matches]
    growths = [len(match.stand_in) - (match.end - match.start) for match in matches]
    grown = list(accumulate(growths, initial=0))
    cuts = []
    for cut in accumulate((chunk.length for chunk in chunks), initial=0):
        before = bisect_left(starts, cut)
        end = max(cut, matches[before - 1].end) if before else cut
        cuts.append(end + grown[before])
    return tuple(
        Chunk(t_ms=chunk.t_ms, length=end - start)
        for chunk, (start, end) in zip(chunks, pairwise(cuts), strict=True)
    )


def spellings(value: str, stand_in: str) -> dict[bytes, bytes]:
    """Return how *value* looks in every spelling, each with *stand_in* in the same one.

    Texts: as Python, browsers (encodeURIComponent; WHATWG URL 5.2), PHP, Go, Django and Jinja
    escape them. Base64 (RFC 4648) is looked for at each of its three offsets.
    """
    found = {text.encode(): stand_in.encode() for text in _texts(value)}
    raw, raw_stand_in = value.encode(), stand_in.encode()
    found |= _base64(raw, raw_stand_in)
    found[raw.hex().encode()] = raw_stand_in.hex().encode()
    found[raw.hex().upper().encode()] = raw_stand_in.hex().upper().encode()
    for encoding in ("utf-16-le", "utf-16-be"):
        found[value.encode(encoding)] = stand_in.encode(encoding)
    return found


def _texts(value: str) -> set[str]:
    texts = {value, *_url_texts(value), *_html_texts(value), *_json_texts(value)}
    texts |= {quote(text, safe="") for text in _url_texts(value)}  # a URL within a URL
    texts |= {text for inner in _json_texts(value) for text in _html_texts(inner)}
    return texts | {text for inner in _json_texts(value) for text in _json_texts(inner)}


def _url_texts(value: str) -> set[str]:
    upper = {
        quote(value, safe=""),
        quote(value),
        quote(value, safe="!'()*"),
        quote_plus(value),
        quote_plus(value, safe="*").replace("~", "%7E"),
    }
    return upper | {_lower_escapes(text) for text in upper}


def _lower_escapes(text: str) -> str:
    first, *rest = text.split("%")
    return "%".join([first, *(piece[:2].lower() + piece[2:] for piece in rest)])


def _html_texts(value: str) -> set[str]:
    plain = html.escape(value, quote=False)
    quotes = (("&quot;", "&#x27;"), ("&#34;", "&#39;"), ("&quot;", "&#39;"), ("&quot;", "&apos;"))
    escaped = {plain.replace('"', double).replace("'", single) for double, single in quotes}
    return {plain, plain.replace('"', "&quot;"), *escaped}


def _json_texts(value: str) -> set[str]:
    plain = {json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1]}
    slashes = {text.replace("/", "\\/") for text in plain}
    # Within HTML: Go and Rails escape <>&, Django in lower or upper case, PHP quotes as well.
    marked = {_unicode_escaped(text, *how) for text in plain | slashes for how in _MARKS}
    return plain | slashes | marked


_MARKS = tuple((marks, digits) for marks in ("<>&", "<>&'", "<>&'-=;`") for digits in ("X", "x"))


def _unicode_escaped(text: str, marks: str, digits: str) -> str:
    return "".join(f"\\u{ord(mark):04{digits}}" if mark in marks else mark for mark in text)


def _base64(value: bytes, stand_in: bytes) -> dict[bytes, bytes]:
    # As long as the value modulo 3, so that what follows stays readable.
    even = stand_in + b"-" * ((len(value) - len(stand_in)) % 3)
    found = {}
    for offset in range(len(_BASE64_SKIPPED)):
        sought, written = _core(value, offset), _core(even, offset)
        if len(sought) >= _SHORTEST_BASE64:
            for text in _base64_texts(sought):
                found[text.encode()] = written.encode()
    return found


def _core(value: bytes, offset: int) -> str:
    """Return the characters of base64 that *value* alone decides, *offset* bytes in a group."""
    encoded = base64.b64encode(b"\0" * offset + value).decode()
    return encoded[_BASE64_SKIPPED[offset] : (len(value) + offset) * 8 // 6]


def _base64_texts(text: str) -> set[str]:
    url_safe = text.replace("+", "-").replace("/", "_")
    escaped = quote(text, safe="")
    return {text, url_safe, escaped, _lower_escapes(escaped), text.replace("/", "\\/")}
