"""Cases of kinds ``tool_key_pairs`` and ``tool_call``: the arguments of tools, and their keys."""

import datetime as dt
import decimal
import enum

import pytest

from envsvc.exchange.tool_arguments import (
    UnsupportedValueError,
    canonical_arguments,
    canonical_arguments_text,
    tool_key,
)
from tests.cases.load import Case, cases
from tests.cases.schema import Strict

pytestmark = pytest.mark.cases


class Pair(Strict, frozen=True, kw_only=True):
    """Two argument texts, and whether they ask the same."""

    a: str
    b: str
    same: bool
    note: str = ""


class KeyPairs(Strict, frozen=True, kw_only=True):
    """A tool, and pairs of its arguments."""

    kind: str
    tool: str
    pairs: list[Pair]


class Expect(Strict, frozen=True, kw_only=True):
    """What is said of the arguments; ``canonical`` is for people."""

    canonical: str = ""
    error_for: str = ""


class Call(Strict, frozen=True, kw_only=True):
    """Arguments as a Python expression."""

    kind: str
    args_python: str
    expect: Expect


@pytest.mark.parametrize("case", cases("tool_key_pairs"), ids=lambda case: case.id)
def test_tool_key_pairs(case: Case) -> None:
    """D14: two texts are one call exactly if they mean the same."""
    given = case.read(KeyPairs)

    assert given.pairs
    for pair in given.pairs:
        a, b = (tool_key(given.tool, canonical_arguments_text(text)) for text in (pair.a, pair.b))
        assert (a == b) is pair.same, pair


@pytest.mark.parametrize("case", cases("tool_call"), ids=lambda case: case.id)
def test_tool_call(case: Case) -> None:
    """D14: a value without canonical form is named; without it the rest has one, twice the same."""
    given = case.read(Call)
    arguments = evaluated(given.args_python)
    if given.expect.error_for:
        place, _, _ = given.expect.error_for.partition(":")
        with pytest.raises(UnsupportedValueError) as refused:
            canonical_arguments(arguments)
        assert str(refused.value).startswith(given.expect.error_for)
        del arguments[place.removeprefix("$.")]

    assert given.expect.error_for or given.expect.canonical
    assert canonical_arguments(arguments) == canonical_arguments(
        evaluated(given.args_python, arguments)
    )


def evaluated(text: str, only: dict[str, object] | None = None) -> dict[str, object]:
    """Return what the expression *text* of a case says, or *only* the names that another has."""
    names = {"datetime": dt, "decimal": decimal, "enum": enum, "Decimal": decimal.Decimal}
    found: dict[str, object] = eval(text, names)  # noqa: S307 - our own cases
    return found if only is None else {name: found[name] for name in only}
