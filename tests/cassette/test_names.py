"""A name is a folder on every system."""

import pytest

from envsvc.cassette.names import RULE, is_name


@pytest.mark.parametrize("name", ["shop", "v1", "1.2.3", "v1-rc_2", "a", "x" * 64, "console"])
def test_a_plain_name_is_one(name: str) -> None:
    """D1: letters, digits, dot, underscore and hyphen."""
    assert is_name(name)


@pytest.mark.parametrize(
    "name",
    [
        *("", ".", "..", ".git", "-x", "../v1", "a/b", "a\\b", "C:", "a b", "name.", "name "),
        *("con", "CON", "aux.yaml", "Nul", "com1", "LPT9.x", "t*", "t?", "é", "a\n", "x" * 65),
    ],
)
def test_what_some_system_takes_for_something_else_is_none(name: str) -> None:
    """D1: a cassette can be checked out and copied anywhere."""
    assert not is_name(name)


def test_the_rule_can_be_told() -> None:
    """D18: a message says what to do."""
    assert "at most 64 letters" in RULE
