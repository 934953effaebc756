"""The traffic file: HAR 1.2 with one entry per line and every body in a file of its own.

The layout is Playwright's attach mode (``_file`` beside the HAR), so that ``route_from_har``
reads it; web socket messages are kept as Chrome's developer tools export them. What HAR has no
field for stands under ``_envsvc``.
"""

import base64
from typing import Literal

import msgspec

from envsvc.errors import EnvsvcError
from envsvc.exchange.message import Failure


class BadTrafficError(EnvsvcError):
    """The traffic file of a cassette is not what envsvc writes, or was cut off."""

    code = "E202"


class _Har(msgspec.Struct, frozen=True, rename="camel", gc=False):
    """A part of a HAR entry; fields that envsvc does not use are not kept."""


class NameValue(_Har, frozen=True, kw_only=True):
    """A header line, a cookie or a query pair."""

    name: str
    value: str


class PostData(_Har, frozen=True, kw_only=True, rename={"media_type": "mimeType", "file": "_file"}):
    """A request body: its media type and its file.

    ``text`` repeats it for readers that know no ``_file`` (HAR 1.2 wants it); "" if it is none.
    """

    media_type: str
    file: str
    text: str = ""
    params: tuple[()] = ()


class HarRequest(_Har, frozen=True, kw_only=True):
    """The request of an entry; ``post_data`` is absent if there was no body."""

    method: str
    url: str
    http_version: str = "HTTP/1.1"
    cookies: tuple[NameValue, ...] = ()
    headers: tuple[NameValue, ...]
    query_string: tuple[NameValue, ...] = ()
    post_data: PostData | msgspec.UnsetType = msgspec.UNSET
    headers_size: int = -1
    body_size: int


class Content(_Har, frozen=True, kw_only=True, rename={"media_type": "mimeType", "file": "_file"}):
    """A response body after decoding: size in bytes, media type, its file (absent if empty)."""

    size: int
    media_type: str
    file: str | msgspec.UnsetType = msgspec.UNSET


class HarResponse(
    _Har,
    frozen=True,
    kw_only=True,
    rename={
        "status_text": "statusText",
        "http_version": "httpVersion",
        "redirect_url": "redirectURL",
        "headers_size": "headersSize",
        "body_size": "bodySize",
    },
):
    """The response of an entry; status 0 where there was none (HAR has no word for failure)."""

    status: int
    status_text: str
    http_version: str
    cookies: tuple[NameValue, ...] = ()
    headers: tuple[NameValue, ...]
    content: Content
    redirect_url: str
    headers_size: int = -1
    body_size: int = -1


class SocketMessage(_Har, frozen=True, kw_only=True):
    """A web socket message as Chrome exports it; binary data (opcode 2) is base64."""

    type: Literal["send", "receive"]
    time: float
    opcode: int
    data: str

    def content(self) -> bytes:
        """Return the payload bytes. Raises: ValueError for binary data that is not base64."""
        if self.opcode == TEXT_OPCODE:
            return self.data.encode()
        return base64.b64decode(self.data, validate=True)


TEXT_OPCODE = 1


class Extra(_Har, frozen=True, kw_only=True, rename=None, omit_defaults=True):
    """What HAR cannot say: see Exchange. ``chunks`` are pairs of milliseconds and bytes."""

    tour: str = ""
    step: str = ""
    encoded: bool = False
    stream_open: bool = False
    chunks: tuple[tuple[int, int], ...] = ()
    failure: Failure | None = None
    fingerprint: str = ""
    run: int = 0


class Timings(_Har, frozen=True, kw_only=True):
    """Milliseconds; envsvc measures only the whole time, which stands under ``wait``."""

    send: float = 0
    wait: float
    receive: float = 0


class HarEntry(
    _Har,
    frozen=True,
    kw_only=True,
    rename={
        "started": "startedDateTime",
        "socket_messages": "_webSocketMessages",
        "extra": "_envsvc",
    },
):
    """One exchange as a HAR entry."""

    started: str
    time: float
    request: HarRequest
    response: HarResponse
    cache: dict[str, str] = {}
    timings: Timings
    socket_messages: tuple[SocketMessage, ...] | msgspec.UnsetType = msgspec.UNSET
    extra: Extra = Extra()


_ENCODER = msgspec.json.Encoder()
_DECODER = msgspec.json.Decoder(HarEntry)
_END = b"]}}\n"


def traffic_head(envsvc_version: str) -> bytes:
    """Return the first line of a traffic file."""
    creator = _ENCODER.encode({"name": "envsvc", "version": envsvc_version})
    return b'{"log":{"version":"1.2","creator":' + creator + b',"pages":[],"entries":[\n'


def traffic_line(entry: HarEntry, *, is_last: bool) -> bytes:
    """Return the line of one entry."""
    return _ENCODER.encode(entry) + (b"\n" if is_last else b",\n")


def traffic_end() -> bytes:
    """Return the last line of a traffic file."""
    return _END


def read_line(line: bytes, number: int) -> HarEntry | None:
    """Return the entry on *line* (counted from 1), or None for the first and the last line.

    Raises: BadTrafficError naming the line.
    """
    if number == 1 and line.startswith(b'{"log":{'):
        return None
    if line == _END:
        return None
    try:
        return _DECODER.decode(line.rstrip(b",\n"))
    except msgspec.DecodeError as error:
        raise BadTrafficError(
            f"line {number} of traffic.har is not an entry: {error}",
            fix="Restore the cassette from version control, or record it again",
        ) from error
