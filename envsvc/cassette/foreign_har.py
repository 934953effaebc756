"""Read one entry of any program's HAR: an exchange, or the reason why it is none (D2).

HAR 1.2 says little, and every writer fills its gaps in another way. What a body is, is never
guessed at the cost of serving a wrong one: an entry that lost its body is left out and named.
"""

import base64
import binascii
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from urllib.parse import quote_plus

import msgspec

from envsvc.cassette.loose_json import an_object, as_number, as_text, is_number, moment_us, objects
from envsvc.exchange.message import (
    Exchange,
    Headers,
    Request,
    Response,
    WebSocketMessage,
    header,
    header_values,
    media_type,
    without_headers,
)

type Attached = Callable[[str], bytes | None]
"""Return the bytes of a side file by the name that an entry gives it; None if there is none."""

_SCHEMES = ("http://", "https://", "ws://", "wss://")
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")  # RFC 9110 5.6.2
_STATUSES = range(100, 600)
_NO_BODY = frozenset({204, 205, 304})
_REDIRECTS = range(300, 400)
_SWITCHING = 101
_BINARY = re.compile(r"(image/(?!svg)|audio/|video/|font/|application/(octet-stream|pdf|wasm|zip))")
_FORM = "application/x-www-form-urlencoded"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_TEXT_OPCODE, _BINARY_OPCODE = 1, 2
# Of one connection (RFC 9110 7.6.1), or untrue of the decoded body that a HAR holds.
_NOT_KEPT = frozenset(
    {"connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding"}
)


class Left(msgspec.Struct, frozen=True, kw_only=True):
    """An entry that is not kept; ``is_foreign`` if it was no web traffic at all."""

    method: str
    url: str
    reason: str
    kind: str = ""
    is_foreign: bool = False


class Taken(msgspec.Struct, frozen=True, kw_only=True):
    """An entry that is kept, and what had to be assumed to read it."""

    exchange: Exchange
    warnings: tuple[str, ...] = ()


class _UnreadableError(ValueError):
    """The entry cannot be an exchange; the text says why."""


def read_entry(entry: object, attached: Attached, number: int = 0) -> Taken | Left:
    """Return what *entry*, a decoded JSON value, holds.

    *number* stands for the time of an entry that has none: a microsecond for each, so that the
    order stays.
    """
    if not isinstance(entry, Mapping):
        return Left(method="", url="", reason="malformed: no object")
    request, response = an_object(entry.get("request")), an_object(entry.get("response"))
    method, url = as_text(request.get("method")), as_text(request.get("url"))
    kind = as_text(an_object(response.get("content")).get("mimeType"))
    left = Left(method=method, url=url, reason="", kind=kind)
    if not url.lower().startswith(_SCHEMES):
        scheme = url.partition(":")[0][:20] if ":" in url else "no"
        reason = f"{scheme} URL is no web traffic"
        return msgspec.structs.replace(left, reason=reason, is_foreign=True)
    try:
        return _taken(entry, request, response, attached, number)
    except _UnreadableError as error:
        return msgspec.structs.replace(left, reason=str(error))


def _taken(
    entry: Mapping[str, object],
    request: Mapping[str, object],
    response: Mapping[str, object],
    attached: Attached,
    number: int,
) -> Taken:
    warnings: list[str] = []
    asked = _request(request, attached)
    answer = _response(response, asked, attached, warnings)
    started_us = moment_us(entry.get("startedDateTime"))
    messages = _messages(entry, started_us)
    if messages and not asked.url.startswith("ws"):
        asked = msgspec.structs.replace(asked, url="ws" + asked.url.removeprefix("http"))
    return Taken(
        exchange=Exchange(
            started_us=number if started_us is None else started_us,
            duration_ms=max(0.0, as_number(entry.get("time"))),
            request=asked,
            answer=answer,
            messages=messages,
        ),
        warnings=tuple(warnings),
    )


def _request(request: Mapping[str, object], attached: Attached) -> Request:
    method, url = as_text(request.get("method")), as_text(request.get("url"))
    if not _TOKEN.fullmatch(method) or any(ord(letter) < 0x20 for letter in url):  # noqa: PLR2004
        raise _UnreadableError("malformed: no method or URL of HTTP")
    headers = _headers(request.get("headers"))
    body, kind = _posted(an_object(request.get("postData")), headers, attached)
    if body is None:
        if as_number(header(headers, "content-length") or request.get("bodySize")) > 0:
            raise _UnreadableError("request body missing")
        body = b""
    if body and kind and not header(headers, "content-type"):
        headers = (*headers, ("Content-Type", kind))
    headers = without_headers(headers, frozenset({"content-encoding", "content-length"}))
    return Request(method=method.upper(), url=url.partition("#")[0], headers=headers, body=body)


