"""Cut asked ranges out of a body: a 206 from a stored 200, or from a part of one (RFC 9110 14)."""

import re

import msgspec

# No body needs 19 digits, and Python refuses to read numbers of more than 4,300.
_SPEC = re.compile(r"([0-9]{0,18})-([0-9]{0,18})")
_CONTENT_RANGE = re.compile(r"bytes ([0-9]{1,18})-([0-9]{1,18})/([0-9]{1,18}|\*)", re.IGNORECASE)
# Many small ranges cost a server more than they save; then the whole is the answer (14.2).
_MAX_RANGES = 16


class ByteRange(msgspec.Struct, frozen=True):
    """The bytes from ``start`` up to and without ``end`` of a body of ``size`` bytes.

    ``size`` is None where a server did not say it.
    """

    start: int
    end: int
    size: int | None

    @property
    def content_range(self) -> str:
        """Return the value of the Content-Range header."""
        size = "*" if self.size is None else self.size
        return f"bytes {self.start}-{self.end - 1}/{size}"

    @property
    def is_whole(self) -> bool:
        """Say whether these are all bytes of the body."""
        return self.start == 0 and self.end == self.size

    def holds(self, other: "ByteRange") -> bool:
        """Say whether every byte of *other* is one of these."""
        return self.start <= other.start and other.end <= self.end


class Unsatisfiable(msgspec.Struct, frozen=True):
    """No byte of the body lies in an asked range: the answer is 416."""

    size: int


def held_range(content_range: str, length: int) -> ByteRange | None:
    """Return which bytes a stored 206 of *length* bytes holds, or None if it does not say.

    A part from the beginning of an unknown whole counts as all of it if the server left the size
    open: nobody can ask for more.
    """
    match = _CONTENT_RANGE.fullmatch(content_range.strip())
    if match is None:
        return None
    start, end = int(match[1]), int(match[2]) + 1
    if end - start != length:
        return None
    size = None if match[3] == "*" else int(match[3])
    return ByteRange(start, end, end if size is None and start == 0 else size)


def asked_ranges(value: str, size: int) -> tuple[ByteRange, ...] | Unsatisfiable | None:
    """Return what the Range header *value* asks of a body of *size* bytes, in asked order.

    Ranges without a byte in the body are left out unless all are. None where the whole body is
    the right answer: no header, another unit, a malformed one, or more ranges than are worth it.
    """
    unit, equals, specs = value.partition("=")
    if not equals or unit.strip().lower() != "bytes":
        return None
    pieces = [spec.strip() for spec in specs.split(",") if spec.strip()]
    if not 1 <= len(pieces) <= _MAX_RANGES:
        return None
    found: list[ByteRange] = []
    for piece in pieces:
        one = _one(piece, size)
        if one is None:
            return None
        if isinstance(one, ByteRange):
            found.append(one)
    return tuple(found) or Unsatisfiable(size)


def asked_range(value: str, size: int) -> ByteRange | Unsatisfiable | None:
    """Return the single range that *value* asks; None also where it asks for several."""
    found = asked_ranges(value, size)
    if not isinstance(found, tuple):
        return found
    return found[0] if len(found) == 1 and "," not in value else None


def _one(spec: str, size: int) -> ByteRange | Unsatisfiable | None:
    match = _SPEC.fullmatch(spec)
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
