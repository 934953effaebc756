"""A request body is what it means; what has no agreed meaning is its bytes."""

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envsvc.exchange.body import (
    FormBody,
    JsonBody,
    MultipartBody,
    RawBody,
    canonical_body,
)
from envsvc.exchange.message import Headers
from envsvc.exchange.multipart import Part

FORM: Headers = (("Content-Type", "application/x-www-form-urlencoded"),)
JSON: Headers = (("content-type", "application/json; charset=utf-8"),)
MULTIPART: Headers = (("Content-Type", "multipart/form-data; boundary=b"),)
PART = b'--b\r\nContent-Disposition: form-data; name="title"\r\n\r\ncat\r\n--b--\r\n'


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("sku=A1&note=two+words&qty=2", "qty=2&sku=A1&note=two%20words"),
        ("a=1&flag&c=", "a=1&flag&c="),
        ("a=1&flag", "flag=&a=1"),
    ],
)
def test_spellings_of_one_form_are_equal(one: str, other: str) -> None:
    """D3: pairs decoded, sorted by name."""
    assert canonical_body(FORM, one.encode()) == canonical_body(FORM, other.encode())


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("a=1&flag&c=", "a=1"),
        ("x=1&x=2", "x=2&x=1"),
        ("x=1&x=2", "x=1"),
        ("a=1%2B1", "a=1+1"),
        ("a=1", "a=2"),
    ],
)
def test_different_forms_stay_apart(one: str, other: str) -> None:
    """D3: blank values, repeated names and their order count."""
    assert canonical_body(FORM, one.encode()) != canonical_body(FORM, other.encode())


def test_a_form_is_its_pairs() -> None:
    """Sorted by name, decoded."""
    assert canonical_body(FORM, b"b=%C3%A9&a=1") == FormBody((("a", "1"), ("b", "é")))


@pytest.mark.parametrize("kind", ["application/json", "application/vnd.api+json"])
def test_a_json_body_is_its_canonical_text(kind: str) -> None:
    """D3: also for the types that are built on JSON (RFC 6839 3.1)."""
    body = canonical_body((("Content-Type", kind),), b'{ "b": 1.0, "a": true }')

    assert isinstance(body, JsonBody)
    assert body.text == '{"a":true,"b":1e0}'


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ('{"on":1}', '{"on":true}'),
        ('{"n":0}', '{"n":false}'),
        ('{"n":"1"}', '{"n":1}'),
        ('{"a":null}', "{}"),
        ('{"a":1,"a":2}', '{"a":2}'),
    ],
)
def test_different_json_bodies_stay_apart(one: str, other: str) -> None:
    """D3: types and repeated keys count."""
    assert canonical_body(JSON, one.encode()) != canonical_body(JSON, other.encode())


@pytest.mark.parametrize(
    "body", [b"{", b'{"a":1,"a":2}', b'"\xff"', b"[" * 100_000, b"1e" + b"9" * 30]
)
def test_json_that_does_not_parse_is_its_bytes(body: bytes) -> None:
    """D3: what a canonicaliser cannot parse is keyed by its bytes."""
    assert canonical_body(JSON, body) == RawBody(body)


@pytest.mark.parametrize(
    ("bare", "escaped"), [(b"name=\xe9", b"name=%E9"), ("name=é".encode(), b"name=%C3%A9")]
)
def test_a_bare_byte_in_a_form_is_its_escape(bare: bytes, escaped: bytes) -> None:
    """WHATWG URL 5.1: a form is read as bytes, in whatever charset."""
    assert canonical_body(FORM, bare) == canonical_body(FORM, escaped)


@pytest.mark.parametrize("headers", [(), FORM, JSON, MULTIPART, (("Content-Encoding", "gzip"),)])
def test_an_empty_body_equals_an_absent_one(headers: Headers) -> None:
    """A client that names a type for nothing asks no other question."""
    assert canonical_body(headers, b"") == RawBody(b"")


def test_a_multipart_body_is_its_parts() -> None:
    """D3: the boundary is none of it."""
    title = Part((("content-disposition", 'form-data; name="title"'),), b"cat")

    assert canonical_body(MULTIPART, PART) == MultipartBody((title,))


def test_multipart_without_a_boundary_is_its_bytes() -> None:
    """Nothing says where the parts end."""
    assert canonical_body((("Content-Type", "multipart/form-data"),), PART) == RawBody(PART)


def test_multipart_that_does_not_parse_is_its_bytes() -> None:
    """It was cut off."""
    assert canonical_body(MULTIPART, PART[:-4]) == RawBody(PART[:-4])


@given(st.binary(max_size=50))
def test_any_other_type_is_its_bytes(body: bytes) -> None:
    """White space in a text is part of the text."""
    assert canonical_body((("Content-Type", "text/plain"),), body) == RawBody(body)


def test_a_content_encoding_is_undone_first() -> None:
    """D3: two compressions of one document ask the same."""
    headers: Headers = (*JSON, ("Content-Encoding", "gzip"))
    fast, small = gzip.compress(b'{"q":1}', 1, mtime=1), gzip.compress(b'{"q": 1}', 9, mtime=2)

    assert fast != small
    assert canonical_body(headers, fast) == canonical_body(headers, small) == JsonBody('{"q":1e0}')


def test_what_is_not_in_its_encoding_is_its_bytes() -> None:
    """D3: the bytes as sent, and not what could be read of them."""
    headers: Headers = (*JSON, ("Content-Encoding", "br"))

    assert canonical_body(headers, b'{"q":1}') == RawBody(b'{"q":1}')


def test_the_id_of_a_json_rpc_call_does_not_count() -> None:
    """D3: answers echo the one that is asked."""
    one = canonical_body(JSON, b'{"jsonrpc":"2.0","id":1,"method":"get"}')
    other = canonical_body(JSON, b'{"jsonrpc":"2.0","id":2,"method":"get"}')

    assert one == other


def test_a_dialect_of_json_is_another_request() -> None:
    """RFC 7396: as a merge patch a document asks for something else than as itself."""
    patch = (("Content-Type", "application/merge-patch+json"),)

    assert canonical_body(patch, b'{"a":1}') != canonical_body(JSON, b'{"a":1}')
    assert canonical_body(patch, b'{"a":1}') == canonical_body(patch, b'{ "a": 1.0 }')
