"""Patterns choose requests by host and path."""

import pytest

from envsvc.exchange.pattern import matches, place


@pytest.mark.parametrize(
    ("url", "pattern", "fits"),
    [
        ("http://stats.test/hit?x=1", "stats.test/*", True),
        ("https://STATS.test:8443/hit", "stats.test/hit", True),
        ("http://stats.test/hit", "stats.test", False),
        ("http://a.test/v1/x", "*/v[12]/?", True),
        ("http://a.test/V1/x", "*/v1/*", False),
        ("about:blank", "*", True),
        ("about:blank", "?*", False),
    ],
)
def test_a_pattern_is_of_host_and_path(url: str, pattern: str, *, fits: bool) -> None:
    """D6: scheme, port and query play no part, and case only in the path."""
    assert matches(url, ["never.test/*", pattern]) is fits


def test_what_is_no_absolute_url_has_no_place() -> None:
    """An origin-form target has no host to match."""
    assert place("/hit") == ""