def _posted(
    data: Mapping[str, object], headers: Headers, attached: Attached
) -> tuple[bytes | None, str]:
    """Return the body of ``postData`` and its media type; None if it holds none."""
    kind = as_text(data.get("mimeType"))
    file = data.get("_file")
    if isinstance(file, str):
        content = attached(file)
        if content is None:
            raise _UnreadableError("request body missing: its file is not there")
        return content, kind
    text, params = data.get("text"), objects(data.get("params"))
    if isinstance(text, str) and (text or not params):
        return _decoded_text(text, _encoding(data)) if text else None, kind
    if not params:
        return None, kind
    content_type = header(headers, "content-type") or kind
    if content_type.startswith("multipart/"):
        return _multipart(params, content_type), kind
    pairs = (
        f"{quote_plus(as_text(p.get('name')))}={quote_plus(as_text(p.get('value')))}"
        for p in params
    )
    return "&".join(pairs).encode(), kind or _FORM


def _multipart(params: Sequence[Mapping[str, object]], content_type: str) -> bytes:
    boundary = content_type.partition("boundary=")[2].partition(";")[0].strip().strip('"')
    if not boundary:
        raise _UnreadableError("request body missing: multipart without its boundary")
    parts = []
    for param in params:
        disposition = f'form-data; name="{as_text(param.get("name"))}"'
        if param.get("fileName"):
            disposition += f'; filename="{as_text(param.get("fileName"))}"'
        head = f"--{boundary}\r\nContent-Disposition: {disposition}\r\n"
        if param.get("contentType"):
            head += f"Content-Type: {as_text(param.get('contentType'))}\r\n"
        parts.append(f"{head}\r\n{as_text(param.get('value'))}\r\n")
    return "".join([*parts, f"--{boundary}--\r\n"]).encode()


def _response(
    response: Mapping[str, object],
    asked: Request,
    attached: Attached,
    warnings: list[str],
) -> Response:
    status = int(as_number(response.get("status")))
    if status not in _STATUSES:
        raise _UnreadableError(f"status {status}: a failed load")
    content = an_object(response.get("content"))
    headers = _answer_headers(response)
    kind = as_text(content.get("mimeType"))
    if kind and not header(headers, "content-type") and kind != "x-unknown":
        headers = (*headers, ("Content-Type", kind))
    body = _body(content, media_type(headers) or kind, attached, warnings)
    if body is None:
        if not _may_be_empty(status, asked.method, content.get("size")):
            raise _UnreadableError("body missing")
        body = b""
    lengths = header_values(headers, "content-length")
    if len(set(lengths)) > 1 or (lengths and header(headers, "transfer-encoding")):
        warnings.append("contradicting lengths; served with its real one")
    return Response(
        status=status,
        reason=as_text(response.get("statusText")),
        headers=without_headers(headers, _NOT_KEPT | {"content-encoding"}),
        body=body,
    )


def _may_be_empty(status: int, method: str, size: object) -> bool:
    """Say whether an answer without a text has no body, or lost it."""
    bodiless = status in _NO_BODY or status in _REDIRECTS or status == _SWITCHING
    return bodiless or method == "HEAD" or (is_number(size) and size == 0)


def _body(
    content: Mapping[str, object], kind: str, attached: Attached, warnings: list[str]
) -> bytes | None:
    file = content.get("_file")
    if isinstance(file, str):
        found = attached(file)
        if found is None:
            raise _UnreadableError("body missing: its file is not there")
        return found
    text = content.get("text")
    if not isinstance(text, str):
        return None
    encoding = _encoding(content)
    if encoding or not text or not _BINARY.match(kind):
        if not text and as_number(content.get("size")) > 0:
            raise _UnreadableError("body missing")
        return _decoded_text(text, encoding)
    return _unflagged(text, as_number(content.get("size")), warnings)


