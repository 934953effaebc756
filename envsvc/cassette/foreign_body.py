"""Read the bodies of a foreign HAR entry: what is a body is told, never guessed at the cost of
serving a wrong one (D2).
"""

import base64
import binascii
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from urllib.parse import quote_plus, unquote_plus

from envsvc.cassette.foreign import UnreadableError, wire_text
from envsvc.cassette.loose_json import as_number, as_text, is_number, objects
from envsvc.exchange.content import BadEncodingError, decode
from envsvc.exchange.message import Headers, header, media_type
from envsvc.exchange.multipart import boundary_of

type Attached = Callable[[str], bytes | None]
"""Return the bytes of a side file by the name that an entry gives it; None if there is none.

Raises: UnreadableError for a name that may not be read.
"""

LOST, LOST_REQUEST = "body missing", "request body missing"
_BINARY = re.compile(r"(image/(?!svg)|audio/|video/|font/|application/(octet-stream|pdf|wasm|zip))")
_CHARSET = re.compile(r"charset\s*=\s*[\"']?([\w.:-]+)", re.IGNORECASE)
_META_WITHIN = 2048  # characters; HTML 4.2.5.5 wants the charset within 1,024 bytes
_FORM = "application/x-www-form-urlencoded"
_GZIP = b"\x1f\x8b"
_PACKED_KINDS = frozenset({"application/gzip", "application/x-gzip", "application/x-tar"})
# The first bytes of what browsers show: a body that begins so is read right.
_MAGIC = {
    "image/png": b"\x89PNG\r\n\x1a\n",
    "image/jpeg": b"\xff\xd8\xff",
    "image/gif": b"GIF8",
    "image/webp": b"RIFF",
    "font/woff2": b"wOF2",
    "font/woff": b"wOFF",
    "application/pdf": b"%PDF",
    "application/zip": b"PK",
    "application/wasm": b"\0asm",
}


def answer_body(
    content: Mapping[str, object], headers: Headers, attached: Attached, warnings: list[str]
) -> bytes | None:
    """Return the body in *content*; None if it holds none, not even an empty text.

    *headers* are the answer's own; what had to be assumed is added to *warnings*. Raises:
    UnreadableError if a body is named that is not there.
    """
    file, text, size = content.get("_file"), content.get("text"), content.get("size")
    if isinstance(file, str):
        body = _of_file(file, attached, LOST)
    elif not isinstance(text, str):
        return None
    elif not text:
        if as_number(size) > 0:
            raise UnreadableError(LOST)
        return b""
    elif is_base64(content):
        body = from_base64(text, LOST)
    elif _BINARY.match(media_type(headers)):
        body = _unflagged(text, size, media_type(headers), warnings)
    else:
        return _encoded(text, _charsets(text, headers), size)
    return _unpacked(body, headers, warnings)


def request_body(
    request: Mapping[str, object], headers: Headers, attached: Attached, warnings: list[str]
) -> bytes | None:
    """Return the body of *request* in HAR; None if it holds none. Raises: UnreadableError."""
    data = _posted(request)
    file, text, params = data.get("_file"), data.get("text"), objects(data.get("params"))
    if isinstance(file, str):
        return _of_file(file, attached, LOST_REQUEST)
    if isinstance(text, str) and text:
        if is_base64(data):
            return from_base64(text, LOST_REQUEST)
        length = header(headers, "content-length")
        body = _encoded(text, ["utf-8", "latin-1"], int(length) if length.isdecimal() else None)
        if length.isdecimal() and int(length) != len(body) and not _is_coded(headers):
            warnings.append("request body is not as long as its Content-Length")
        return body
    if not params:
        return None
    kind = header(headers, "content-type") or as_text(data.get("mimeType"))
    return _multipart(params, kind) if kind.startswith("multipart/") else _form(params)


def posted_kind(request: Mapping[str, object]) -> str:
    """Return the media type that ``postData`` names, or that its pairs imply; "" if none."""
    data = _posted(request)
    return wire_text(as_text(data.get("mimeType"))) or (_FORM if data.get("params") else "")


def is_lost(request: Mapping[str, object], method: str, headers: Headers) -> bool:
    """Say whether a request without body in *request* must have had one.

    A body of unknown length is lost if its type is named: nobody names the type of nothing.
    """
    length = header(headers, "content-length")
    if length.isdecimal():
        return int(length) > 0
    size = request.get("bodySize")
    if is_number(size) and as_number(size) >= 0:
        return as_number(size) > 0
    names_body = header(headers, "content-type") or header(headers, "transfer-encoding")
    return method in {"POST", "PUT", "PATCH"} and bool(names_body)


def is_base64(data: Mapping[str, object]) -> bool:
    """Say whether ``encoding``, or a vendor's field such as ``x-content-encoding``, says so."""
    names = [name for name in data if name.lower() == "encoding" or name.lower()[-9:] == "-encoding"]
    return any(as_text(data[name]).lower() == "base64" for name in names)


def from_base64(text: str, otherwise: str) -> bytes:
    """Return the bytes of base64 in any alphabet and layout. Raises: UnreadableError."""
    joined = "".join(text.split()).replace("-", "+").replace("_", "/").rstrip("=")
    try:
        return base64.b64decode(joined + "=" * (-len(joined) % 4), validate=True)
    except (binascii.Error, ValueError) as error:
        raise UnreadableError(f"{otherwise}: not the base64 that it is said to be") from error


def as_bytes(text: str, charset: str = "utf-8") -> bytes:
    """Return *text* in *charset*. Raises: ValueError, LookupError if that cannot be."""
    if charset == "utf-8":
        # Bytes of the file that were no UTF-8 come back as they were; lone surrogates stay.
        with suppress(UnicodeEncodeError):
            return text.encode("utf-8", "surrogateescape")
        return text.encode("utf-8", "surrogatepass")
    return text.encode(charset)


