"""Content-Encoding is undone within a bound, and never half."""

import gzip
import zlib
from collections.abc import Callable

import brotli
import pytest
from backports import zstd
from hypothesis import given
from hypothesis import strategies as st

from envsvc.exchange import content
from envsvc.exchange.content import BadEncodingError, decode, unpacked


def deflate(body: bytes) -> bytes:
    """Compress as the zlib format (RFC 1950)."""
    return zlib.compress(body)


def bare_deflate(body: bytes) -> bytes:
    """Compress as the stream alone (RFC 1951), as some servers do."""
    return zlib.compress(body, wbits=-zlib.MAX_WBITS)


def unbrotli_of(body: bytes) -> bytes:
    """Compress as Brotli (RFC 7932)."""
    compressed: bytes = brotli.compress(body)
    return compressed


type Compress = Callable[[bytes], bytes]

CODINGS: list[tuple[str, Compress]] = [
    ("gzip", gzip.compress),
    ("X-GZip", gzip.compress),
    ("deflate", deflate),
    ("deflate", bare_deflate),
    ("br", unbrotli_of),
    ("zstd", zstd.compress),
]


@pytest.mark.parametrize(("name", "compress"), CODINGS)
@given(body=st.binary(max_size=200))
def test_every_coding_is_undone(name: str, compress: Compress, body: bytes) -> None:
    """RFC 9110 8.4.1: gzip, deflate in both readings, and Brotli, named in any case."""
    assert decode(compress(body), name) == body


@pytest.mark.parametrize("name", ["", "identity", "Identity, ", ","])
def test_identity_changes_nothing(name: str) -> None:
    """No coding, no change."""
    assert decode(b"as it is", name) == b"as it is"


def test_codings_are_undone_last_one_first() -> None:
    """They are listed in the order in which they were applied."""
    assert decode(unbrotli_of(gzip.compress(b"twice")), "gzip, br") == b"twice"


@pytest.mark.parametrize(("name", "compress"), CODINGS)
def test_a_cut_stream_is_refused(name: str, compress: Compress) -> None:
    """Half a body is not the body."""
    whole = compress(bytes(range(256)) * 4)

    with pytest.raises(BadEncodingError):
        decode(whole[:-9], name)


@pytest.mark.parametrize(("name", "compress"), CODINGS)
def test_bytes_after_the_stream_are_refused(name: str, compress: Compress) -> None:
    """D3: bodies that differ behind the compressed stream must not share a key."""
    with pytest.raises(BadEncodingError):
        decode(compress(b"x") + b"more", name)


@pytest.mark.parametrize(("name", "compress"), [("gzip", gzip.compress), ("zstd", zstd.compress)])
def test_members_make_one_body(name: str, compress: Compress) -> None:
    """RFC 1952 2.2, RFC 8878 3.1: a stream may be made of several, each whole."""
    assert decode(compress(b"one ") + compress(b"") + compress(b"two"), name) == b"one two"


@pytest.mark.parametrize("name", ["gzip", "zstd"])
def test_nothing_is_no_stream(name: str) -> None:
    """Even an empty body has a head."""
    with pytest.raises(BadEncodingError):
        decode(b"", name)


@pytest.mark.parametrize("name", ["gzip", "deflate", "br", "zstd"])
def test_bytes_of_another_format_are_refused(name: str) -> None:
    """The header says one thing and the bytes another."""
    with pytest.raises(BadEncodingError, match=f"not {name}"):
        decode(b"plain text, not compressed", name)


def test_an_unknown_coding_is_refused() -> None:
    """What cannot be read is not guessed."""
    with pytest.raises(BadEncodingError, match="compress"):
        decode(b"", "compress")


@pytest.mark.parametrize(("name", "compress"), CODINGS)
def test_a_bomb_is_refused(name: str, compress: Compress, monkeypatch: pytest.MonkeyPatch) -> None:
    """A few bytes that unpack to a great many stop at the bound (lowered here)."""
    monkeypatch.setattr(content, "MAX_DECODED_BYTES", 100_000)

    with pytest.raises(BadEncodingError, match="more than 100000 bytes"):
        decode(compress(bytes(5_000_000)), name)


def test_a_body_of_just_the_bound_is_fine(monkeypatch: pytest.MonkeyPatch) -> None:
    """The bound itself is allowed."""
    monkeypatch.setattr(content, "MAX_DECODED_BYTES", 100_000)

    assert len(decode(unbrotli_of(bytes(100_000)), "br")) == 100_000


@pytest.mark.parametrize(
    ("body", "coding", "expected"),
    [
        (gzip.compress(b"hello"), "gzip", (b"hello", True)),
        (b"hello", "", (b"hello", False)),
        (b"", "gzip", (b"", False)),
        (b"no gzip", "gzip", (b"no gzip", False)),
    ],
)
def test_a_coding_is_undone_where_it_can_be(
    body: bytes, coding: str, expected: tuple[bytes, bool]
) -> None:
    """RFC 9110 8.4: what is none stays as it is."""
    assert unpacked(body, coding) == expected
