"""A multipart body is its parts, in order; the boundary is none of it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envsvc.exchange.multipart import Part, boundary_of, split_parts

BOUNDARIES = st.text("abcXYZ019-", min_size=8, max_size=20).map(str.encode)
PARTS = st.builds(
    Part,
    st.lists(
        st.tuples(st.sampled_from(["content-disposition", "content-type"]), st.text("ab;=/")),
        min_size=1,
        max_size=2,
    ).map(tuple),
    st.binary(max_size=30),
)


def body(parts: list[Part], boundary: bytes) -> bytes:
    """Write *parts* as a multipart body."""
    lines = []
    for part in parts:
        head = "".join(f"{name.title()}: {value}\r\n" for name, value in part.headers)
        lines += [b"--" + boundary + b"\r\n" + head.encode() + b"\r\n" + part.content + b"\r\n"]
    return b"".join(lines) + b"--" + boundary + b"--\r\n"


@given(st.lists(PARTS, max_size=4), BOUNDARIES)
def test_parts_are_read_as_they_were_written(parts: list[Part], boundary: bytes) -> None:
    """D3: whatever the boundary, the parts come back in order, byte by byte."""
    assert split_parts(body(parts, boundary), boundary) == tuple(parts)


@pytest.mark.parametrize(
    ("content_type", "boundary"),
    [
        ("multipart/form-data; boundary=AaB03x", b"AaB03x"),
        ("multipart/form-data; Boundary = AaB03x; charset=utf-8", b"AaB03x"),
        ('multipart/related; boundary="a b:c"; start="<root>"', b"a b:c"),
        ('multipart/mixed; boundary=""', b""),
        ("multipart/form-data", None),
    ],
)
def test_the_boundary_is_a_parameter(content_type: str, boundary: bytes | None) -> None:
    """Quoted or bare, in any case (RFC 2046 5.1.1)."""
    assert boundary_of(content_type) == boundary


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no parts at all",
        "--b\r\nA: 1\r\n\r\nx",
        "--b\r\nA: 1\r\n\r\nx\r\n--b",
        "before\r\n--b\r\nA: 1\r\n\r\nx\r\n--b--\r\n",
        "--b\r\nA: 1\r\n\r\nx\r\n--b--\r\nafter",
        "--b\r\nA: 1\r\nx\r\n--b--\r\n",
        "--bA: 1\r\n\r\nx\r\n--b--\r\n",
        "--b\r\nA: 1\r\n\r\nx\r\n--bc\r\n--b--\r\n",
    ],
)
def test_what_does_not_follow_the_format_has_no_parts(text: str) -> None:
    """D3: nothing is guessed, and no byte may stand outside the parts unseen."""
    assert split_parts(text.encode(), b"b") is None


def test_a_part_without_a_disposition_is_a_part() -> None:
    """multipart/related names its parts by Content-ID, or not at all."""
    text = b"--u\r\nContent-ID:  <root> \r\n\r\n<a/>\r\n--u--"

    assert split_parts(text, b"u") == (Part((("content-id", "<root>"),), b"<a/>"),)


def test_no_part_is_a_body_too() -> None:
    """An empty form is closed at once."""
    assert split_parts(b"--u--\r\n", b"u") == ()
