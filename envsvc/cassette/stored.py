"""One recorded exchange as replay needs it: light enough to keep ten thousand in memory."""

import msgspec

from envsvc.exchange.message import Failure, Headers, WebSocketMessage


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
    """One recorded exchange; ``number`` counts from 0 in recorded order.

    ``started_us`` and ``ended_us`` are microseconds since the epoch. ``fingerprint`` stands for
    the body where volatile parts of it were found at seal time, else it is "". ``witness`` holds
    the request headers that tell who asked and what was accepted. ``run`` tells recordings apart
    that began with a fresh app each.
    """

    number: int
    method: str
    url: str
    answer: StoredResponse | Failure
    started_us: int = 0
    ended_us: int = 0
    fingerprint: str = ""
    run: int = 0
    witness: Headers = ()

    @property
    def headers(self) -> Headers:
        """Return the headers of the answer; () for a failure."""
        return () if isinstance(self.answer, Failure) else self.answer.headers


def identity(entry: Entry) -> tuple[object, ...]:
    """Return what makes two answers the same: status, body, where a redirect leads, greeting."""
    if isinstance(entry.answer, Failure):
        return (entry.answer.kind,)
    locations = tuple(v for name, v in entry.answer.headers if name.lower() == "location")
    said = () if entry.fingerprint else greeting(entry.answer.messages)
    body = entry.fingerprint or entry.answer.body_path
    return (entry.answer.status, body, locations, said)


# What a server says by itself as soon as a socket is open; later it tells of something else.
_GREETING_MS = 1000


def greeting(messages: tuple[WebSocketMessage, ...]) -> tuple[bytes, ...]:
    """Return what the server said at first: that is what a socket's handshake is answered."""
    said = []
    for message in messages:
        if message.from_client or message.t_ms > _GREETING_MS:
            break
        said.append(message.content)
    return tuple(said)


def last_good(entries: list[Entry]) -> Entry:
    """Return the last 2xx, else the last redirect, other status, or failure, in that order (D4)."""
    return max(entries, key=lambda entry: (_goodness(entry), entry.number))


def _goodness(entry: Entry) -> int:
    if isinstance(entry.answer, Failure):
        return 0
    return {1: 3, 2: 3, 3: 2}.get(entry.answer.status // 100, 1)
