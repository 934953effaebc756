"""Split a multipart body into its parts (RFC 2046 5.1), without its boundary."""

import re

import msgspec

from envsvc.exchange.message import Headers

_BOUNDARY = re.compile(r'boundary\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;]+))', re.IGNORECASE)


class Part(msgspec.Struct, frozen=True):
    """One part: its header lines (names in lower case, in order) and its bytes."""

    headers: Headers
    content: bytes


def boundary_of(content_type: str) -> bytes | None:
    """Return the boundary parameter of a Content-Type value, or None if it names none."""
    match = _BOUNDARY.search(content_type)
    if match is None:
        return None
    return (match[1] if match[1] is not None else match[2]).encode("latin-1", "replace")


def split_parts(body: bytes, boundary: bytes) -> tuple[Part, ...] | None:
    """Return the parts in order, or None if *body* does not follow the format to its end."""
    delimiter = b"\r\n--" + boundary
    pieces = (b"\r\n" + body).split(delimiter)
    closed = len(pieces) > 1 and pieces[-1] in {b"--", b"--\r\n"}
    if pieces[0] or not closed:
        return None
    parts = [_part(piece) for piece in pieces[1:-1]]
    complete = tuple(part for part in parts if part is not None)
    return complete if len(complete) == len(parts) else None


def _part(piece: bytes) -> Part | None:
    head, separator, content = piece.partition(b"\r\n\r\n")
    if not separator or not head.startswith(b"\r\n"):
        return None
    lines = [line.partition(b":") for line in head[2:].split(b"\r\n")]
    headers = tuple(
        (name.decode("latin-1").lower(), value.strip().decode("latin-1"))
        for name, _, value in lines
    )
    return Part(headers, content)
