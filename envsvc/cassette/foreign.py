"""What an import makes of one entry of another program's recording: kept, or left out and why.

What other programs write is not trusted: whatever becomes a URL, a header or a reason here is
made of characters that HTTP can carry.
"""

import re
from collections.abc import Iterable
from urllib.parse import quote

import msgspec

from envsvc.exchange.message import Exchange, Headers

TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")  # RFC 9110 5.6.2
WEB_SCHEMES = ("http://", "https://", "ws://", "wss://")
# Of one connection (RFC 9110 7.6.1); a cassette's answers are framed anew.
OF_CONNECTION = frozenset(
    {
        *("connection", "keep-alive", "proxy-connection", "proxy-authorization", "te", "trailer"),
        *("transfer-encoding", "upgrade", "sec-websocket-key"),
    }
)
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]+")
_LINE_ENDS = re.compile(r"\s*[\r\n]+\s*")
# Printable ASCII stays, escapes too: what is left is escaped as browsers send it (WHATWG URL 4.1).
_SENT_AS_IT_IS = "".join(chr(code) for code in range(0x21, 0x7F))
_LONGEST_SCHEME = 20  # characters that are shown of what stands where a scheme should


class Left(msgspec.Struct, frozen=True, kw_only=True):
    """An entry that is left out, its media type, and why.

    ``is_foreign`` if it was no web traffic at all; ``is_fault`` if the recording lacks something
    that it should have.
    """

    method: str
    url: str
    reason: str
    kind: str = ""
    is_foreign: bool = False
    is_fault: bool = False


class Taken(msgspec.Struct, frozen=True, kw_only=True):
    """An entry that can be kept, and what had to be assumed to read it.

    ``is_copy`` if it says of itself that a cache or a service worker gave it; ``is_bodiless`` if
    it names no body where there may have been one.
    """

    exchange: Exchange
    warnings: tuple[str, ...] = ()
    is_copy: bool = False
    is_bodiless: bool = False


class UnreadableError(ValueError):
    """The entry cannot be an exchange; the text says why. ``is_fault`` as in Left."""

    def __init__(self, reason: str, *, is_fault: bool = True) -> None:
        """Say the *reason*."""
        super().__init__(reason)
        self.is_fault = is_fault


def not_web(url: str) -> str | None:
    """Return why *url* is no web traffic, or None if it is."""
    if url.lower().startswith(WEB_SCHEMES):
        return None
    scheme, colon, _ = url.partition(":")
    return f"no web traffic: {clean(scheme)[:_LONGEST_SCHEME] if colon else 'no'} URL"


def wire_url(url: str) -> str:
    """Return *url* as a client sends it: no fragment, other than ASCII escaped as UTF-8.

    Raises: UnreadableError for control characters and for a URL without host.
    """
    bare = url.partition("#")[0].strip(" ")
    rest = bare.partition("://")[2]
    if _CONTROL.search(bare) or "\t" in bare or not rest or rest[0] in "/?":
        raise UnreadableError("malformed: no URL of HTTP")
    return quote(bare, safe=_SENT_AS_IT_IS, errors="replace")


def wire_method(method: str) -> str:
    """Return *method*. Raises: UnreadableError for what is none (RFC 9110 9.1)."""
    if not TOKEN.fullmatch(method):
        raise UnreadableError("malformed: no method of HTTP")
    return method


def wire_headers(pairs: Iterable[tuple[str, str]]) -> Headers:
    """Return header lines as they are kept: one character for each byte, one line for each value.

    Names that HTTP does not allow, such as HTTP/2's own ``:path``, are left out. Several values
    that were joined by line feeds are several lines if they are cookies, else a list.
    """
    headers: list[tuple[str, str]] = []
    for name, value in pairs:
        if not TOKEN.fullmatch(name):
            continue
        lines = [line for line in _LINE_ENDS.split(value.strip()) if line]
        if name.lower() != "set-cookie":
            lines = [", ".join(lines)]
        headers += [(name, wire_text(line)) for line in lines]
    return tuple(headers)


def wire_text(text: str) -> str:
    """Return *text* as header values are kept: one character for each byte, no controls."""
    plain = _CONTROL.sub(" ", text)
    if all(ord(letter) <= 0xFF for letter in plain):  # noqa: PLR2004 - the last of latin-1
        return plain
    return plain.encode("utf-8", "replace").decode("latin-1")


def clean(text: str) -> str:
    """Return *text* so that any file and any terminal can hold it."""
    return _CONTROL.sub(" ", text).encode("utf-8", "replace").decode()


def left(method: str, url: str, kind: str, error: UnreadableError) -> Left:
    """Return the entry that *error* keeps out."""
    return Left(
        method=clean(method),
        url=clean(url),
        reason=str(error),
        kind=clean(kind),
        is_fault=error.is_fault,
    )
