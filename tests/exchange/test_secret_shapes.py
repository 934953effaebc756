"""Some credentials are known by their shape alone."""

import base64

import pytest

from envsvc.exchange.secret_shapes import ANCHORS, basic_credentials, basic_pair, shaped_at

JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl"
PEM = "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----"


def found(text: str) -> str | None:
    """Return the first credential in *text*, looked for where its shape may begin."""
    content, lowered = text.encode(), text.lower().encode()
    for anchor, rule in ANCHORS.items():
        start = lowered.find(anchor)
        shaped = shaped_at(content, start, rule) if start >= 0 else None
        if shaped:
            return content[shaped.start : shaped.end].decode()
    return None


KEYS = [
    "sk_live_" + "a1" * 12, "rk_test_" + "a1" * 12, "whsec_" + "a1" * 12, "ghp_" + "a1" * 18,
    "github_pat_" + "a1" * 30, "glpat-" + "a1" * 10, "AKIA" + "A1" * 8, "ASIA" + "A1" * 8,
    "AIza" + "a1" * 17 + "b", "ya29." + "a1" * 12, "xoxb-123-" + "a1" * 8, "xapp-1-" + "a1" * 8,
    "npm_" + "a1" * 18, "pypi-AgEIcHlwaS5vcmc" + "a1" * 18, "SG." + "a1" * 10 + "." + "b2" * 10,
    "sk-ant-" + "a1" * 12, "sk-proj-" + "a1" * 12, "hf_" + "a1" * 17, "shpat_" + "a1" * 16,
    "dop_v1_" + "a1" * 32,
]  # fmt: skip


@pytest.mark.parametrize("key", [*KEYS, JWT])
@pytest.mark.parametrize("around", ["{}", '"{}"', "?ref={}&x=1", "key: {}."])
def test_a_key_is_known_by_its_beginning(key: str, around: str) -> None:
    """D9: under a harmless name it is a credential all the same."""
    assert found(around.format(key)) == key


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Bearer abcdefgh12345678", "abcdefgh12345678"),
        ('{"message":"bearer%20abcdefgh12345678"}', "abcdefgh12345678"),
        ("Bearer abcdefghijklmnopqrstuvwxyz", "abcdefghijklmnopqrstuvwxyz"),
        ("Bearer redacted-token-1", "redacted-token-1"),
        ("Basic dXNlcjpwYXNz", "dXNlcjpwYXNz"),
        (PEM, "\nMIIEow\n"),
    ],
)
def test_a_credential_is_found_behind_what_announces_it(text: str, expected: str) -> None:
    """D9: Bearer, Basic and PEM, in any header or text."""
    assert found(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "the bearer certificate is void",
        "forbearer abcdefgh12345678",
        "basic principles of it",
        "Basic abcd",
        "eyJhIjoxfQ.Zk3f.abc",
        "task-list-with-a-very-long-name-1",
        "ghp_short",
        "AKIAsmall",
        "-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----",
        "-----BEGIN PRIVATE KEY-----\ncut off",
        "-----BEGIN PRIVATE KEY----------END PRIVATE KEY-----",
        "nothing",
    ],
)
def test_words_are_no_credentials(text: str) -> None:
    """D9: what only looks alike stays as it is."""
    assert found(text) is None


@pytest.mark.parametrize(
    ("credentials", "expected"),
    [
        (base64.b64encode(b"ann:se:cret").decode(), ("ann", "se:cret")),
        (base64.b64encode(b"ann:??>>~~").decode().replace("/", "_"), ("ann", "??>>~~")),
        (base64.b64encode(b"key:").decode().rstrip("="), ("key", "")),
        (base64.b64encode(b"no colon").decode(), None),
        (base64.b64encode(b"a:\x00\x01").decode(), None),
        (base64.b64encode(b"a:\xff").decode(), None),
        ("no base64!", None),
        ("abcde", None),
    ],
)
def test_basic_credentials_are_a_user_and_a_password(
    credentials: str, expected: tuple[str, str] | None
) -> None:
    """RFC 7617 2."""
    assert basic_pair(credentials) == expected


def test_basic_credentials_are_written_as_they_are_read() -> None:
    """RFC 7617 2."""
    assert basic_pair(basic_credentials("ann", "é")) == ("ann", "é")
