"""Credentials stand beside names in forms, JSON, pages, scripts and URLs."""

import pytest

from envsvc.exchange.secret_names import RedactionRules
from envsvc.exchange.secret_places import (
    Finder,
    Found,
    Medium,
    Treat,
    medium_of,
    plain_text,
    without_userinfo,
)

FINDER = Finder(RedactionRules())
CSRF = "zNTfoTpIFizn1nBb"
TOKEN = "tok-9f8e7d6c5b4a3210"


def values(content: str, found: list[Found]) -> list[tuple[Treat, str, str]]:
    """Return how each credential is treated, its label, and what stands in its place."""
    raw = content.encode()
    return [(one.treat, one.label, raw[one.start : one.end].decode()) for one in found]


def in_text(content: str, medium: Medium = Medium.PAGE) -> list[tuple[Treat, str, str]]:
    """Return the credentials of any text."""
    return values(content, FINDER.in_text(content.encode(), medium))


# Pages


@pytest.mark.parametrize(
    ("page", "label"),
    [
        ('<input type="hidden" name="csrfmiddlewaretoken" value="{}">', "csrfmiddlewaretoken"),
        ('<input value="{}" type=hidden name="_token">', "_token"),
        ("<input name=csrf value='{}'/>", "csrf"),
        ("<input name=csrf value={}>", "csrf"),
        ('<input\n name="@csrf"\n type="hidden"\n value="{}">', "@csrf"),
        ('<input type="hidden" name="token" value="{}">', "token"),
        ('<meta name="csrf-token" content="{}">', "csrf-token"),
        ('<div data-csrf-token="{}">', "data-csrf-token"),
        ('<script nonce="{}" src="a.js">', "nonce"),
        ("script-src 'nonce-{}' 'self'", "nonce"),
        (r"{{\"html\": \"<input name=\\\"csrf\\\" value=\\\"{}\\\">\"}}", "csrf"),
        ('<script>window.csrfToken = "{}";</script>', "csrfToken"),
        ("<script>var c = {{_csrf:'{}'}}</script>", "_csrf"),
        ('<a href="/logout?_wpnonce={}&amp;x=1">', "_wpnonce"),
        ("<a href=/go?next=%2Fa%3Fcsrf%3D{}%26b>", "csrf"),
        ('data.append("csrf_token", "{}")', "csrf_token"),
        ('<i data-x="&quot;csrf&quot;:&quot;{}&quot;">', "csrf"),
        ("<csrf>{}</csrf>", "csrf"),
    ],
)
def test_a_value_made_anew_is_found_in_a_page(page: str, label: str) -> None:
    """D9: in hidden fields, meta tags, attributes, scripts, links and policies."""
    assert in_text(page.format(CSRF)) == [(Treat.ONCE, label, CSRF)]


@pytest.mark.parametrize(
    "page",
    [
        '<meta name="csrf-param" content="authenticity_token">',
        '<input type="hidden" name="csrf" value="">',
        '<input type="hidden" name="csrf">',
        '<input name="csrf"',
        'xsrfCookieName:"XSRF-TOKEN"',
        '<input type="password" name="password" value="">',
        '{"password":"Passwort1234","forgotPassword":"Vergessen?"}',
        'token: "delimiter.parenthesis"',
        '<i class="token">',
        '<p>Your token is "not here"</p>',
        '"csrf":"unclosed12345',
        '"csrf":""',
        '("csrf")',
        "csrf",
        "<csrf>",
        "<csrf></csrf>",
        "nonce-sense-and-more",
        "the csrf: a story",
    ],
)
def test_words_of_a_page_stay(page: str) -> None:
    """D9: a name that names no token, and a value that is a word."""
    assert in_text(page) == []


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{{"a":{{"access_token":"{}"}}}}', TOKEN),
        ('{{"token" : "{}"}}', "abcdefghijklmnop"),
        ('{{"api_key": {}}}', "123456789012"),
        ('{{"apiKey":"{}"}}', "a\\/b+c12345678"),
        (r'{{"x":"{{\"token\":\"{}\"}}"}}', TOKEN),
    ],
)
def test_a_token_is_found_in_data(text: str, value: str) -> None:
    """D9: at any depth, be it a text or a number."""
    assert in_text(text.format(value), Medium.DATA) == [(Treat.TOKEN, "token", value)]


