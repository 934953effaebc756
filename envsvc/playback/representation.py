"""Make the answer that a request asks for out of a stored one: whole, parts, head, or 304.

RFC 9110 9.3.2 (HEAD), 13 (conditional requests), 14 (ranges). What is served is decoded, so the
ranges are those of the decoded bytes, and no Content-Encoding is named.
"""

import hashlib

import msgspec

from envsvc.cassette.stored import StoredResponse
from envsvc.exchange.message import Headers, Request, header, without_headers
from envsvc.playback.byte_range import ByteRange, Unsatisfiable, asked_ranges, held_range
from envsvc.playback.conditional import is_not_modified, still_applies
from envsvc.playback.head import may_have_body, served_headers

_OK, _PARTIAL, _NOT_MODIFIED, _UNSATISFIABLE = 200, 206, 304, 416
_CONDITIONS = frozenset({"range", "if-none-match", "if-modified-since"})
_OF_A_PART = frozenset({"content-range", "accept-ranges"})
# A 304 repeats what caches store by, and nothing that describes a body (RFC 9110 15.4.5).
_OF_A_BODY = frozenset({"content-type", "content-language", "content-range", "content-encoding"})


class Represented(msgspec.Struct, frozen=True, kw_only=True):
    """An answer ready to be sent; ``is_derived`` if it is not the stored one as it is."""

    status: int
    reason: str
    headers: Headers
    body: bytes
    is_derived: bool


def held(response: StoredResponse) -> ByteRange | None:
    """Return which bytes a stored 206 holds; None for any other status, or if it does not say."""
    if response.status != _PARTIAL:
        return None
    return held_range(header(response.headers, "content-range"), response.body_size)


def is_plain(request: Request, response: StoredResponse) -> bool:
    """Say whether the stored answer is served as it is."""
    return response.status != _PARTIAL and not any(
        name.lower() in _CONDITIONS for name, _ in request.headers
    )


def can_answer(request: Request, response: StoredResponse) -> bool:
    """Say whether a stored 206 has the bytes that *request* asks, and a 304 its condition."""
    if response.status == _NOT_MODIFIED:
        return is_not_modified(request.method, request.headers, response.headers)
    part = held(response)
    if response.status != _PARTIAL or (part is not None and part.is_whole):
        return True
    return part is not None and _wanted(request, part) is not None


def represent(request: Request, response: StoredResponse, body: bytes) -> Represented:
    """Return the answer to *request* out of *response* and its *body*.

    ``can_answer`` must have said so.
    """
    headers = served_headers(response.headers, is_encoded=response.encoded)
    part = held(response)
    if part is not None and not part.is_whole:
        wanted = _wanted(request, part)
        return _parts(headers, body, (wanted or part,), part.start, _PARTIAL)
    status, reason = response.status, response.reason
    if status == _PARTIAL:
        status, reason = _OK, "OK"
        headers = without_headers(headers, _OF_A_PART)
    if status == _OK and is_not_modified(request.method, request.headers, headers):
        kept = without_headers(headers, _OF_A_BODY)
        return _answer(_NOT_MODIFIED, "Not Modified", kept, b"")
    ranges = _asked(request, headers, len(body)) if status == _OK else None
    if isinstance(ranges, Unsatisfiable):
        named = (*without_headers(headers, _OF_A_PART), ("Content-Range", f"bytes */{ranges.size}"))
        return _answer(_UNSATISFIABLE, "Range Not Satisfiable", named, b"")
    if ranges:
        return _parts(headers, body, ranges, 0, _PARTIAL)
    shown = body if may_have_body(status, request.method) else b""
    is_derived = (status, reason) != (response.status, response.reason)
    return Represented(
        status=status, reason=reason, headers=headers, body=shown, is_derived=is_derived
    )


def _asked(
    request: Request, stored: Headers, size: int
) -> tuple[ByteRange, ...] | Unsatisfiable | None:
    wanted = header(request.headers, "range")
    if not wanted or request.method != "GET" or not still_applies(request.headers, stored):
        return None
    return asked_ranges(wanted, size)


def _wanted(request: Request, part: ByteRange) -> ByteRange | None:
    """Return the single range that *request* asks, if every byte of it is in *part*.

    Of a whole whose size is unknown only ranges with both ends can be asked.
    """
    wanted = header(request.headers, "range")
    size = part.end if part.size is None else part.size
    ranges = asked_ranges(wanted, size) if request.method == "GET" else None
    if not isinstance(ranges, tuple) or len(ranges) != 1:
        return None
    if part.size is None and not wanted.strip()[-1:].isdigit():
        return None
    (one,) = ranges
    return ByteRange(one.start, one.end, part.size) if part.holds(one) else None


def _parts(
    headers: Headers, body: bytes, ranges: tuple[ByteRange, ...], offset: int, status: int
) -> Represented:
    """Return the *ranges* of a whole of which *body* holds the bytes from *offset*."""
    plain = without_headers(headers, _OF_A_PART)
    pieces = [body[one.start - offset : one.end - offset] for one in ranges]
    if len(ranges) == 1:
        named = (*plain, ("Accept-Ranges", "bytes"), ("Content-Range", ranges[0].content_range))
        return _answer(status, "Partial Content", named, pieces[0])
    # Not among the bytes that it parts, and the same each time.
    boundary = hashlib.sha256(body).hexdigest()[:32]
    kind = header(plain, "content-type") or "application/octet-stream"
    lines = [
        f"--{boundary}\r\nContent-Type: {kind}\r\nContent-Range: {one.content_range}\r\n\r\n"
        for one in ranges
    ]
    content = b"".join(
        line.encode("latin-1") + piece + b"\r\n" for line, piece in zip(lines, pieces, strict=True)
    )
    named = (
        *without_headers(plain, frozenset({"content-type"})),
        ("Accept-Ranges", "bytes"),
        ("Content-Type", f"multipart/byteranges; boundary={boundary}"),
    )
    return _answer(status, "Partial Content", named, content + f"--{boundary}--\r\n".encode())


def _answer(status: int, reason: str, headers: Headers, body: bytes) -> Represented:
    return Represented(status=status, reason=reason, headers=headers, body=body, is_derived=True)
