"""Dates keep their distance to now (D11)."""

import pytest

from envsvc.playback.age import aged

NOON = 1_704_110_400_000_000  # Mon, 01 Jan 2024 12:00:00 GMT
YEAR = 366 * 86_400 * 1_000_000


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        (("Date", "Mon, 01 Jan 2024 12:00:00 GMT"), "Wed, 01 Jan 2025 12:00:00 GMT"),
        (("expires", "Mon, 01 Jan 2024 13:00:00 GMT"), "Wed, 01 Jan 2025 13:00:00 GMT"),
        (("Expires", "Monday, 01-Jan-24 13:00:00 GMT"), "Wed, 01 Jan 2025 13:00:00 GMT"),
        (("Expires", "Mon, 01 Jan 2024 14:00:00 +0100"), "Wed, 01 Jan 2025 13:00:00 GMT"),
        (("Expires", "0"), "0"),
        (("Expires", "Thu, 01 Jan 1970 00:00:00 GMT"), "Thu, 01 Jan 1970 00:00:00 GMT"),
        (("Expires", "Mon, 01 Jan 9999 13:00:00 GMT"), "Mon, 01 Jan 9999 13:00:00 GMT"),
        (("Expires", "Mon, 01 Jan 2024 13:00:00 -0000"), "Mon, 01 Jan 2024 13:00:00 -0000"),
        (("Last-Modified", "Mon, 01 Jan 2024 12:00:00 GMT"), "Mon, 01 Jan 2024 12:00:00 GMT"),
        (
            ("Set-Cookie", "sid=1; Expires=Mon, 01 Jan 2024 14:00:00 GMT; Path=/"),
            "sid=1; Expires=Wed, 01 Jan 2025 14:00:00 GMT; Path=/",
        ),
        (
            ("set-cookie", "sid=; expires=Thu, 01-Jan-1970 00:00:00 GMT; Max-Age=0"),
            "sid=; expires=Thu, 01-Jan-1970 00:00:00 GMT; Max-Age=0",
        ),
        (("Set-Cookie", "expires=soon; Max-Age=60"), "expires=soon; Max-Age=60"),
    ],
)
def test_what_a_client_acts_on_is_shifted(header: tuple[str, str], expected: str) -> None:
    """S3: a cookie recorded a year ago still signs in; one that was deleted stays deleted."""
    assert aged((header,), NOON, NOON + YEAR) == ((header[0], expected),)


def test_what_was_recorded_now_stays() -> None:
    """No time has passed."""
    headers = (("Date", "Mon, 01 Jan 2024 12:00:00 GMT"),)

    assert aged(headers, NOON, NOON) == headers


def test_a_cookie_that_had_just_expired_stays_expired() -> None:
    """Its distance to now is as it was."""
    cookie = (("Set-Cookie", "a=; Expires=Mon, 01 Jan 2024 11:59:59 GMT"),)

    assert aged(cookie, NOON, NOON + YEAR) == (
        ("Set-Cookie", "a=; Expires=Wed, 01 Jan 2025 11:59:59 GMT"),
    )
