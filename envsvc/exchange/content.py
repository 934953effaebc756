"""Undo Content-Encoding (RFC 9110 8.4), within a bound."""

import zlib
from collections.abc import Callable
from typing import Protocol

import brotli

try:
    from compression import zstd
except ImportError:  # before Python 3.14
    from backports import zstd

# Far above any page, far below what would harm: a 1 MB bomb of gzip unpacks to 1 GB.
MAX_DECODED_BYTES = 256 * 1024 * 1024


class BadEncodingError(ValueError):
    """The bytes are not what their Content-Encoding says, or unpack past the bound."""


def decode(body: bytes, content_encoding: str) -> bytes:
    """Return *body* with every listed coding undone, last one first.

    "" and "identity" give the bytes back. Raises: BadEncodingError for an unknown coding, for
    bytes that do not parse, and for more than MAX_DECODED_BYTES.
    """
    codings = [part.strip().lower() for part in content_encoding.split(",")]
    for coding in reversed(codings):
        if coding and coding != "identity":
            body = _decode_one(body, coding)
    return body


def unpacked(body: bytes, content_encoding: str) -> tuple[bytes, bool]:
    """Return *body* decoded and True; as it is and False where there is nothing to be undone."""
    if not content_encoding or not body:
        return body, False
    try:
        return decode(body, content_encoding), True
    except BadEncodingError:
        return body, False


def _decode_one(body: bytes, coding: str) -> bytes:
    decoder = _DECODERS.get(coding)
    if decoder is None:
        raise BadEncodingError(f"unknown content coding {coding!r}")
    try:
        return decoder(body)
    except (zlib.error, brotli.error, zstd.ZstdError) as error:
        raise BadEncodingError(f"not {coding}: {error}") from error


def _inflate(body: bytes, wbits: int) -> bytes:
    decompressor = zlib.decompressobj(wbits)
    decoded = decompressor.decompress(body, MAX_DECODED_BYTES)
    if decompressor.unconsumed_tail:
        raise BadEncodingError(f"unpacks to more than {MAX_DECODED_BYTES} bytes")
    if not decompressor.eof:
        raise BadEncodingError("cut off before its end")
    if decompressor.unused_data:
        raise BadEncodingError("followed by other bytes")
    return decoded


def _gunzip(body: bytes) -> bytes:
    return _of_members(body, lambda: zlib.decompressobj(16 + zlib.MAX_WBITS))


def _unzstd(body: bytes) -> bytes:
    return _of_members(body, zstd.ZstdDecompressor)


def _of_members(body: bytes, make: Callable[[], "_Decompressor"]) -> bytes:
    """Return all that *body* holds: a gzip file has members (RFC 1952 2.2), zstd has frames."""
    decoded: list[bytes] = []
    left = MAX_DECODED_BYTES
    while body or not decoded:
        decompressor = make()
        # One more than allowed, or a bound of 0 would mean none.
        decoded.append(decompressor.decompress(body, left + 1))
        left -= len(decoded[-1])
        if left < 0:
            raise BadEncodingError(f"unpacks to more than {MAX_DECODED_BYTES} bytes")
        if not decompressor.eof:
            raise BadEncodingError("cut off before its end")
        body = decompressor.unused_data
    return b"".join(decoded)


class _Decompressor(Protocol):
    """What zlib and zstd have in common."""

    @property
    def eof(self) -> bool: ...

    @property
    def unused_data(self) -> bytes: ...

    def decompress(self, data: bytes, max_length: int, /) -> bytes: ...


def _deflate(body: bytes) -> bytes:
    # RFC 9110 8.4.1.2 means zlib; some servers send the bare stream instead.
    try:
        return _inflate(body, zlib.MAX_WBITS)
    except zlib.error:
        return _inflate(body, -zlib.MAX_WBITS)


def _unbrotli(body: bytes) -> bytes:
    # The limit keeps a bomb small: 64 kB of Brotli can unpack to gigabytes in one call.
    decompressor = brotli.Decompressor()
    decoded: bytes = decompressor.process(body, output_buffer_limit=MAX_DECODED_BYTES)
    if len(decoded) > MAX_DECODED_BYTES:
        raise BadEncodingError(f"unpacks to more than {MAX_DECODED_BYTES} bytes")
    if not decompressor.is_finished():
        raise BadEncodingError("cut off before its end, or unpacks to too much")
    return decoded


_DECODERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": _gunzip,
    "x-gzip": _gunzip,
    "deflate": _deflate,
    "br": _unbrotli,
    "zstd": _unzstd,
}