@pytest.mark.parametrize(
    "text",
    [
        "r=http%3A%2F%2Fa%2F%3Fapi_key%3D{}",
        "r=http%253A%252F%252Fa%252F%253Fapi_key%253D{}",
        "q=%7B%22api_key%22%3A%22{}%22%7D",
        "q=%257B%2522api_key%2522%253A%2522{}%2522%257D",
    ],
)
def test_a_token_is_found_within_escapes(text: str) -> None:
    """D9: in a URL within a URL, and within one of that."""
    assert in_text(text.format(TOKEN), Medium.SENT) == [(Treat.TOKEN, "token", TOKEN)]


@pytest.mark.parametrize("escape", ["%3F", "%253F", "%25253F"])
def test_an_escape_is_no_part_of_a_name(escape: str) -> None:
    """D9: the placeholder is named after the field."""
    text = f"{escape}csrf_token%3D{CSRF}"

    assert in_text(text, Medium.SENT) == [(Treat.ONCE, "csrf_token", CSRF)]


def test_a_number_is_bare() -> None:
    """D9: what takes its place must be JSON, too."""
    found = FINDER.in_text(b'{"token": 123456789012, "csrf":"123456789"}', Medium.DATA)

    assert [one.is_bare for one in found] == [True, False]


@pytest.mark.parametrize(
    ("kind", "medium"),
    [
        ("application/json", Medium.DATA),
        ("application/vnd.api+json", Medium.DATA),
        ("text/plain", Medium.DATA),
        ("text/javascript", Medium.SCRIPT),
        ("text/html", Medium.PAGE),
        ("", Medium.PAGE),
    ],
)
def test_a_media_type_says_what_a_text_is(kind: str, medium: Medium) -> None:
    """D9: what is not known is read as a page."""
    assert medium_of(kind) is medium


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        (f'{{token:"{TOKEN}"}}', [(Treat.TOKEN, "token", TOKEN)]),
        ('{token:"oauth2-access-token-v2"}', []),
        ('{token:"f81d4fae7dec11d0"}', []),
        (f'{{password:"{TOKEN}"}}', []),
        (f'{{csrf:"{CSRF}"}}', [(Treat.ONCE, "csrf", CSRF)]),
        ('{csrf:"abcdefghijklmnopq"}', []),
        ('{csrf:"abc12"}', []),
        ('{csrf:"redacted-once-csrf"}', [(Treat.ONCE, "csrf", "redacted-once-csrf")]),
    ],
)
def test_a_script_names_many_things(script: str, expected: list[tuple[Treat, str, str]]) -> None:
    """D9: only what is sure is taken out of a program."""
    assert in_text(script, Medium.SCRIPT) == expected


def test_shapes_are_found_in_any_text() -> None:
    """D9: under whatever name."""
    assert in_text("x ghp_a1b2c3d4e5f6a7b8c9 Basic dTpw eyJx") == [
        (Treat.TOKEN, "token", "ghp_a1b2c3d4e5f6a7b8c9"),
        (Treat.BASIC, "token", "dTpw"),
    ]


def test_a_password_in_front_of_a_host_is_found() -> None:
    """RFC 3986 3.2.1."""
    assert in_text("see http://ann:s3cret@a.test/x and me@b.test") == [
        (Treat.PASSWORD, "password", "s3cret")
    ]


# What clients send


def sent(content: str) -> list[tuple[Treat, str]]:
    """Return the credentials of what a client sends as text."""
    found = FINDER.in_text(content.encode(), Medium.SENT)
    return [(treat, value) for treat, _, value in values(content, found)]


