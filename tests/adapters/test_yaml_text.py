"""YAML means the same to everyone, or is refused."""

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from envsvc.adapters.yaml_text import BadYamlError, line_of, parse_yaml, write_yaml

LOOK_TYPED = ["no", "on", "=", "<<", "1e5", "0x1F", "010", "12:30", "2026-01-01", "~", "null", ".5"]
LOOK_LIKE_YAML = [
    "---",
    "...",
    "a: b",
    "# x",
    "*a",
    "&a",
    "!a",
    "%x",
    "@",
    "|",
    "? a",
    "-",
    "[",
    ".inf",
]
HOLD_BLANKS = [
    "",
    " a",
    "a ",
    "a\n",
    "\n a",
    "a \nb",
    "\t",
    "\r\n",
    "\x85",
    "\u2028",
    "\ufeff",
    "\x00",
]
TEXTS = st.text(st.characters(exclude_categories=["Cs"])) | st.sampled_from(
    [*LOOK_TYPED, *LOOK_LIKE_YAML, *HOLD_BLANKS]
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=10,
)
MANY_LAUGHS = "a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]"


@given(VALUES)
def test_what_is_written_is_read_back(value: object) -> None:
    """D19: every value comes back with its type, whatever its texts look like."""
    assert parse_yaml(write_yaml(value), "") == value


@given(TEXTS)
def test_other_readers_see_the_same_text(text: str) -> None:
    """D2: a YAML 1.1 reader does not take a text of ours for a bool, number or date."""
    assert yaml.safe_load(write_yaml([text])) == [text]


@pytest.mark.parametrize("text", ["no", "yes", "on", "Off", "True", "NULL", "2026-01-01", "12:30"])
def test_what_only_looks_typed_is_a_text(text: str) -> None:
    """D19: implicit types are null, true, false and numbers; the country Norway stays "no"."""
    assert parse_yaml(f"a: {text}", "") == {"a": text}


@pytest.mark.parametrize("text", ["010", "0x1F", "0o17", "1_000", "1.2.3", "+", ".", "1e", "0b1"])
def test_a_number_in_no_plain_form_is_a_text(text: str) -> None:
    """D19: a version or a code with leading zeros is not counted with."""
    assert parse_yaml(f"a: {text}", "") == {"a": text}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("true", True),
        ("false", False),
        ("null", None),
        ("~", None),
        ("", None),
        ("42", 42),
        ("-7", -7),
        ("1.5", 1.5),
        ("1e3", 1000.0),
        ('"42"', "42"),
        ("!!str 42", "42"),
    ],
)
def test_plain_values_have_their_type(text: str, value: object) -> None:
    """S0-06: null, bool, number and text are told apart."""
    assert parse_yaml(f"a: {text}", "") == {"a": value}


def test_keys_are_texts() -> None:
    """S0-06: what stands for a JSON object has text keys, also 200 and null."""
    assert parse_yaml("200: a\nnull: b\ntrue: c", "") == {"200": "a", "null": "b", "true": "c"}


def test_no_document_is_null() -> None:
    """An empty file, or one of comments only, holds nothing."""
    assert parse_yaml("# nothing\n", "") is None


def test_keys_keep_their_order() -> None:
    """D2: a manifest reads in the order it was designed."""
    assert write_yaml({"b": 1, "a": 2}) == "b: 1\na: 2\n"


def test_lines_are_written_as_lines() -> None:
    """D2: a text of several lines reads in a review, and other scripts stay themselves."""
    assert write_yaml({"a": "茶壶\nx\n"}) == "a: |\n  茶壶\n  x\n"


def test_a_value_that_comes_twice_is_written_twice() -> None:
    """What we refuse to read (aliases) we do not write."""
    part = ["x"]

    assert write_yaml([part, part]) == "- - x\n- - x\n"


@pytest.mark.parametrize(
    ("text", "place", "problem"),
    [
        ("a: 1\nb: 2\na: 3", "f.yaml:3:1", "'a' stands here twice"),
        ("x:\n  - {b: 1, b: 2}", "f.yaml:2:12", "'b' stands here twice"),
        ("a: &x 1\nb: *x", "f.yaml:1:4", "alias"),
        (MANY_LAUGHS, "f.yaml:1:4", "alias"),
        ("a: &a [*a]", "f.yaml:1:4", "alias"),
        ("a: !!python/object/apply:os.system [x]", "f.yaml:1:4", "python/object"),
        ("a: !!binary aGk=", "f.yaml:1:4", "binary"),
        ("a: !mine 1", "f.yaml:1:4", "!mine"),
        ("a: !!int x", "f.yaml:1:4", "invalid literal"),
        ("? [a]\n: 1", "f.yaml:1:3", "key must be a text"),
        ("a: [1\nb: 2", "f.yaml:2:2", "did not find expected"),
        ("a: 1\n---\nb: 2", "f.yaml:2:1", "another document"),
        ("[" * 5000, "f.yaml:1:1001", "depth"),
    ],
    ids=range(13),
)
def test_what_hides_or_changes_a_meaning_is_refused(text: str, place: str, problem: str) -> None:
    """S1-49, D19: the error names line and column and what is wrong there."""
    with pytest.raises(BadYamlError, match=problem) as caught:
        parse_yaml(text, "f.yaml")

    assert (caught.value.code, caught.value.where) == ("E102", place)


def test_a_control_character_is_refused() -> None:
    """D19: a character that no one can see does not get into a configuration."""
    with pytest.raises(BadYamlError, match="control characters are not allowed") as caught:
        parse_yaml("é: 1\né: \x07", "f.yaml")

    assert caught.value.where == "f.yaml:2:4"


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ((), 1),
        (("a",), 1),
        (("b", "c"), 3),
        (("b", "d", 1), 6),
        (("b", "x"), 2),
        (("b", "d", 9), 4),
    ],
)
def test_a_value_has_its_line(path: tuple[str | int, ...], line: int) -> None:
    """D18: an error can say where; what is not there has the line of what would hold it."""
    assert line_of("a: 1\nb:\n  c: 2\n  d:\n    - 3\n    - 4\n", path) == line
