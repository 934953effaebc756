"""Texts that name a moment."""

import pytest

from envsvc.exchange.moment import moment_us

NOON = 1_767_355_200_000_000  # 2026-01-02T12:00:00Z


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("1767355200", NOON),
        ("1767355200000", NOON),
        ("1767355200000000", NOON),
        ("1767355200000000000", NOON),
        ("1767355200.5", NOON + 500_000),
        ("1767355200001.25", NOON + 1250),
        ("20260102120000", NOON),
        ("20260102120000007", NOON + 7000),
        ("20260102T120000Z", NOON),
        ("2026-01-02T12:00:00Z", NOON),
        ("2026-01-02T13:00:00.5+01:00", NOON + 500_000),
        ("2026-01-02 12:00", NOON),
    ],
)
def test_programs_write_their_clocks_in_many_ways(text: str, moment: int) -> None:
    """What names no zone is taken as UTC."""
    assert moment_us(text) == moment


@pytest.mark.parametrize(
    "text", ["", "7", "17673552000", "20261302120000", "2026-01-02", "2026-01-02T99:00Z", "noon"]
)
def test_other_texts_name_none(text: str) -> None:
    """A plain date is a day, which is no reading of a clock."""
    assert moment_us(text) is None
