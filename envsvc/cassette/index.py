"""Find the recorded answers of a request: built once at load, two look-ups to serve (D3, D4)."""

from collections.abc import Iterator
from enum import StrEnum

import msgspec

from envsvc.cassette.entry import plain_headers, socket_messages_of
from envsvc.cassette.har import HarEntry
from envsvc.cassette.manifest import AmbiguousKey
from envsvc.exchange.key import CanonicalKey, ExactKey, canonical_key, exact_key
from envsvc.exchange.message import Failure, Headers, Request, WebSocketMessage
from envsvc.exchange.url import canonical_url


class Level(StrEnum):
    """Which key found the answer."""

    EXACT = "exact"
    CANONICAL = "canonical"


class StoredResponse(msgspec.Struct, frozen=True, kw_only=True, gc=False, tag="stored"):
    """A recorded response whose body stays in its file; ``body_path`` is "" if it is empty."""

    status: int
    reason: str
    headers: Headers
    body_path: str
    body_size: int
    encoded: bool = False
    stream_open: bool = False
    chunks: tuple[tuple[int, int], ...] = ()
    messages: tuple[WebSocketMessage, ...] = ()


class Entry(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One recorded exchange as replay needs it; ``number`` counts from 0 in recorded order."""

    number: int
    method: str
    url: str
    answer: StoredResponse | Failure


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """The answer of a request, the key that found it, and whether others were as likely."""

    entry: Entry
    level: Level
    is_ambiguous: bool


class Index:
    """All entries of a cassette by their keys. Every variant of a key is kept, in order."""

    def __init__(self) -> None:
        """Start empty; ``add`` in recorded order."""
        self.entries: list[Entry] = []
        self._requests: dict[int, Request] = {}
        self._exact: dict[ExactKey, list[int]] = {}
        self._canonical: dict[CanonicalKey, list[int]] = {}
        self._answering: set[str] = set()
        self._failing: dict[str, Entry] = {}

    def add(self, recorded: HarEntry, request: Request) -> None:
        """Add *recorded* under the keys of *request*, which is its own after redaction."""
        number = len(self.entries)
        self.entries.append(_entry(number, recorded))
        self._exact.setdefault(exact_key(request), []).append(number)
        self._canonical.setdefault(canonical_key(request), []).append(number)
        if request.body:
            self._requests[number] = request
        self._note_host(self.entries[number])

    def find(self, request: Request) -> Found | None:
        """Return the recorded answer of *request*, or None: there is no closest match, ever."""
        numbers = self._exact.get(exact_key(request))
        if numbers is not None:
            return self._found(numbers, Level.EXACT)
        numbers = self._canonical.get(canonical_key(request), [])
        if not numbers or self._only_exact_counts(numbers):
            return None
        return self._found(numbers, Level.CANONICAL)

    def unreachable(self, host: str) -> Entry | None:
        """Return a failure of *host* (lower case) if nothing but failures was recorded of it.

        Whatever else is asked of such a host would have failed alike.
        """
        return None if host in self._answering else self._failing.get(host)

    def request(self, number: int) -> Request:
        """Return the recorded request of entry *number*; only one with a body has its headers."""
        entry = self.entries[number]
        return self._requests.get(number) or Request(method=entry.method, url=entry.url)

    def ambiguous_keys(self) -> Iterator[AmbiguousKey]:
        """Yield every key whose recorded answers differ, in recorded order."""
        for numbers in self._canonical.values():
            answers = {_identity(self.entries[number]) for number in numbers}
            if len(answers) > 1:
                first = self.entries[numbers[0]]
                yield AmbiguousKey(method=first.method, url=first.url, answers=len(answers))

    def _found(self, numbers: list[int], level: Level) -> Found:
        variants = [self.entries[number] for number in numbers]
        is_ambiguous = len({_identity(entry) for entry in variants}) > 1
        return Found(entry=last_good(variants), level=level, is_ambiguous=is_ambiguous)

    def _note_host(self, entry: Entry) -> None:
        url = canonical_url(entry.url)
        if url is None:
            return
        if isinstance(entry.answer, Failure):
            self._failing[url.host] = entry
        else:
            self._answering.add(url.host)

    def _only_exact_counts(self, numbers: list[int]) -> bool:
        """Say whether URLs that differ in spelling only were answered differently.

        Then the app reads something into the spelling, and a third spelling is a guess.
        """
        variants = [self.entries[number] for number in numbers]
        answers = {_identity(entry) for entry in variants}
        return len(answers) > 1 and len({entry.url for entry in variants}) > 1


def last_good(variants: list[Entry]) -> Entry:
    """Return the last 2xx, else the last redirect, other status, or failure, in that order (D4)."""
    return max(variants, key=lambda entry: (_goodness(entry), entry.number))


def _goodness(entry: Entry) -> int:
    if isinstance(entry.answer, Failure):
        return 0
    return {1: 3, 2: 3, 3: 2}.get(entry.answer.status // 100, 1)


def _identity(entry: Entry) -> tuple[object, ...]:
    """Return what makes two answers the same: status, body and where a redirect leads."""
    if isinstance(entry.answer, Failure):
        return (entry.answer.kind,)
    locations = tuple(v for name, v in entry.answer.headers if name.lower() == "location")
    conversation = tuple((m.from_client, m.content) for m in entry.answer.messages)
    return (entry.answer.status, entry.answer.body_path, locations, conversation)


def _entry(number: int, recorded: HarEntry) -> Entry:
    return Entry(
        number=number,
        method=recorded.request.method,
        url=recorded.request.url,
        answer=recorded.extra.failure or _stored(recorded),
    )


def _stored(recorded: HarEntry) -> StoredResponse:
    response = recorded.response
    path = response.content.file
    return StoredResponse(
        status=response.status,
        reason=response.status_text,
        headers=plain_headers(response.headers),
        body_path=path if isinstance(path, str) else "",
        body_size=response.content.size,
        encoded=recorded.extra.encoded,
        stream_open=recorded.extra.stream_open,
        chunks=recorded.extra.chunks,
        messages=socket_messages_of(recorded),
    )
