"""Names say which values are credentials, and of which kind."""

import pytest

from envsvc.exchange.secret_names import (
    RULES,
    Kind,
    Names,
    RedactionRules,
    is_found_anywhere,
    is_once_value,
    is_plain_value,
    is_signing,
    is_token_value,
    terse_passwords,
)

DEFAULTS = Names(RedactionRules())

PASSWORDS = [
    "password", "new_password1", "passwordConfirm", "password_confirmation", "user.passwd", "pwd",
    "userpass", "pass", "pw", "passphrase", "Passcode", "currentPassword",
]  # fmt: skip
ONCE = [
    "csrfmiddlewaretoken", "_csrf", "@csrf", "X-CSRFToken", "XSRF-TOKEN", "authenticity_token",
    "__RequestVerificationToken", "_token", "_wpnonce", "nonce", "form_key", "form_build_id",
    "sesskey", "logintoken", "wpEditToken", "requesttoken", "csrf[token]", "code_verifier",
    "X-Amz-Signature", "X-Goog-Credential", "X-Amz-Security-Token", "sig", "Signature",
]  # fmt: skip
TOKENS = [
    "token", "access_token", "refreshToken", "api_key", "X-Api-Key", "client_secret", "secret",
    "Ocp-Apim-Subscription-Key", "secretKey", "private_key", "session_id", "PHPSESSID", "jwt",
    "credential", "SAMLResponse",
    "client_assertion", "aws_access_key_id", "sid", "appSecret",
]  # fmt: skip
OTHERS = [
    "passwordless", "password_hint", "csrf-param", "xsrfHeaderName", "xsrfCookieName", "q", "page",
    "tokens", "secretary", "monkey", "state", "p", "user", "a" * 60 + "password", "bypass",
]  # fmt: skip


@pytest.mark.parametrize(
    ("names", "kind"),
    [
        (PASSWORDS, Kind.PASSWORD),
        (ONCE, Kind.ONCE),
        (TOKENS, Kind.TOKEN),
        (OTHERS, None),
    ],
)
def test_a_field_is_known_by_its_name(names: list[str], kind: Kind | None) -> None:
    """D9: passwords, values made anew, tokens; in whatever case and punctuation."""
    assert [(name, DEFAULTS.field(name)) for name in names] == [(name, kind) for name in names]


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("X-Auth-Token", Kind.TOKEN),
        ("X-Password", Kind.TOKEN),
        ("X-CSRFToken", Kind.ONCE),
        ("Accept", None),
        ("Content-Type", None),
    ],
)
def test_a_header_is_known_by_its_name(name: str, kind: Kind | None) -> None:
    """D9: nobody types a header, so that a password in one identifies like a token."""
    assert DEFAULTS.header(name) is kind


@pytest.mark.parametrize(
    ("name", "kind"), [("sid", Kind.TOKEN), ("theme", Kind.TOKEN), ("csrftoken", Kind.ONCE)]
)
def test_a_cookie_identifies_unless_its_name_says_otherwise(name: str, kind: Kind) -> None:
    """D9: a CSRF cookie identifies nobody."""
    assert DEFAULTS.cookie(name) is kind


@pytest.mark.parametrize(
    ("name", "expected"), [("my_session", True), ("SID", True), ("side", False)]
)
def test_some_cookies_identify_by_name(name: str, *, expected: bool) -> None:
    """D9: in such a cookie even a word is a credential."""
    assert DEFAULTS.is_session(name) is expected


OWN = Names(
    RedactionRules(headers=("X-Mine",), cookies=("csrf-id",), fields=("ssn",), once=("stamp",))
)


@pytest.mark.parametrize(
    ("found", "kind"),
    [
        (OWN.header("x-mine"), Kind.TOKEN),
        (OWN.header("stamp"), Kind.ONCE),
        (OWN.cookie("csrf-id"), Kind.TOKEN),
        (OWN.cookie("stamp"), Kind.ONCE),
        (OWN.field("SSN"), Kind.TOKEN),
        (OWN.field("stamp"), Kind.ONCE),
        (OWN.field("password"), Kind.PASSWORD),
        (OWN.header("authorization"), Kind.TOKEN),
    ],
)
def test_own_rules_add_to_the_defaults(found: Kind | None, kind: Kind) -> None:
    """D9: giving a rule of one's own switches none off."""
    assert found is kind


def test_any_value_of_an_own_name_counts() -> None:
    """D9: the user said so."""
    assert (OWN.is_own("X_MINE"), OWN.is_own("password")) == (True, False)


def test_only_rules_that_exist_can_be_switched_off() -> None:
    """D9: a wrong id would leave the rule on, or worse, seem to."""
    rules = RedactionRules(off=("secret.cookie", "cookies"))

    assert list(rules.problems()) == [f"off: 'cookies' is no rule; there are {', '.join(RULES)}"]


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["u", "p"], {"p"}),
        (["email", "pw", "next"], {"pw"}),
        (["p", "q"], set()),
        (["user", "page"], set()),
    ],
)
def test_a_terse_name_is_a_password_beside_a_user(names: list[str], expected: set[str]) -> None:
    """D9: "p" alone is mostly a page."""
    assert terse_passwords(names) == expected


@pytest.mark.parametrize(
    ("name", "expected"), [("X-Amz-Signature", True), ("x-goog-credential", True), ("sig", False)]
)
def test_some_names_sign_a_url(name: str, *, expected: bool) -> None:
    """D9: any value of these is a signature."""
    assert is_signing(name) is expected


@pytest.mark.parametrize(
    ("value", "plain", "once", "token"),
    [
        ("dark", True, False, False),
        ("en-US", True, False, False),
        ("1", True, False, False),
        ("Sign in / Register", False, False, False),
        ("deleted", True, False, False),
        ("abc123", False, True, False),
        ("AbCdEfGh", False, True, False),
        ("abc12345", False, True, True),
        ("has a space 12345", False, False, False),
        ("abcdefghijklmnop", False, True, True),
        ("abc(1),def(2)", False, False, False),
    ],
)
def test_values_are_judged_by_their_look(
    value: str, *, plain: bool, once: bool, token: bool
) -> None:
    """D9: a word is no credential, whatever it is called."""
    assert (is_plain_value(value), is_once_value(value), is_token_value(value)) == (
        plain,
        once,
        token,
    )


@pytest.mark.parametrize(
    ("value", "is_odd"),
    [
        ("hunter2", False),
        ("hunter22", True),
        ("password", False),
        ("correcthorsebattery", True),
        ("k3y" * 5_000, True),
        ("k3y" * 6_000, False),
    ],
)
def test_a_long_or_odd_value_is_replaced_anywhere(value: str, *, is_odd: bool) -> None:
    """D9: a short or plain one occurs by chance, and none is as long as a page."""
    assert is_found_anywhere(value) is is_odd
