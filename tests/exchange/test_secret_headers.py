"""Header lines: cookies, Authorization, and names that say so."""

import pytest

from envsvc.exchange.message import Headers
from envsvc.exchange.secret_headers import HeaderFinder
from envsvc.exchange.secret_names import RedactionRules
from envsvc.exchange.secret_places import Finder, Treat

SID = "S3cr3tSessionValue"


def finder(**rules: tuple[str, ...]) -> HeaderFinder:
    """Return a finder with *rules* beside the defaults."""
    return HeaderFinder(Finder(RedactionRules(**rules)))


def found(lines: Headers, **rules: tuple[str, ...]) -> list[tuple[Treat, str, str]]:
    """Return how each credential in what a client sends is treated, its label and itself."""
    return [
        (one.treat, one.label, line.content[one.start : one.end].decode("latin-1"))
        for line in finder(**rules).sent(lines)
        for one in line.found
    ]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (("Authorization", "Bearer abc"), (Treat.TOKEN, "authorization", "abc")),
        (("authorization", "abc"), (Treat.TOKEN, "authorization", "abc")),
        (("Authorization", "Basic dTpw"), (Treat.BASIC, "authorization", "dTpw")),
        (("Proxy-Authorization", "Basic x"), (Treat.TOKEN, "proxy-authorization", "x")),
        (("Authorization", "NTLM TlRM"), (Treat.ONCE, "authorization-ntlm", "TlRM")),
        (
            ("Authorization", 'Digest username="a", response="b"'),
            (Treat.ONCE, "authorization-digest", 'username="a", response="b"'),
        ),
        (("Cookie", f"sid={SID}"), (Treat.TOKEN, "cookie-sid", SID)),
        (("Cookie", f'a=1; sid="{SID}"'), (Treat.TOKEN, "cookie-sid", SID)),
        (("Cookie", "csrftoken=abc123; a=b"), (Treat.ONCE, "cookie-csrftoken", "abc123")),
        (
            ("Cookie", "csrf=redacted-once-cookie-csrf"),
            (Treat.ONCE, "cookie-csrf", "redacted-once-cookie-csrf"),
        ),
        (("Cookie", "session=lettersonly"), (Treat.TOKEN, "cookie-session", "lettersonly")),
        (("Set-Cookie", f"sid={SID}; Path=/"), (Treat.TOKEN, "cookie-sid", SID)),
        (("X-Auth-Token", "abc12345"), (Treat.TOKEN, "x-auth-token", "abc12345")),
        (("X-CSRFToken", "abc123"), (Treat.ONCE, "x-csrftoken", "abc123")),
        (("X-Other", "Bearer abc12345"), (Treat.TOKEN, "token", "abc12345")),
        (("Referer", "http://a.test/?password=abc"), (Treat.PASSWORD, "token", "abc")),
    ],
)
def test_a_line_shows_its_credential(
    line: tuple[str, str], expected: tuple[Treat, str, str]
) -> None:
    """S3-10: by the name of the header, and else as in any text."""
    assert found((line,)) == [expected]


@pytest.mark.parametrize(
    "line",
    [
        ("Accept", "text/html"),
        ("Authorization", ""),
        ("Cookie", "theme=dark; lang=en-US; n=12; gone=; flag; =x"),
        ("Set-Cookie", "sid=; Max-Age=0"),
        ("Set-Cookie", "sid=1; Path=/; Expires=Tue, 05 Aug 2025 04:00:54 GMT"),
        ("Cookie", "csrf=2"),
        ("Access-Control-Allow-Credentials", "true"),
        ("X-Api-Key", ""),
    ],
)
def test_plain_lines_have_none(line: tuple[str, str]) -> None:
    """D9: words, short numbers and deletions are kept, since scripts and people read them."""
    assert found((line,)) == []


@pytest.mark.parametrize(
    ("line", "rules"),
    [
        (("X-Mine", "m1"), {"headers": ("x-mine",)}),
        (("Cookie", "theme=dark"), {"cookies": ("theme",)}),
    ],
)
def test_own_names_count_with_any_value(
    line: tuple[str, str], rules: dict[str, tuple[str, ...]]
) -> None:
    """D9: user rules add to the defaults."""
    assert found((line,)) == []
    assert len(found((line,), **rules)) == 1


@pytest.mark.parametrize(
    ("line", "rule"),
    [
        (("Authorization", "Bearer abc"), "secret.header.authorization"),
        (("Cookie", f"sid={SID}"), "secret.cookie"),
        (("Cookie", "csrf=abc123"), "secret.cookie.once"),
        (("X-Auth-Token", "abc12345"), "secret.header.token"),
        (("X-CSRFToken", "abc123"), "secret.header.once"),
    ],
)
def test_a_rule_is_switched_off_by_its_id(line: tuple[str, str], rule: str) -> None:
    """D9: and by nothing else."""
    assert len(found((line,))) == 1
    assert found((line,), off=(rule,)) == []


def test_lookups_need_credentials_alone() -> None:
    """D4: cookies and Authorization are witnesses; no other line is looked at."""
    headers = (("Cookie", f"sid={SID}"), ("Referer", "http://a.test/?password=abc"), ("A", "b"))

    assert [line.index for line in finder().credentials(headers)] == [0]


def test_a_name_is_judged_once() -> None:
    """The same names come with every request of a page."""
    same = finder()
    headers = (("X-Auth-Token", "abc12345"),)

    assert list(same.sent(headers)) == list(same.sent(headers))


def test_answers_show_credentials_too() -> None:
    """S3-10: in Set-Cookie, and in where they lead."""
    headers = (("Location", "/cb?token=tok_9f8e7d6c5b4a"), ("Set-Cookie", f"t={SID}"))

    assert [len(line.found) for line in finder().shown(headers)] == [1, 1]