def _posted(request: Mapping[str, object]) -> Mapping[str, object]:
    """Return what holds the body: ``postData``, or ``_content`` where that cannot."""
    for name in ("_content", "postData"):
        data = request.get(name)
        if isinstance(data, Mapping) and data:
            return data
    return {}


def _of_file(name: str, attached: Attached, otherwise: str) -> bytes:
    content = attached(name)
    if content is None:
        raise UnreadableError(f"{otherwise}: its file is not there")
    return content


def _encoded(text: str, charsets: Sequence[str], size: object) -> bytes:
    """Return *text* in the one of *charsets* that gives *size* bytes, else in the first.

    A HAR holds characters; pages say of themselves how their bytes are to be read.
    """
    found: list[bytes] = []
    for charset in charsets:
        with suppress(ValueError, LookupError):
            found.append(as_bytes(text, charset))
    if is_number(size):
        return next((body for body in found if len(body) == size), found[0])
    return found[0]


def _charsets(text: str, headers: Headers) -> list[str]:
    """Return in which charsets *text* may have been sent, the likeliest first."""
    if text.isascii():
        return ["utf-8"]
    named = _CHARSET.search(header(headers, "content-type"))
    if named is None and media_type(headers) in {"text/html", "application/xhtml+xml"}:
        named = _CHARSET.search(text[:_META_WITHIN])
    return [named[1].lower(), "utf-8"] if named else ["utf-8"]


def _unflagged(text: str, size: object, kind: str, warnings: list[str]) -> bytes:
    """Return the bytes of a binary body that does not say how it is written.

    Its size tells, or its first bytes: each character is a byte, or the text is base64.
    """
    candidates = list(_readings(text))
    sized = [one for one in candidates if is_number(size) and len(one[1]) == size]
    magic = _MAGIC.get(kind)
    begun = [one for one in candidates if magic and one[1].startswith(magic)]
    unsized = begun if not (is_number(size) and as_number(size) > 0) else []
    for name, content in (*(one for one in begun if one in sized), *sized, *unsized):
        warnings.append(f"binary body without encoding, read as {name}")
        return content
    raise UnreadableError(f"{LOST}: binary, and neither its encoding nor its size tells it")


def _readings(text: str) -> Iterator[tuple[str, bytes]]:
    with suppress(UnicodeEncodeError):
        yield "Latin-1", text.encode("latin-1")
    with suppress(UnreadableError):
        yield "base64", from_base64(text, LOST)
    yield "UTF-8", as_bytes(text)


def _unpacked(body: bytes, headers: Headers, warnings: list[str]) -> bytes:
    """Return *body* decoded where it is still what its Content-Encoding says.

    A HAR holds decoded bodies; some writers keep them as they were sent.
    """
    coding = header(headers, "content-encoding").strip().lower()
    is_gzip = body.startswith(_GZIP) and media_type(headers) not in _PACKED_KINDS
    if not coding or not (is_gzip if "gzip" in coding else _is_no_text(body, headers)):
        return body
    try:
        decoded = decode(body, coding)
    except BadEncodingError:
        return body
    warnings.append("body was kept encoded; decoded")
    return decoded


def _is_no_text(body: bytes, headers: Headers) -> bool:
    """Say whether *body* is said to be text in UTF-8 and is not."""
    kind = media_type(headers)
    is_text = kind.startswith("text/") or kind.endswith(("json", "javascript", "xml"))
    try:
        body.decode()
    except UnicodeDecodeError:
        return is_text
    return False


def _is_coded(headers: Headers) -> bool:
    return header(headers, "content-encoding").lower() not in {"", "identity"}


def _form(params: Sequence[Mapping[str, object]]) -> bytes:
    """Return the pairs as a form sends them.

    A value that decodes to something else and holds nothing that would have to be escaped was
    written down as it was sent: it is decoded once.
    """
    pairs = (
        f"{_escaped(as_text(p.get('name')))}={_escaped(as_text(p.get('value')))}" for p in params
    )
    return "&".join(pairs).encode()


_AS_SENT = re.compile(r"(?:[A-Za-z0-9*._+-]|%[0-9A-Fa-f]{2})*")


def _escaped(text: str) -> str:
    was_sent = "%" in text and _AS_SENT.fullmatch(text) is not None
    plain = unquote_plus(text, errors="surrogateescape") if was_sent else text
    return quote_plus(as_bytes(plain))


def _multipart(params: Sequence[Mapping[str, object]], content_type: str) -> bytes:
    boundary = boundary_of(content_type)
    if not boundary:
        raise UnreadableError(f"{LOST_REQUEST}: multipart without its boundary")
    if any(param.get("fileName") and not isinstance(param.get("value"), str) for param in params):
        raise UnreadableError(f"{LOST_REQUEST}: multipart without the content of its files")
    parts = [b"--%b\r\n%b\r\n" % (boundary, _part(param)) for param in params]
    return b"".join([*parts, b"--%b--\r\n" % boundary])


def _part(param: Mapping[str, object]) -> bytes:
    head = f'Content-Disposition: form-data; name="{_quoted(as_text(param.get("name")))}"'
    if param.get("fileName"):
        head += f'; filename="{_quoted(as_text(param.get("fileName")))}"'
    if param.get("contentType"):
        head += f"\r\nContent-Type: {wire_text(as_text(param.get('contentType')))}"
    return as_bytes(f"{head}\r\n\r\n{as_text(param.get('value'))}")


def _quoted(text: str) -> str:
    # As browsers write names into parts (HTML 4.10.21.8).
    return text.replace("\r", "%0D").replace("\n", "%0A").replace('"', "%22")
