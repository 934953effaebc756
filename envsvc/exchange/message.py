"""The values that cross the wire: request, response, failure, web socket message."""

from typing import Literal

import msgspec

type Headers = tuple[tuple[str, str], ...]
"""Header lines in wire order, names as sent, values decoded as latin-1 (RFC 9110 5.5)."""


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """One HTTP request. ``url`` is absolute, as the client asked it; ``body`` is b"" if none."""

    method: str
    url: str
    headers: Headers = ()
    body: bytes = b""


class Response(msgspec.Struct, frozen=True, kw_only=True, tag="response"):
    """One HTTP response.

    ``body`` is decoded from its Content-Encoding (RFC 9110 8.4) while the header stays, as in
    HAR; ``encoded`` is True where the body could not be decoded and holds the bytes as sent.
    """

    status: int
    reason: str = ""
    http_version: str = "HTTP/1.1"
    headers: Headers = ()
    body: bytes = b""
    encoded: bool = False


class Failure(msgspec.Struct, frozen=True, kw_only=True, tag="failure"):
    """A host that could not be asked: kept as an entry, replayed as a failure (D8)."""

    kind: Literal["dns", "connect", "tls", "timeout", "aborted"]
    message: str


class Chunk(msgspec.Struct, frozen=True, kw_only=True):
    """One piece of a streamed body: when it came (ms after the head) and how long it is."""

    t_ms: int
    length: int


class WebSocketMessage(msgspec.Struct, frozen=True, kw_only=True):
    """One message of a web socket (RFC 6455), either way, with its time after the handshake."""

    from_client: bool
    text: bool
    content: bytes
    t_ms: int


class Exchange(msgspec.Struct, frozen=True, kw_only=True):
    """One request with its answer, as recorded.

    ``started_us`` is microseconds since the epoch, ``duration_ms`` the whole time it took; its
    fractions matter, since what overlaps in time proves nothing about its order (D4).
    ``chunks`` is empty unless the answer was a stream; ``stream_open`` is True if the client
    left before the stream ended. ``messages`` is empty unless the answer was a 101.
    ``run`` tells recordings apart that began with a fresh app each (D4).
    ``fingerprint`` stands for the body where answers differ in volatile parts only, else it is "".
    """

    started_us: int
    duration_ms: float
    request: Request
    answer: Response | Failure
    chunks: tuple[Chunk, ...] = ()
    stream_open: bool = False
    messages: tuple[WebSocketMessage, ...] = ()
    tour: str = ""
    step: str = ""
    fingerprint: str = ""
    run: int = 0


def header_values(headers: Headers, name: str) -> list[str]:
    """Return every value of header *name* (any case) in order; [] if absent."""
    wanted = name.lower()
    return [value for key, value in headers if key.lower() == wanted]


def header(headers: Headers, name: str) -> str:
    """Return the first value of header *name* (any case), or "" if absent."""
    values = header_values(headers, name)
    return values[0] if values else ""


def without_headers(headers: Headers, names: frozenset[str]) -> Headers:
    """Return *headers* without those in *names* (given in lower case)."""
    return tuple((key, value) for key, value in headers if key.lower() not in names)


def with_headers(headers: Headers, names: frozenset[str]) -> Headers:
    """Return only those of *headers* that are in *names* (given in lower case)."""
    return tuple((key, value) for key, value in headers if key.lower() in names)


def media_type(headers: Headers) -> str:
    """Return the media type in lower case without parameters, or "" if none is named."""
    return header(headers, "content-type").partition(";")[0].strip().lower()
