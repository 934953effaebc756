"""Read HTTP/1.1 requests out of a stream of bytes, within bounds, with llhttp (httptools)."""

import re
from urllib.parse import quote

import httptools
import msgspec

from envsvc.exchange.message import Headers, header

# A request head larger than this is refused by nginx (32 KB), Node (16 KB) and Apache (8 KB a
# line) alike; 64 KB still lets the largest cookie jars through.
MAX_HEAD_BYTES = 64 * 1024
# An upload larger than this does not belong into a cassette.
MAX_BODY_BYTES = 64 * 1024 * 1024


# What ends or changes a host wherever it stands (RFC 3986 3.2.2).
_NO_HOST = re.compile(r"[\s/?#@\\,]")


class RefusedRequestError(Exception):
    """The bytes are no request that is accepted; ``status`` says how to answer."""

    def __init__(self, status: int, reason: str) -> None:
        """Answer with *status* and *reason*, then close."""
        super().__init__(f"{status} {reason}")
        self.status = status
        self.reason = reason


class RawRequest(msgspec.Struct, kw_only=True):
    """A request as it stood on the wire. ``target`` is absolute, origin or authority form."""

    method: str
    target: str
    headers: Headers
    body: bytes
    keep_alive: bool
    is_web_socket: bool


class RequestReader:
    """Collects requests; ``feed`` returns those that became complete."""

    def __init__(self) -> None:
        """Start between two requests."""
        self._parser = httptools.HttpRequestParser(self)
        self._complete: list[RawRequest] = []
        self._begin()
        self.is_idle = True
        self.wants_continue = False

    def feed(self, data: bytes) -> tuple[list[RawRequest], bytes]:
        """Return the requests that *data* completes, and what follows a CONNECT or an upgrade.

        Raises: RefusedRequestError.
        """
        rest = b""
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserUpgrade as upgrade:
            rest = data[upgrade.args[0] :]
            if not _leaves_http(self._complete[-1]):
                return self._declined(rest)
        except httptools.HttpParserCallbackError as error:
            if isinstance(error.__context__, RefusedRequestError):
                raise error.__context__ from error
            raise RefusedRequestError(400, "Bad Request") from error
        except httptools.HttpParserError as error:
            raise RefusedRequestError(400, "Bad Request") from error
        complete, self._complete = self._complete, []
        return complete, rest

    def _declined(self, rest: bytes) -> tuple[list[RawRequest], bytes]:
        """Go on with HTTP/1.1: an offer to change to h2c may be ignored (RFC 9110 7.8)."""
        self._parser = httptools.HttpRequestParser(self)
        complete, self._complete = self._complete, []
        more, left = self.feed(rest) if rest else ([], b"")
        return [*complete, *more], left

    def _begin(self) -> None:
        self._target = b""
        self._headers: list[tuple[str, str]] = []
        self._body: list[bytes] = []
        self._head_size = 0
        self._body_size = 0

    # What follows is called by the parser.

    def on_message_begin(self) -> None:
        """Start a request."""
        self._begin()
        self.is_idle = False

    def on_url(self, piece: bytes) -> None:
        """Take a piece of the target."""
        self._grow_head(len(piece))
        self._target += piece

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take a header line."""
        self._grow_head(len(name) + len(value))
        self._headers.append((name.decode("latin-1"), value.decode("latin-1")))
        if name.lower() == b"expect" and value.lower() == b"100-continue":
            self.wants_continue = True

    def on_headers_complete(self) -> None:
        """Refuse a head that two readers may take for two different requests (RFC 9112 11.2)."""
        if _is_ambiguous(self._parser.get_http_version(), self._headers):
            raise RefusedRequestError(400, "Bad Request")

    def on_body(self, piece: bytes) -> None:
        """Take a piece of the body."""
        self._body_size += len(piece)
        if self._body_size > MAX_BODY_BYTES:
            raise RefusedRequestError(413, "Content Too Large")
        self._body.append(piece)

    def on_message_complete(self) -> None:
        """Finish a request."""
        headers = tuple(self._headers)
        self._complete.append(
            RawRequest(
                method=self._parser.get_method().decode(),
                target=_text(self._target),
                headers=headers,
                body=b"".join(self._body),
                keep_alive=self._parser.should_keep_alive(),
                is_web_socket=self._parser.should_upgrade() and _asks_for_web_socket(headers),
            )
        )
        self._begin()
        self.is_idle = True
        self.wants_continue = False

    def _grow_head(self, size: int) -> None:
        self._head_size += size
        if self._head_size > MAX_HEAD_BYTES:
            raise RefusedRequestError(431, "Request Header Fields Too Large")


def _is_ambiguous(version: str, headers: list[tuple[str, str]]) -> bool:
    """Say whether a head that the parser let through is still read in several ways.

    The parser refuses contradicting lengths, folded lines, bare line feeds and the like. Left are
    versions with another framing, a Host that is missing, doubled or no host (RFC 9112 3.2), and
    transfer codings beside chunked, or in HTTP/1.0, which knows none (6.1).
    """
    hosts = [value for name, value in headers if name.lower() == "host"]
    codings = [value for name, value in headers if name.lower() == "transfer-encoding"]
    if version not in {"1.0", "1.1"}:
        return True
    if len(hosts) > 1 or (version == "1.1" and not hosts):
        return True
    if any(_NO_HOST.search(host) for host in hosts):
        return True
    return bool(codings) and (version == "1.0" or [c.lower() for c in codings] != ["chunked"])


def _asks_for_web_socket(headers: Headers) -> bool:
    return header(headers, "upgrade").lower() == "websocket"


def _leaves_http(request: RawRequest) -> bool:
    return request.method == "CONNECT" or request.is_web_socket


def _text(target: bytes) -> str:
    try:
        return target.decode()
    except UnicodeDecodeError:
        # Bytes that are no text get the escape that a correct client would have sent.
        return quote(target, safe="%:/?#[]@!$&'()*+,;=~")
