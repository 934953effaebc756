"""JSON documents are equal by meaning: sorted keys, exact numbers, types kept apart."""

import json
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envsvc.exchange.json_text import MAX_DEPTH, NotCanonicalError, canonical_json, parse_json

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
DOCUMENTS = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)


def canonical(text: str) -> str:
    """Return the canonical text of the document in *text*."""
    return canonical_json(parse_json(text))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ('{"q":"a","n":1}', '{ "n": 1, "q": "a" }'),
        ('{"a":{"c":1,"b":[{"y":1,"x":2}]}}', '{"a":{"b":[{"x":2,"y":1}],"c":1}}'),
        ("1", "1.0"),
        ("1", "10e-1"),
        ("100", "1e2"),
        ("0.5", "0.50"),
        ("100000000000000000000", "1e20"),
        ("-0", "0"),
        ("-0.0", "0"),
        ("0e5", "0"),
        ("1E+2", "100"),
        (r'"\u00e9"', '"é"'),
        (r'"\ud83d\ude00"', '"😀"'),
    ],
)
def test_spellings_of_one_document_are_equal(one: str, other: str) -> None:
    """D3, S0-08, S1-35: key order, white space, escapes and number spelling mean nothing."""
    assert canonical(one) == canonical(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("1", "true"),
        ("0", "false"),
        ("1", '"1"'),
        ("null", '"null"'),
        ('{"a":null}', "{}"),
        ("{}", "null"),
        ("{}", "[]"),
        ("[1,2]", "[2,1]"),
        ("1", "-1"),
        ("1", "10"),
        ("0.1", "0.10000000000000001"),
        ("9007199254740993", "9007199254740992"),
        ("18446744073709551615", "18446744073709551614"),
        ('{"9007199254740992":1}', '{"9007199254740993":1}'),
        ('"é"', '"e\u0301"'),
        ('"a"', '"a "'),
        (r'"a\r\n"', r'"a\n"'),
        ('"A"', '"a"'),
    ],
)
def test_different_documents_stay_apart(one: str, other: str) -> None:
    """D3, S0-08: types, array order, code points and every digit count."""
    assert canonical(one) != canonical(other)


@given(DOCUMENTS)
def test_the_way_of_writing_means_nothing(document: object) -> None:
    """S0-08: sorted or not, indented or not, escaped or not: one text."""
    compact = json.dumps(document, separators=(",", ":"), ensure_ascii=False)
    airy = json.dumps(document, indent=3, sort_keys=True, ensure_ascii=True)

    assert canonical(compact) == canonical(airy)


@given(
    st.decimals(allow_nan=False, allow_infinity=False),
    st.decimals(allow_nan=False, allow_infinity=False),
)
def test_numbers_are_equal_by_exact_value(one: Decimal, other: Decimal) -> None:
    """D3: no rounding, whatever the number of digits."""
    assert (canonical(f"{one:E}") == canonical(f"{other:E}")) is (one == other)


@given(st.integers())
def test_an_integer_equals_itself_as_a_decimal(number: int) -> None:
    """S1-35: huge integers lose nothing."""
    assert canonical(str(number)) == canonical(f"{number}.000")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[1,]",
        "{'a':1}",
        "NaN",
        "[Infinity]",
        "-Infinity",
        '{"a":1,"a":2}',
        '{"x":{"a":1,"a":1}}',
        "1e9999999999999999999999",
        "0e9999999999999999999999",
        "1e-9999999999999999999999",
        "[" * 200_000,
    ],
)
def test_what_has_no_agreed_meaning_is_refused(text: str) -> None:
    """RFC 8259: a repeated key, a number that is none, text that is no JSON."""
    with pytest.raises(NotCanonicalError):
        parse_json(text)


def nested(depth: int) -> str:
    """Return a document of arrays and objects in one another, *depth* in all."""
    innermost = "[]" if depth % 2 else "null"
    return '[{"a":' * (depth // 2) + innermost + "}]" * (depth // 2)


def test_a_document_may_nest_up_to_the_bound() -> None:
    """No page or tool comes near it."""
    assert canonical(nested(MAX_DEPTH)) == nested(MAX_DEPTH)


@pytest.mark.parametrize("levels", [MAX_DEPTH + 1, 5_000])
def test_a_document_beyond_the_bound_is_refused(levels: int) -> None:
    """The same document is refused everywhere, whatever the caller's own depth."""
    # Python 3.12 itself gives up on the deepest one, while parsing.
    with pytest.raises(NotCanonicalError, match=r"levels deep|recursion"):
        canonical(nested(levels))


def test_a_huge_exponent_takes_no_room() -> None:
    """A number of a few characters must not be written out as a billion zeros."""
    assert canonical("1e999999999") == "1e999999999"
