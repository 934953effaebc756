"""What rules take out of bodies, and that they take nothing else."""

from decimal import Decimal

import pytest

from envsvc.cassette.ruled_body import (
    Steps,
    field_name,
    leaf_text,
    pointer_steps,
    with_unordered_xml,
    without_fields,
    without_json,
)
from envsvc.exchange.body import CanonicalBody, FormBody, MultipartBody, RawBody, canonical_body
from envsvc.exchange.json_text import Json
from envsvc.exchange.multipart import Part
from envsvc.exchange.shape import Shape

NAMED = 'form-data; name="stamp"'
STAMP = Part((("content-disposition", NAMED),), b"1767355200000")
FILE = Part((("content-disposition", 'form-data; name="file"; filename="name=stamp"'),), b"x")


def json_body(text: str) -> CanonicalBody:
    """Return *text* as a body that says it is JSON."""
    return canonical_body((("Content-Type", "application/json"),), text.encode())


def steps(pointer: str) -> Steps:
    """Return the tokens of a pointer that is one."""
    found = pointer_steps(pointer)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("pointer", "tokens"),
    [
        ("/ts", ("ts",)),
        ("/items/*/id", ("items", "*", "id")),
        ("/a~1b/c~0d", ("a/b", "c~d")),
        ("/~01", ("~1",)),
        ("/", ("",)),
        ("", None),
        ("ts", None),
        ("/a~2", None),
        ("$.ts", None),
    ],
)
def test_a_pointer_is_that_of_rfc_6901(pointer: str, tokens: Steps | None) -> None:
    """RFC 6901 3; the root is refused, since then nothing would decide."""
    assert pointer_steps(pointer) == tokens


@pytest.mark.parametrize(
    ("body", "pointer", "left"),
    [
        ('{"q":1,"ts":5}', "/ts", '{"q":1}'),
        ('{"q":1,"ts":{"a":1}}', "/ts", '{"q":1}'),
        ('{"q":{"ts":5,"x":1}}', "/q/ts", '{"q":{"x":1}}'),
        ('[{"id":1,"n":2},{"id":3}]', "/*/id", '[{"n":2},{}]'),
        ('[{"id":1},{"id":3}]', "/1/id", '[{"id":1},{}]'),
        ("[1,2]", "/*", "[null,null]"),
        ("[1,2]", "/0", "[null,2]"),
        ('{"*":1,"a":1}', "/*", '{"a":1}'),
        ('{"q":1}', "/ts", '{"q":1}'),
        ('{"ts":5}', "/ts/deeper", '{"ts":5}'),
        ("[1]", "/7", "[1]"),
        ('[{"a":1}]', "/*/b", '[{"a":1}]'),
        ("7", "/a", "7"),
    ],
)
def test_a_value_leaves_a_document_by_pointer(body: str, pointer: str, left: str) -> None:
    """D3: an array keeps its length, and all the rest counts."""
    assert without_json(json_body(body), [steps(pointer)], None) == json_body(left)


@pytest.mark.parametrize(
    ("body", "left"),
    [
        ('{"ts":1767355200000}', "{}"),
        ('{"ts":"2026-01-02T12:00:00Z"}', "{}"),
        ('{"ts":5}', '{"ts":5}'),
        ('{"ts":null}', '{"ts":null}'),
        ('{"ts":{"a":1}}', '{"ts":{"a":1}}'),
        ('{"ts":1e999999}', '{"ts":1e999999}'),
    ],
)
def test_a_value_of_another_shape_stays(body: str, left: str) -> None:
    """D3: a limit by shape holds for texts and numbers alike."""
    assert without_json(json_body(body), [steps("/ts")], Shape.TIME) == json_body(left)


def test_an_element_of_another_shape_stays() -> None:
    """Each is looked at by itself."""
    body = json_body('[1767355200000,"red"]')

    assert without_json(body, [steps("/*")], Shape.TIME) == json_body('[null,"red"]')


def test_json_that_does_not_say_so_is_read_too() -> None:
    """A beacon is sent as text."""
    raw = RawBody(b'{"q":1,"ts":5}')

    assert without_json(raw, [steps("/ts")], None) == json_body('{"q":1}')


@pytest.mark.parametrize(
    "body",
    [
        RawBody(b"\xff"),
        RawBody(b"text"),
        RawBody(b"7"),
        RawBody(b"[5," + b"[" * 300 + b"]" * 301),
        FormBody((("ts", "5"),)),
    ],
)
def test_what_is_no_document_stays(body: CanonicalBody) -> None:
    """Its bytes mean themselves."""
    assert without_json(body, [steps("/ts"), steps("/0")], None) == body


def test_a_form_field_leaves_by_name_and_shape() -> None:
    """D3: repeated ones are looked at one by one."""
    form = FormBody((("stamp", "1767355200000"), ("stamp", "x"), ("q", "1")))

    assert without_fields(form, ["stamp"], Shape.TIME) == FormBody((("stamp", "x"), ("q", "1")))


def test_a_part_of_that_name_leaves_too() -> None:
    """RFC 7578: the same form, encoded otherwise."""
    assert without_fields(MultipartBody((STAMP, FILE)), ["stamp"], None) == MultipartBody((FILE,))


def test_a_part_of_another_shape_stays() -> None:
    """As for other fields."""
    body = MultipartBody((STAMP,))

    assert without_fields(body, ["stamp"], Shape.UUID) == body


def test_what_is_no_form_stays() -> None:
    """There are no fields in it."""
    assert without_fields(RawBody(b"stamp=1"), ["stamp"], None) == RawBody(b"stamp=1")


@pytest.mark.parametrize(
    ("disposition", "name"),
    [
        (NAMED, "stamp"),
        ("form-data; name=stamp", "stamp"),
        ('form-data; filename="a"; NAME = "n"', "n"),
        ('form-data; name=""', ""),
        ("attachment", ""),
    ],
)
def test_a_part_is_called_by_its_disposition(disposition: str, name: str) -> None:
    """RFC 7578 4.2."""
    assert field_name(Part((("content-disposition", disposition),), b"")) == name


def test_xml_is_compared_by_its_text_where_a_rule_says_so() -> None:
    """D3: only there."""
    one, other = RawBody(b"<s><a/><b/></s>"), RawBody(b"<s><b/><a/></s>")

    assert with_unordered_xml(one, ["s"]) == with_unordered_xml(other, ["s"]) != one


@pytest.mark.parametrize("body", [RawBody(b"no xml"), FormBody((("a", "1"),))])
def test_what_is_no_xml_stays(body: CanonicalBody) -> None:
    """Its bytes mean themselves."""
    assert with_unordered_xml(body, ["*"]) == body


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("a", "a"),
        (Decimal(1507495059747), "1507495059747"),
        (Decimal("1.5E+3"), "1500"),
        (Decimal("1E+99"), "1E+99"),
        (True, None),
        (None, None),
        ([], None),
        ({}, None),
    ],
)
def test_texts_and_numbers_have_a_text(value: Json, text: str | None) -> None:
    """A number is written out, unless that would be endless."""
    assert leaf_text(value) == text
