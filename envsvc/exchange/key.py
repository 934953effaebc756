"""The key: what decides that two requests ask the same (D3). Never the position in a run."""

import hashlib
from contextlib import suppress
from typing import NewType

import msgspec

from envsvc.exchange.body import CanonicalBody, canonical_body
from envsvc.exchange.json_text import NotCanonicalError, canonical_json, parse_json
from envsvc.exchange.message import Request, header
from envsvc.exchange.url import CanonicalUrl, canonical_url

ExactKey = NewType("ExactKey", bytes)
CanonicalKey = NewType("CanonicalKey", bytes)

# 16 bytes: two different requests share a key with a chance below 2**-64 at 2**32 recordings.
_KEY_BYTES = 16
_JSON_BEGINS = (b"{", b"[")


# A client that can only POST says so what it means: Rails, ASP.NET, Express, Spring, Google.
_OVERRIDES = ("x-http-method-override", "x-http-method", "x-method-override")


class CanonicalRequest(msgspec.Struct, frozen=True):
    """A request by its meaning; ``url`` is the bare text where it is not an absolute URL."""

    method: str
    url: CanonicalUrl | str
    body: CanonicalBody


def meant_method(request: Request) -> str:
    """Return the method that *request* asks for: a POST may name another one in a header."""
    if request.method != "POST":
        return request.method
    named = (header(request.headers, name) for name in _OVERRIDES)
    override = next(filter(None, named), "").strip().upper()
    return f"POST as {override}" if override else "POST"


def exact_key(request: Request) -> ExactKey:
    """Return the key of method, URL text and body bytes; nothing else is interpreted."""
    return ExactKey(_digest((meant_method(request), request.url, request.body)))


def canonical_request(request: Request) -> CanonicalRequest:
    """Return what *request* provably means: method, URL and body in canonical form."""
    return CanonicalRequest(
        meant_method(request),
        canonical_url(request.url) or request.url,
        canonical_body(request.headers, request.body),
    )


def canonical_key(request: Request) -> CanonicalKey:
    """Return the key of the canonical form of *request*."""
    return key_of(canonical_request(request))


def key_of(request: CanonicalRequest) -> CanonicalKey:
    """Return the key of a request that is in canonical form."""
    return CanonicalKey(_digest(request))


def message_key(socket: CanonicalKey, *, text: bool, content: bytes) -> CanonicalKey:
    """Return the key of a message that a client sends on the socket with key *socket*.

    JSON counts by its meaning, anything else by its bytes; a text is never a binary message.
    """
    meaning = content
    if text and content[:1] in _JSON_BEGINS:
        with suppress(NotCanonicalError, UnicodeDecodeError):
            meaning = canonical_json(parse_json(content.decode())).encode()
    return CanonicalKey(_digest((socket, text, meaning)))


def _digest(value: object) -> bytes:
    # MessagePack carries lengths and types, so no two values share an encoding.
    return hashlib.sha256(msgspec.msgpack.encode(value)).digest()[:_KEY_BYTES]
