"""Conditional requests are answered from what is stored (RFC 9110 13)."""

import pytest

from envsvc.exchange.message import Headers
from envsvc.playback.conditional import is_not_modified, still_applies

NOON, ONE = "Mon, 01 Jan 2024 12:00:00 GMT", "Mon, 01 Jan 2024 13:00:00 GMT"
STORED: Headers = (("ETag", '"a"'), ("Last-Modified", NOON))


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ((), False),
        ((("If-None-Match", '"a"'),), True),
        ((("If-None-Match", 'W/"a"'),), True),
        ((("If-None-Match", '"x", "a"'),), True),
        ((("If-None-Match", '"x"'), ("If-None-Match", '"a"')), True),
        ((("If-None-Match", "*"),), True),
        ((("If-None-Match", '"x"'),), False),
        ((("If-None-Match", '"x"'), ("If-Modified-Since", ONE)), False),
        ((("If-Modified-Since", ONE),), True),
        ((("If-Modified-Since", NOON),), True),
        ((("If-Modified-Since", "Mon, 01 Jan 2024 11:00:00 GMT"),), False),
        ((("If-Modified-Since", "Mon, 01 Jan 2024 13:00:00 -0000"),), True),
        ((("If-Modified-Since", "yesterday"),), False),
    ],
)
def test_a_client_that_has_it_already(asked: Headers, *, expected: bool) -> None:
    """RFC 9110 13.2.2: tags before dates, tags compare weakly."""
    assert is_not_modified("GET", asked, STORED) is expected


def test_a_write_is_never_not_modified() -> None:
    """RFC 9110 15.4.5: 304 answers GET and HEAD."""
    assert not is_not_modified("PUT", (("If-None-Match", '"a"'),), STORED)


@pytest.mark.parametrize("asked", [(("If-None-Match", "*"),), (("If-Modified-Since", ONE),)])
def test_what_has_no_validator_is_always_sent(asked: Headers) -> None:
    """Nobody can know that it is the same."""
    assert not is_not_modified("GET", asked, ())


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("", True),
        ('"a"', True),
        ('"b"', False),
        ('W/"a"', False),
        (NOON, True),
        (ONE, False),
        ("yesterday", False),
    ],
)
def test_a_range_may_depend_on_what_the_client_has(condition: str, *, expected: bool) -> None:
    """RFC 9110 13.1.5: If-Range compares strongly."""
    asked = (("If-Range", condition),) if condition else ()

    assert still_applies(asked, STORED) is expected
