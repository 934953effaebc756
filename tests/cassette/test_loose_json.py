"""Values of JSON that nobody promises anything about."""

import pytest

from envsvc.cassette.loose_json import (
    an_object,
    as_number,
    as_text,
    is_number,
    moment_us,
    objects,
)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("1970-01-01T00:00:01Z", 1_000_000),
        ("1970-01-01T00:00:01.5+00:00", 1_500_000),
        ("1970-01-01T01:00:00+01:00", 0),
        (" 1970-01-01T00:00:01 ", 1_000_000),
        ("1970-01-02", 86_400_000_000),
        ("yesterday", None),
        ("", None),
        (None, None),
        (5, None),
    ],
)
def test_dates(value: object, expected: int | None) -> None:
    """ISO 8601; in UTC if no zone is named."""
    assert moment_us(value) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (3, 3.0),
        ("3.5", 3.5),
        (-1, -1.0),
        (None, 0.0),
        ("x", 0.0),
        (float("nan"), 0.0),
        (float("inf"), 0.0),
        (10**400, 0.0),
        ([], 0.0),
    ],
)
def test_numbers(value: object, expected: float) -> None:
    """What has no size is none."""
    assert as_number(value) == expected


def test_a_boolean_is_no_number() -> None:
    """Python thinks it is."""
    assert is_number(1)
    assert not is_number(True)  # noqa: FBT003 - the value is what is tested
    assert not is_number("1")


def test_what_is_not_there_is_empty() -> None:
    """Null, another type, or nothing."""
    assert (an_object(None), objects(None), as_text(None)) == ({}, [], "")
    assert (an_object({"a": 1}), objects([{"a": 1}, 2]), as_text("a")) == (
        {"a": 1},
        [{"a": 1}],
        "a",
    )
