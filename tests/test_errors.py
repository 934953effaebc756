"""Every error of envsvc says what, where and what next, and has a code."""

import pytest

from envsvc.errors import EnvsvcError


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (EnvsvcError("disk full"), "disk full"),
        (EnvsvcError("disk full", where="/har"), "disk full (/har)"),
        (EnvsvcError("disk full", fix="Make room"), "disk full. Make room"),
        (EnvsvcError("disk full", where="/har", fix="Make room"), "disk full (/har). Make room"),
    ],
)
def test_an_error_is_one_line(error: EnvsvcError, text: str) -> None:
    """D18: what, then where, then what to do next; what is not known is not mentioned."""
    assert str(error) == text


def test_the_parts_of_an_error_are_readable_by_a_program() -> None:
    """S0-09: no one has to take the text apart."""
    error = EnvsvcError("disk full", where="/har", fix="Make room")

    assert (error.what, error.where, error.fix) == ("disk full", "/har", "Make room")


def test_an_error_is_a_usage_error_unless_it_says_otherwise() -> None:
    """D18: exit code 2 is usage or configuration."""
    assert EnvsvcError("x").exit_code == 2
    assert EnvsvcError("x").code == "E000"
