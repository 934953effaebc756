"""The head of an answer: what was recorded, minus what belonged to one connection."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envsvc.exchange.message import Headers
from envsvc.playback.head import may_have_body, recorded_length, render_head, served_headers

RECORDED: Headers = (
    ("Content-Type", "text/html"),
    ("Content-Encoding", "gzip"),
    ("Content-Length", "99"),
    ("Transfer-Encoding", "chunked"),
    ("Connection", "keep-alive"),
    ("Strict-Transport-Security", "max-age=1"),
    ("ALT-SVC", 'h3=":443"'),
    ("Set-Cookie", "a=1"),
    ("Set-Cookie", "b=2"),
)


@pytest.mark.parametrize(
    ("status", "method", "may"),
    [
        (200, "GET", True),
        (404, "POST", True),
        (200, "HEAD", False),
        (204, "GET", False),
        (205, "GET", False),
        (304, "GET", False),
        (101, "GET", False),
    ],
)
def test_some_answers_never_have_a_body(status: int, method: str, *, may: bool) -> None:
    """RFC 9110 6.4.1."""
    assert may_have_body(status, method) is may


def test_headers_of_one_connection_are_not_served() -> None:
    """RFC 9110 7.6.1, D10: nor what is untrue of decoded bytes; repeated ones keep their order."""
    assert served_headers(RECORDED, is_encoded=False) == (
        ("Content-Type", "text/html"),
        ("Set-Cookie", "a=1"),
        ("Set-Cookie", "b=2"),
    )


def test_bytes_that_stayed_encoded_say_so() -> None:
    """Header and bytes always travel together."""
    assert ("Content-Encoding", "gzip") in served_headers(RECORDED, is_encoded=True)


@pytest.mark.parametrize(
    ("status", "size", "text"),
    [
        (200, 5, "HTTP/1.1 200 Fine\r\nX: y\r\nContent-Length: 5\r\n\r\n"),
        (200, None, "HTTP/1.1 200 Fine\r\nX: y\r\nConnection: close\r\n\r\n"),
        (204, 0, "HTTP/1.1 204 Fine\r\nX: y\r\n\r\n"),
        (304, 0, "HTTP/1.1 304 Fine\r\nX: y\r\n\r\n"),
        (101, 0, "HTTP/1.1 101 Fine\r\nX: y\r\n\r\n"),
    ],
)
def test_a_head_is_status_line_and_header_lines(status: int, size: int | None, text: str) -> None:
    """RFC 9110 8.6: a length only where there can be a body; without one the end is the end."""
    assert render_head(status, "Fine", (("X", "y"),), size) == text.encode()


def test_header_bytes_are_those_of_the_wire() -> None:
    """Values are latin-1 on both sides, so that UTF-8 in a header comes back byte by byte."""
    value = "é€".encode().decode("latin-1")

    assert "é€".encode() in render_head(200, "OK", (("X", value),), 0)


LINE_TEXTS = st.text(st.sampled_from("ab:\r\n\0 é\u010a\u010d\u2028"), max_size=12)


@given(LINE_TEXTS, st.lists(st.tuples(LINE_TEXTS, LINE_TEXTS), max_size=4).map(tuple))
def test_no_header_splits_the_answer(reason: str, headers: Headers) -> None:
    """RFC 9110 5.5: whatever a name, a value or a reason holds, it stays on its one line."""
    lines = render_head(200, reason, headers, 0).split(b"\r\n")

    assert len(lines) == len(headers) + 4
    assert not any(set(line) & set(b"\r\n\0") for line in lines)


def test_what_the_recorded_connection_named_is_left_out() -> None:
    """RFC 9110 7.6.1: such headers are for the next hop only."""
    headers = (("Connection", "X-Hop, close"), ("X-Hop", "1"), ("X-Kept", "2"))

    assert served_headers(headers, is_encoded=False) == (("X-Kept", "2"),)


def test_http2s_own_headers_are_left_out() -> None:
    """RFC 9113 8.3: they are no header lines in HTTP/1.1."""
    assert served_headers(((":status", "200"), ("a", "b")), is_encoded=False) == (("a", "b"),)


@pytest.mark.parametrize(
    ("value", "length"), [("229", 229), (" 7 ", 7), ("", 0), ("-1", 0), ("9" * 30, 0)]
)
def test_a_head_names_the_length_that_get_would_have(value: str, length: int) -> None:
    """RFC 9110 8.6."""
    assert recorded_length((("Content-Length", value),)) == length
