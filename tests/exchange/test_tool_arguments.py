"""The arguments of a tool call have one text for one meaning."""

import json
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from enum import Enum

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envsvc.exchange.json_text import NotCanonicalError
from envsvc.exchange.tool_arguments import (
    UnsupportedValueError,
    canonical_arguments,
    canonical_arguments_text,
    tool_key,
)

_LEAVES = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
)
_JSON = st.recursive(
    _LEAVES | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)
)


class Colour(Enum):
    """An enumeration."""

    RED = "red"


@dataclass
class Point:
    """A record."""

    x: int
    y: int


@given(_JSON)
def test_values_mean_what_their_json_means(value: object) -> None:
    """D14: a Python client and one that sends JSON ask the same."""
    assert canonical_arguments(value) == canonical_arguments_text(json.dumps(value))


def test_the_order_of_names_does_not_count() -> None:
    """D3: an object is no list."""
    assert canonical_arguments({"b": 1, "a": 2}) == canonical_arguments_text('{ "a": 2.0, "b": 1 }')


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (datetime(2024, 1, 1, tzinfo=UTC), '{"$datetime":"2024-01-01T00:00:00Z"}'),
        (
            datetime(2024, 1, 1, 1, tzinfo=timezone(timedelta(hours=1))),
            '{"$datetime":"2024-01-01T00:00:00Z"}',
        ),
        (date(2024, 1, 2), '{"$date":"2024-01-02"}'),
        (time(1, 2, 3), '{"$time":"01:02:03"}'),
        (timedelta(minutes=1, microseconds=1), '{"$seconds":60000001e-6}'),
        (b"\xff", '{"$bytes":"/w=="}'),
        (bytearray(b"\xff"), '{"$bytes":"/w=="}'),
        ({"b", "a"}, '{"$set":["a","b"]}'),
        (frozenset({2, 1}), '{"$set":[1e0,2e0]}'),
        ((1, "a"), '[1e0,"a"]'),
        (Decimal("1.50"), "15e-1"),
        (Point(1, 2), '{"x":1e0,"y":2e0}'),
        (Colour.RED, '"red"'),
        (True, "true"),
    ],
)
def test_what_json_has_not_is_tagged(value: object, text: str) -> None:
    """D14: a closed list, so that a key is the same in every process."""
    assert canonical_arguments(value) == text


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"o": object()}, "$.o: unsupported type object"),
        ({"a": [1, {"b": Point}]}, "$.a[1].b: unsupported type type"),
        ({1: 2}, "$.1: unsupported key of type int"),
        ({"n": float("nan")}, "$.n: unsupported nan"),
        ({"n": Decimal("Infinity")}, "$.n: unsupported Infinity"),
        ({"t": datetime(2024, 1, 1)}, "$.t: unsupported datetime without a time zone"),  # noqa: DTZ001
        ({"s": {object}}, "$.s{}: unsupported type type"),
    ],
)
def test_anything_else_is_refused_with_its_place(arguments: object, said: str) -> None:
    """E410: never what repr says of it."""
    with pytest.raises(UnsupportedValueError) as refused:
        canonical_arguments(arguments)

    assert str(refused.value).startswith(said)


def test_what_holds_itself_is_refused() -> None:
    """E410: it has no end."""
    loop: list[object] = []
    loop.append(loop)

    with pytest.raises(UnsupportedValueError, match="in itself"):
        canonical_arguments(loop)


def test_a_repeated_name_has_no_meaning() -> None:
    """D3: readers differ in which of the two they take."""
    with pytest.raises(NotCanonicalError):
        canonical_arguments_text('{"a":1,"a":2}')


def test_a_tool_and_its_arguments_are_the_key() -> None:
    """D14: the same arguments of another tool ask something else."""
    assert tool_key("a", "{}") == tool_key("a", "{}") != tool_key("b", "{}")
    assert tool_key("a", "{}") != tool_key("a", "null")
