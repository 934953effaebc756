"""What every Clock promises (envsvc.ports)."""

import pytest

from envsvc.adapters.system_clock import SystemClock
from envsvc.cassette.entry import microseconds
from envsvc.ports import Clock
from tests.app.fakes import FixedClock

pytestmark = pytest.mark.contract


@pytest.fixture(params=[SystemClock, FixedClock])
def clock(request: pytest.FixtureRequest) -> Clock:
    """Give a clock, of each kind there is."""
    made: Clock = request.param()
    return made


def test_it_counts_microseconds_since_the_epoch(clock: Clock) -> None:
    """S3-09: a moment that it gives is a date of this century, not seconds or nanoseconds."""
    earliest, latest = microseconds("2026-01-01T00:00:00Z"), microseconds("2100-01-01T00:00:00Z")

    assert earliest < clock.now_us() < latest


def test_it_never_goes_back(clock: Clock) -> None:
    """D8: exchanges are ordered by it."""
    first = clock.now_us()

    assert clock.now_us() >= first
