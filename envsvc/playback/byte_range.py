"""Cut the asked range out of a whole body: a 206 from a stored 200 (RFC 9110 14)."""

import re

import msgspec

# No body needs 19 digits, and Python refuses to read numbers of more than 4,300.
_SINGLE = re.compile(r"bytes=([0-9]{0,18})-([0-9]{0,18})")


class ByteRange(msgspec.Struct, frozen=True):
    """The bytes from ``start`` up to and without ``end`` of a body of ``size`` bytes."""

    start: int
    end: int
    size: int

    @property
    def content_range(self) -> str:
        """Return the value of the Content-Range header."""
        return f"bytes {self.start}-{self.end - 1}/{self.size}"


class Unsatisfiable(msgspec.Struct, frozen=True):
    """No byte of the body lies in the asked range: the answer is 416."""

    size: int


def asked_range(value: str, size: int) -> ByteRange | Unsatisfiable | None:
    """Return what the Range header *value* asks of a body of *size* bytes.

    None where the whole body is the right answer: no header, another unit, several ranges (a
    server may ignore those, RFC 9110 14.2), or a malformed one.
    """
    match = _SINGLE.fullmatch(value.strip().lower())
    if match is None or not any(match.groups()):
        return None
    first, last = match.groups()
    if not first:
        return _suffix(int(last), size)
    start, end = int(first), min(int(last) + 1, size) if last else size
    if last and int(last) < start:
        return None
    return ByteRange(start, end, size) if start < size else Unsatisfiable(size)


def _suffix(length: int, size: int) -> ByteRange | Unsatisfiable:
    if not length or not size:
        return Unsatisfiable(size)
    return ByteRange(max(0, size - length), size, size)