def _unflagged(text: str, size: float, warnings: list[str]) -> bytes:
    """Return the bytes of a binary body that does not say how it is written.

    Its size tells: either each character is a byte, or the text is base64.
    """
    candidates: list[tuple[str, bytes]] = []
    with suppress(UnicodeEncodeError):
        candidates.append(("Latin-1", text.encode("latin-1")))
    with suppress(binascii.Error, ValueError):
        candidates.append(("base64", base64.b64decode(text, validate=True)))
    candidates.append(("UTF-8", text.encode("utf-8", "surrogatepass")))
    for name, content in candidates:
        if len(content) == size:
            warnings.append(f"binary body without encoding, read as {name}")
            return content
    raise _UnreadableError("body missing: binary, and neither its encoding nor its size tells it")


def _decoded_text(text: str, encoding: str) -> bytes:
    if encoding != "base64":
        return text.encode("utf-8", "surrogatepass")
    joined = "".join(text.split())
    try:
        return base64.b64decode(joined + "=" * (-len(joined) % 4), validate=True)
    except (binascii.Error, ValueError) as error:
        raise _UnreadableError("body missing: not the base64 that it is said to be") from error


def _encoding(data: Mapping[str, object]) -> str:
    """Return ``encoding``, or what a vendor's field such as ``x-content-encoding`` says."""
    names = [
        name
        for name in data
        if name in {"encoding", "_encoding"} or name.lower().endswith("-encoding")
    ]
    values = {as_text(data[name]).lower() for name in names}
    return "base64" if "base64" in values else ""


def _answer_headers(response: Mapping[str, object]) -> Headers:
    headers: list[tuple[str, str]] = []
    for name, value in _headers(response.get("headers")):
        lines = value.split("\n") if name.lower() == "set-cookie" else [value.replace("\n", ", ")]
        headers += [(name, line.strip("\r ")) for line in lines if line.strip()]
    names = {name.lower() for name, _ in headers}
    if "set-cookie" not in names:
        cookies = objects(response.get("cookies"))
        headers += [("Set-Cookie", _set_cookie(cookie)) for cookie in cookies]
    location = as_text(response.get("redirectURL"))
    if location and "location" not in names and as_number(response.get("status")) in _REDIRECTS:
        headers.append(("Location", location))
    return tuple(headers)


def _set_cookie(cookie: Mapping[str, object]) -> str:
    parts = [f"{as_text(cookie.get('name'))}={as_text(cookie.get('value'))}"]
    expires_us = moment_us(cookie.get("expires"))
    if expires_us is not None:
        moment = _EPOCH + timedelta(microseconds=expires_us)
        parts.append(f"Expires={format_datetime(moment, usegmt=True)}")
    parts += [
        f"{label}={as_text(cookie.get(name))}"
        for label, name in (("Path", "path"), ("Domain", "domain"), ("SameSite", "sameSite"))
        if cookie.get(name)
    ]
    parts += [
        label
        for label, name in (("HttpOnly", "httpOnly"), ("Secure", "secure"))
        if cookie.get(name)
    ]
    return "; ".join(parts)


def _headers(value: object) -> Headers:
    """Return the header lines; those of HTTP/2's own (``:path``) and broken ones are left out."""
    pairs = ((as_text(h.get("name")), as_text(h.get("value"))) for h in objects(value))
    return tuple((name, _latin(text)) for name, text in pairs if _TOKEN.fullmatch(name))


def _latin(text: str) -> str:
    """Return *text* as header values are kept: one character for each byte."""
    try:
        text.encode("latin-1")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass").decode("latin-1")
    return text


def _messages(entry: Mapping[str, object], started_us: int | None) -> tuple[WebSocketMessage, ...]:
    found = []
    start_s = 0.0 if started_us is None else started_us / 1_000_000
    for message in objects(entry.get("_webSocketMessages")):
        opcode, time_s = as_number(message.get("opcode")), as_number(message.get("time"))
        if opcode not in {_TEXT_OPCODE, _BINARY_OPCODE}:
            continue  # pings and closes are the connection's own
        text = opcode == _TEXT_OPCODE
        content = _decoded_text(as_text(message.get("data")), "" if text else "base64")
        found.append(
            WebSocketMessage(
                from_client=as_text(message.get("type")) in {"send", "request"},
                text=text,
                content=content,
                t_ms=max(0, round((time_s - start_s) * 1000)),
            )
        )
    return tuple(found)
