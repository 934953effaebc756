"""What ends by itself is found, and judged by a date."""

from datetime import UTC, datetime

import pytest

from envsvc.snapshot.expiry import Expiry, age_days, certificates_in, ended
from tests.snapshot.certificates import certificate_until

END = datetime(2026, 3, 1, tzinfo=UTC)
PEM = certificate_until(END)
FOUND = Expiry(what="certificate CN=shop.test in /app/tls.pem", ends_at="2026-03-01T00:00:00Z")


def us(moment: datetime) -> int:
    """Return *moment* as a clock says it."""
    return int(moment.timestamp() * 1_000_000)


def test_a_certificate_is_found_with_its_end() -> None:
    """Whatever stands around it in the file, and each of several."""
    content = b"# ours\n" + PEM + b"\n" + PEM

    assert list(certificates_in("/app/tls.pem", content)) == [FOUND, FOUND]


@pytest.mark.parametrize(
    "path",
    [
        "/etc/ssl/certs/ISRG_Root_X1.pem",
        "/usr/share/ca-certificates/mozilla/x.crt",
        "/usr/lib/python3/site-packages/certifi/cacert.pem",
        "/opt/tool/ca-bundle.crt",
    ],
)
def test_what_a_system_trusts_does_not_count(path: str) -> None:
    """An old root in a trust store ends no app."""
    assert list(certificates_in(path, PEM)) == []


def test_what_only_looks_like_a_certificate_is_none() -> None:
    """A placeholder in a template is no finding."""
    fake = b"-----BEGIN CERTIFICATE-----\nHERE\n-----END CERTIFICATE-----"

    assert list(certificates_in("/app/tls.pem", fake)) == []


def test_a_certificate_without_a_name_is_found_too() -> None:
    """The subject may be empty (RFC 5280 4.1.2.6), and then it is said so."""
    assert [one.what for one in certificates_in("/x", NAMELESS)] == [
        "certificate without a name in /x"
    ]


NAMELESS = certificate_until(END, name="")


@pytest.mark.parametrize(
    ("now", "told"),
    [
        (datetime(2026, 2, 28, tzinfo=UTC), []),
        (END, ["certificate CN=shop.test in /app/tls.pem ended on 2026-03-01T00:00:00Z"]),
    ],
)
def test_what_has_ended_is_told(now: datetime, told: list[str]) -> None:
    """By the date that is given, not by a clock of its own."""
    assert ended([FOUND], us(now)) == told


@pytest.mark.parametrize(
    ("now", "days"),
    [(datetime(2026, 3, 3, 5, tzinfo=UTC), 2), (datetime(2025, 1, 1, tzinfo=UTC), 0)],
)
def test_age_is_counted_in_whole_days(now: datetime, days: int) -> None:
    """A clock that runs behind makes nothing younger than new."""
    assert age_days("2026-03-01T00:00:00Z", us(now)) == days
