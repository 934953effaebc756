"""Placeholders have the shape of what they stand for, and are known again."""

import base64
import json

import pytest

from envsvc.exchange.placeholder import (
    holds_placeholder,
    holds_unknown,
    in_placeholder,
    is_json_web_token,
    is_placeholder,
    numbered_placeholder,
    numbers_in,
    once_placeholder,
    scrubbed_token,
    secret_placeholder,
    slug,
    unknown_placeholder,
    without_numbers,
)

UUID = "1b4e28ba-2fa1-11d2-883f-0016d3cca427"
HEADER = "eyJhbGciOiJIUzI1NiJ9"


def token(claims: object, header: str = HEADER) -> str:
    """Return a JSON web token with these *claims*."""
    return f"{header}.{encoded(json.dumps(claims, separators=(',', ':')))}.c2lnbmF0dXJl"


def encoded(text: str) -> str:
    """Return *text* as base64url without padding."""
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def claims_of(text: str) -> object:
    """Return what a reader of the token would see."""
    part = text.split(".")[1]
    return json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))


@pytest.mark.parametrize(
    ("name", "expected"),
    [("Shop Login", "shop-login"), ("@csrf", "csrf"), ("_", "value"), ("a" * 200, "a" * 80)],
)
def test_a_name_becomes_letters_digits_and_hyphens(name: str, expected: str) -> None:
    """D9: placeholders are safe in URLs, headers, HTML and JSON."""
    assert slug(name) == expected


def test_named_secrets_and_values_made_anew_have_one_placeholder() -> None:
    """D9: one for each name."""
    assert (secret_placeholder("Admin"), once_placeholder("_csrf")) == (
        "redacted-secret-admin",
        "redacted-once-csrf",
    )


def test_an_unknown_token_differs_from_every_other() -> None:
    """D3: two tokens that were not recorded never become one key."""
    one, other = (unknown_placeholder("token", value) for value in ("abc", "abd"))

    assert one != other
    assert one.startswith("redacted-token-x")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("s3cret/value", "redacted-cookie-sid-7"),
        (UUID, "7edac7ed-0000-4000-8000-000000000007"),
        ("1733028688", "7332242800000007"),
        ("1234567", "redacted-cookie-sid-7"),
        ("\N{SUPERSCRIPT TWO}" * 9, "redacted-cookie-sid-7"),
        ("eyJub3QiOjF9.x.y", "redacted-cookie-sid-7"),
        ("eyJub3Q.x.y", "redacted-cookie-sid-7"),
        ("eyJ!.x.y", "redacted-cookie-sid-7"),
    ],
)
def test_a_placeholder_has_the_shape_of_its_value(value: str, expected: str) -> None:
    """D9: what reads a UUID or a number still reads one."""
    assert numbered_placeholder(value, "cookie-sid", 7) == expected


def test_a_number_is_exact_in_javascript() -> None:
    """D9: a number above 2**53 would be another one after it was read."""
    assert int(numbered_placeholder("123456789", "x", 999_999)) < 2**53


def test_a_json_web_token_keeps_what_an_app_reads() -> None:
    """D9: header and claims stay, such as exp; the signature that makes it a credential goes."""
    value = token({"sub": "ann", "exp": 1774360515})

    assert numbered_placeholder(value, "token", 3) == f"{value.rpartition('.')[0]}.redacted-token-3"


def test_claims_that_are_credentials_go() -> None:
    """D9: the token's own number and tokens within it."""
    value = token({"name": "ann", "jti": "k1", "csrfToken": "k2", "sid": "k3"})

    assert claims_of(numbered_placeholder(value, "token", 1)) == {
        "name": "ann",
        "jti": "redacted",
        "csrfToken": "redacted",
        "sid": "redacted",
    }


def test_known_values_go_from_claims() -> None:
    """D9: a value once known is replaced wherever it occurs."""
    value = token({"name": "ann"})
    hidden = numbered_placeholder(value, "token", 1, lambda text: text.replace(b"ann", b"xyz"))

    assert claims_of(hidden) == {"name": "xyz"}
    assert claims_of(scrubbed_token(hidden, lambda text: text.replace(b"xyz", b"q"))) == {
        "name": "q"
    }


@pytest.mark.parametrize("payload", ["bm8", encoded("[1]"), encoded("{"), "a", ""])
def test_claims_that_cannot_be_read_become_empty(payload: str) -> None:
    """D9: nothing that was not looked at is kept."""
    assert claims_of(numbered_placeholder(f"{HEADER}.{payload}.c2ln", "token", 1)) == {}


def test_an_encrypted_token_keeps_its_header_alone() -> None:
    """RFC 7516: five parts, of which only the first can be read."""
    assert numbered_placeholder(f"{HEADER}.a.b.c.d", "token", 1) == (
        f"{HEADER}.redacted.redacted.redacted.redacted-token-1"
    )


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (token({}), True),
        (f"{HEADER}.a.b.c.d", True),
        (f"{HEADER}.a.b.c", False),
        (token({}, encoded('{"a":1}')), False),
        ("eyJh.b.c", False),
        ("x", False),
    ],
)
def test_a_json_web_token_names_its_algorithm(value: str, *, expected: bool) -> None:
    """RFC 7515 4.1.1: other signed values begin alike."""
    assert is_json_web_token(value) is expected


@pytest.mark.parametrize("value", ["secret", UUID, "17330286881", token({"a": 1})])
def test_placeholders_are_known_again(value: str) -> None:
    """D9: redacting redacted text changes nothing."""
    placeholder = numbered_placeholder(value, "token", 12)

    assert is_placeholder(placeholder)
    assert not is_placeholder(value)
    assert holds_placeholder(f"a {placeholder} b")
    assert not holds_placeholder(value)


@pytest.mark.parametrize(
    ("content", "part", "expected"),
    [
        (b"x redacted-token-1", b"token", True),
        (b"x redacted-token-1", b"redacted", True),
        (b"x redacted-token-1", b"x", False),
        (b"redacted-token=token", b"=token", False),
        (b"redacted- token", b"token", False),
        (b"token", b"token", False),
    ],
)
def test_a_part_of_a_placeholder_is_told_from_others(
    content: bytes, part: bytes, *, expected: bool
) -> None:
    """D9: a value that is a word of placeholders must not destroy them."""
    start = content.find(part)

    assert in_placeholder(content, start, start + len(part)) is expected


NUMBERED = b"redacted-cookie-s3-7 7edac7ed-0000-4000-8000-000000000012, 7332242800000003"


def test_numbers_are_found_in_every_shape() -> None:
    """D8: a resumed recording gives none of them twice."""
    assert list(numbers_in(NUMBERED + b" redacted-password redacted-once-csrf")) == [7, 12, 3]


def test_recordings_compare_without_numbers() -> None:
    """S3-07: each recording numbers anew, and that is no difference."""
    assert without_numbers(NUMBERED) == b"redacted-cookie-s3- 7edac7ed-0000-4000-8000-, 7332242800"


@pytest.mark.parametrize(
    ("text", "is_unknown"),
    [
        (f"/a?key={unknown_placeholder('token', 'abc')}&b=1", True),
        (f"/a?key={numbered_placeholder('abc', 'token', 1)}", False),
        ("redacted-token-x123", False),
        ("", False),
    ],
)
def test_what_was_not_recorded_is_recognised(text: str, *, is_unknown: bool) -> None:
    """D6: a miss can say that a credential is not known."""
    assert holds_unknown(text) is is_unknown
