"""Undo Content-Encoding (RFC 9110 8.4), within a bound."""

import zlib
from collections.abc import Callable

import brotli

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
    except (zlib.error, brotli.error) as error:
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
    return _inflate(body, 16 + zlib.MAX_WBITS)


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
}
