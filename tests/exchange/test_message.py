"""The values that cross the wire, and how their headers are read."""

import pytest

from envsvc.exchange.message import (
    Headers,
    header,
    header_values,
    media_type,
    with_headers,
    without_headers,
)

COOKIES: Headers = (("Set-Cookie", "a=1"), ("Date", "now"), ("set-cookie", "b=2"))


def test_a_repeated_header_keeps_every_value_in_order() -> None:
    """Cookies are set one per line; none may be lost or joined."""
    assert header_values(COOKIES, "SET-COOKIE") == ["a=1", "b=2"]


def test_the_first_value_of_a_header_counts() -> None:
    """Any case of the name finds it."""
    assert header(COOKIES, "set-Cookie") == "a=1"


def test_an_absent_header_is_empty() -> None:
    """No header reads as no value."""
    assert header(COOKIES, "Location") == ""
    assert header_values(COOKIES, "Location") == []


def test_headers_are_taken_out_in_any_case() -> None:
    """The others stay as they were sent."""
    assert without_headers(COOKIES, frozenset({"set-cookie"})) == (("Date", "now"),)


def test_headers_are_picked_in_any_case() -> None:
    """In the order and spelling in which they were sent."""
    assert with_headers(COOKIES, frozenset({"set-cookie"})) == (COOKIES[0], COOKIES[2])


@pytest.mark.parametrize(
    ("content_type", "kind"),
    [
        ("text/html", "text/html"),
        ("Text/HTML; charset=UTF-8", "text/html"),
        (" application/json ;x=y", "application/json"),
        ("", ""),
    ],
)
def test_a_media_type_is_lower_case_without_parameters(content_type: str, kind: str) -> None:
    """Parameters and case do not change the type (RFC 9110 8.3.1)."""
    assert media_type((("content-type", content_type),)) == kind


def test_no_content_type_is_no_media_type() -> None:
    """What is not named is not guessed."""
    assert media_type(()) == ""