@pytest.mark.parametrize(
    "text",
    [
        "<wsse:Password Type='x'>{}</wsse:Password>",
        r'{{"body":"{{\"password\":\"{}\"}}"}}',
        "data=%7B%22password%22%3A%22{}%22%7D",
    ],
)
def test_a_password_is_found_in_what_is_packed_in_texts(text: str) -> None:
    """D9: XML, JSON within JSON, JSON within a form."""
    assert sent(text.format("s3cret")) == [(Treat.PASSWORD, "s3cret")]


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ("user=ann&password=abc%21&x=1", [(Treat.PASSWORD, "abc!")]),
        ("password=&x=1", []),
        (f"%40csrf={CSRF}&a", [(Treat.ONCE, CSRF)]),
        ("csrf=wrong", []),
        ("u=ann&p=abc", [(Treat.PASSWORD, "abc")]),
        ("q=ann&p=2", []),
        (f"token={TOKEN}", [(Treat.TOKEN, TOKEN)]),
        ("X-Amz-Signature=aaaa", [(Treat.ONCE, "aaaa")]),
        ("u=ann&p=abc&long=" + "x" * 5000, []),
    ],
)
def test_a_form_is_read_by_its_names(form: str, expected: list[tuple[Treat, str]]) -> None:
    """D9: values keep their spelling until they are replaced."""
    found = FINDER.in_form(form.encode())

    assert [(one.treat, one.value) for one in found] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r'{"pwd" : "a\"bé"}', [(Treat.PASSWORD, 'a"bé', False)]),
        ('{"a":[{"password":1234}]}', [(Treat.PASSWORD, "1234", True)]),
        ('{"u":"a","p":"b"}', [(Treat.PASSWORD, "b", False)]),
        ('{"p":"b"}', []),
        ('{"u":"a","p":"b","x":"' + "x" * 5000 + '"}', []),
        ('{"password":null,"pwd":""}', []),
        (r'{"pwd":"a\qb"}', [(Treat.PASSWORD, r"a\qb", False)]),
        (r'{"pwd":"\ud800"}', [(Treat.PASSWORD, "?", False)]),
    ],
)
def test_json_is_read_by_its_names(text: str, expected: list[tuple[Treat, str, bool]]) -> None:
    """D9: at any depth, be it a text or a number."""
    found = FINDER.in_json(text.encode())

    assert [(one.treat, one.value, one.is_bare) for one in found] == expected


def test_multipart_is_read_by_the_names_of_its_parts() -> None:
    """D9: only the value, whatever its boundary and other headers; a file is none."""
    body = (
        b'--b\r\nContent-Disposition: form-data; name="password"\r\nX-A: 1\r\n\r\ns3cret\r\n'
        b'--b\r\nContent-Disposition: form-data; name="f"; filename="x"\r\n\r\n\xff\xd8=\x00&\r\n'
        b'--b\r\nContent-Disposition: form-data; name="_csrf"\r\n\r\nAbCd1234\r\n'
        b'--b\r\nContent-Disposition: form-data; name="pwd"\r\n\r\n\r\n--b--\r\n'
    )
    found = FINDER.in_multipart(body)

    assert [body[one.start : one.end] for one in found] == [b"s3cret", b"AbCd1234"]


def test_a_query_is_read_by_its_names() -> None:
    """D9: a form that is sent with GET, and path parameters as in any text."""
    url = f"http://a.test/p;jsessionid={TOKEN}?a=1&password=x#y"
    found = FINDER.in_url(url.encode())

    assert values(url, found) == [
        (Treat.TOKEN, "token", TOKEN),
        (Treat.PASSWORD, "token", "x"),
    ]


def test_own_names_are_found_in_any_text() -> None:
    """D9: user rules add to the defaults, with any value."""
    finder = Finder(RedactionRules(fields=("ssn",), once=("stamp",)))
    page = b'<input name="stamp" value="ab"> {"ssn":"cd"}'

    assert [found.value for found in finder.in_text(page, Medium.PAGE)] == ["ab", "cd"]


@pytest.mark.parametrize(
    ("content", "rule"),
    [
        (b"password=abc", "secret.field.password"),
        (b"x=Bearer+abc12345", "secret.shape.bearer"),
        (b"x=http://a:b@c.test/", "secret.url.userinfo"),
    ],
)
def test_a_rule_is_switched_off_by_its_id(content: bytes, rule: str) -> None:
    """D9: and by nothing else."""
    assert [one.rule for one in FINDER.in_form(content)] == [rule]
    assert Finder(RedactionRules(off=(rule,))).in_form(content) == []


@pytest.mark.parametrize(
    ("raw", "plain"),
    [(b"a&amp;b", "a&b"), (rb"a\u0026b", "a&b"), (b"a\xff", "a\ufffd"), (b"a", "a")],
)
def test_escapes_of_pages_are_undone(raw: bytes, plain: str) -> None:
    """D9: what is learnt is what the value means."""
    assert plain_text(raw) == plain


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://ann:pw@a.test/a@b", ("http://a.test/a@b", "ann:pw")),
        ("http://ann@a.test/", ("http://a.test/", "ann")),
        ("http://a.test/@x", ("http://a.test/@x", "")),
        ("about:blank", ("about:blank", "")),
    ],
)
def test_userinfo_is_taken_off_a_url(url: str, expected: tuple[str, str]) -> None:
    """RFC 3986 3.2.1: it never crosses the wire in a request target."""
    assert without_userinfo(url) == expected
