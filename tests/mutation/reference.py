"""What a request means, read by the standard library alone: no code is shared with the matcher."""

import email.message
import email.policy
import json
from collections.abc import Hashable
from decimal import Decimal
from urllib.parse import parse_qsl, unquote, urlsplit

from envsvc.exchange.message import Request

_FORM = "application/x-www-form-urlencoded"
_PORTS = {"http": 80, "https": 443, "ws": 80, "wss": 443}


def meaning(request: Request) -> Hashable:
    """Return what decides that two requests ask the same, as a person would read the RFCs.

    Two of the same meaning may still be kept apart by a matcher; two of different meanings not be
    taken for one.
    """
    url = urlsplit(request.url)
    place = (url.scheme, url.hostname, url.port or _PORTS.get(url.scheme), unquote(url.path) or "/")
    return request.method, place, _pairs(url.query), _body(request)


def _pairs(text: str) -> Hashable:
    return tuple(sorted(parse_qsl(text, keep_blank_values=True), key=lambda pair: pair[0]))


def _body(request: Request) -> Hashable:
    kind = _content_type(request)
    try:
        match kind.get_content_type():
            case "application/json":
                return _json(json.loads(request.body, parse_float=Decimal, parse_int=Decimal))
            case "application/x-www-form-urlencoded" if _FORM in str(kind["content-type"]):
                return _pairs(request.body.decode())
            case "multipart/form-data":
                return _parts(kind, request.body)
            case _:
                return request.body
    except ValueError:
        pass
    return request.body


def _json(value: object) -> Hashable:
    match value:
        case dict():
            return "object", frozenset((key, _json(one)) for key, one in value.items())
        case list():
            return "array", tuple(map(_json, value))
        case bool() | str() | None:
            return type(value).__name__, value
        case _:
            return "number", value


def _parts(kind: email.message.EmailMessage, body: bytes) -> Hashable:
    boundary = str(kind.get_boundary()).encode()
    found = []
    for piece in (b"\r\n" + body).split(b"\r\n--" + boundary)[1:-1]:
        head, _, content = piece.partition(b"\r\n\r\n")
        lines = sorted(line.strip().lower() for line in head.split(b"\r\n") if line.strip())
        found.append((tuple(lines), content))
    return tuple(found)


def _content_type(request: Request) -> email.message.EmailMessage:
    message = email.message.EmailMessage(email.policy.HTTP)
    for name, value in request.headers:
        if name.lower() == "content-type":
            message["Content-Type"] = value
    return message
