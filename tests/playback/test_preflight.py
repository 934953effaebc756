"""A preflight is answered because the request that it announces was recorded (Fetch 4.8)."""

import pytest

from envsvc.exchange.message import Headers, Request
from envsvc.playback.preflight import asked_method, is_preflight, preflight_headers

ORIGIN = ("Origin", "http://app.test")
METHOD = ("Access-Control-Request-Method", "PUT")
ALLOWED: Headers = (("Access-Control-Allow-Origin", "http://app.test"),)


def options(*headers: tuple[str, str], method: str = "OPTIONS") -> Request:
    """Return a request with these *headers*."""
    return Request(method=method, url="http://api.test/v1", headers=headers)


@pytest.mark.parametrize(
    ("request_", "expected"),
    [
        (options(ORIGIN, METHOD), True),
        (options(ORIGIN), False),
        (options(METHOD), False),
        (options(ORIGIN, METHOD, method="GET"), False),
    ],
)
def test_only_a_preflight_is_one(request_: Request, *, expected: bool) -> None:
    """A plain OPTIONS is a request like any other."""
    assert is_preflight(request_) is expected


def test_the_method_that_is_announced() -> None:
    """Its answer decides."""
    assert asked_method(options(ORIGIN, METHOD)) == "PUT"


def test_what_was_asked_is_allowed() -> None:
    """The real request was let through, so its preflight was."""
    asked = options(ORIGIN, METHOD, ("Access-Control-Request-Headers", "content-type,x-a"))
    answered = (*ALLOWED, ("access-control-allow-credentials", "true"))

    assert preflight_headers(asked, answered) == (
        ("Access-Control-Allow-Origin", "http://app.test"),
        ("Access-Control-Allow-Methods", "PUT"),
        ("Access-Control-Allow-Headers", "content-type,x-a"),
        ("Access-Control-Allow-Credentials", "true"),
        ("Vary", "Origin, Access-Control-Request-Method, Access-Control-Request-Headers"),
    )


@pytest.mark.parametrize(
    ("answered", "origin"),
    [
        ((("Access-Control-Allow-Origin", "*"),), "*"),
        (ALLOWED, "http://app.test"),
        ((("Access-Control-Allow-Origin", "http://other.test"),), None),
        ((), None),
    ],
)
def test_an_origin_that_was_not_allowed_stays_so(answered: Headers, origin: str | None) -> None:
    """The live app would have refused it too."""
    headers = preflight_headers(options(ORIGIN, METHOD), answered)

    assert (dict(headers)["Access-Control-Allow-Origin"] if headers else None) == origin
