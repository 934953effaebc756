"""Credentials leave no trace: in their own place, and wherever else they occur."""

import base64
import json

import pytest

from envsvc.exchange.message import (
    Exchange,
    Headers,
    Request,
    Response,
)
from envsvc.exchange.placeholder import PASSWORD_PLACEHOLDER
from envsvc.exchange.redact import Redactor
from envsvc.exchange.secret_shapes import basic_pair
from tests.exchange.redacting import (
    FORM,
    JSON,
    MULTIPART,
    SECRET,
    TOKEN,
    answering,
    asking,
    exchange,
    part,
    sending,
)

# Headers


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        (("Authorization", f"Bearer {TOKEN}"), "Bearer redacted-authorization-1"),
        (("authorization", TOKEN), "redacted-authorization-1"),
        (("Proxy-Authorization", "Basic x"), "Basic redacted-proxy-authorization-1"),
        (("Authorization", "Digest a=b"), "Digest redacted-once-authorization-digest"),
        (("Cookie", f"sid={TOKEN}; theme=dark"), "sid=redacted-cookie-sid-1; theme=dark"),
        (("Cookie", f'sid="{TOKEN}"'), 'sid="redacted-cookie-sid-1"'),
        (("Cookie", "csrftoken=abc123"), "csrftoken=redacted-once-cookie-csrftoken"),
        (("Cookie", "gone=; flag"), "gone=; flag"),
        (("X-Custom", "Bearer abcdefgh12345678"), "Bearer redacted-token-1"),
        (("X-CSRFToken", "abc123"), "redacted-once-x-csrftoken"),
        (("Accept", "text/html"), "text/html"),
        (
            ("Referer", "http://shop.test/?password=abc&x=1"),
            "http://shop.test/?password=redacted-password&x=1",
        ),
    ],
)
def test_a_request_header_loses_its_credential(sent: tuple[str, str], kept: str) -> None:
    """S3-10: token and cookie headers never enter a cassette; the rest of the line stays."""
    redacted = Redactor({}).exchange(asking((sent,)))

    assert redacted.request.headers == ((sent[0], kept),)


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ("sid=abc12; Path=/; HttpOnly", "sid=redacted-cookie-sid-1; Path=/; HttpOnly"),
        ("sid=; Max-Age=0", "sid=; Max-Age=0"),
        ("sid=abc12", "sid=redacted-cookie-sid-1"),
        ("sid=1; Path=/", "sid=1; Path=/"),
    ],
)
def test_a_cookie_that_is_set_loses_its_value(sent: str, kept: str) -> None:
    """S3-10: its attributes stay, so that a browser still keeps it."""
    redacted = Redactor({}).exchange(answering((("Set-Cookie", sent),)))

    assert isinstance(redacted.answer, Response)
    assert redacted.answer.headers == (("Set-Cookie", kept),)


def test_one_value_has_one_placeholder() -> None:
    """D9: who was the same while recording is the same at replay."""
    redactor = Redactor({})
    set_first = redactor.exchange(answering((("Set-Cookie", "sid=one-1"),)))
    asked = redactor.exchange(asking((("Cookie", "sid=one-1"),)))

    assert isinstance(set_first.answer, Response)
    assert set_first.answer.headers[0][1] == asked.request.headers[0][1]


def test_two_values_have_two_placeholders() -> None:
    """D9: two people stay two people."""
    redacted = Redactor({}).exchange(asking((("Cookie", "a=one-1; b=two-2"),)))

    assert redacted.request.headers[0][1] == "a=redacted-cookie-a-1; b=redacted-cookie-b-2"


def test_numbers_go_on_where_an_earlier_recording_stopped() -> None:
    """A resumed recording gives no number twice."""
    redacted = Redactor({}, first_number=7).exchange(asking((("Cookie", "a=one-1"),)))

    assert redacted.request.headers[0][1] == "a=redacted-cookie-a-7"


# Fields


@pytest.mark.parametrize(
    ("headers", "sent", "kept"),
    [
        (FORM, "user=ann&password=abc%21&x=1", f"user=ann&password={PASSWORD_PLACEHOLDER}&x=1"),
        (FORM, "new.Password2=abc", f"new.Password2={PASSWORD_PLACEHOLDER}"),
        (FORM, "password=&x=1", "password=&x=1"),
        (FORM, "passwordless=abc", "passwordless=abc"),
        (JSON, '{"pwd" : "a\\"b", "x":1}', f'{{"pwd" : "{PASSWORD_PLACEHOLDER}", "x":1}}'),
        (JSON, '{"pwd":""}', '{"pwd":""}'),
        (JSON, r'{"pwd":"a\qb"}', f'{{"pwd":"{PASSWORD_PLACEHOLDER}"}}'),
        (JSON, r'{"pwd":"\ud800"}', f'{{"pwd":"{PASSWORD_PLACEHOLDER}"}}'),
        (
            MULTIPART,
            part("passwd", "abc") + "--b--",
            part("passwd", PASSWORD_PLACEHOLDER) + "--b--",
        ),
        (MULTIPART, part("file", "a=b&c") + "--b--", part("file", "a=b&c") + "--b--"),
        (MULTIPART, part("passwd", "") + "--b--", part("passwd", "") + "--b--"),
        ((("Content-Type", "text/plain"),), "password=abc", "password=abc"),
        ((), "", ""),
    ],
)
def test_a_password_field_loses_its_value(headers: Headers, sent: str, kept: str) -> None:
    """D9: by field name, in forms, JSON and multipart; every other byte stays."""
    assert Redactor({}).request(sending(headers, sent.encode())).body.decode() == kept


def test_a_password_in_the_url_is_taken_out() -> None:
    """D9: a form sent with GET puts it there."""
    request = Request(method="GET", url="http://shop.test/login?user=a&password=abc#top")

    assert Redactor({}).request(request).url == (
        f"http://shop.test/login?user=a&password={PASSWORD_PLACEHOLDER}#top"
    )


def test_binary_parts_stay_as_they_are() -> None:
    """An upload that is no text and holds "=" is not changed by a bit."""
    photo = b'--b\r\nContent-Disposition: x; name="f"\r\n\r\n\xff\xd8\xff=\x00&\xfe\r\n--b--\r\n'

    assert Redactor({}).request(sending(MULTIPART, photo)).body == photo


def test_a_request_without_credentials_is_the_same_object() -> None:
    """Nothing to do costs nothing."""
    request = sending(JSON, b'{"q":1}')

    assert Redactor({}).request(request) is request


def test_what_was_not_recorded_stays_in_the_headers_of_a_lookup() -> None:
    """D4: a client with a session of its own is told from the recorded one."""
    headers = (*FORM, ("Cookie", "sid=abc-1234"), ("Authorization", "Bearer abc"), ("A", SECRET))
    request = sending(headers, b"password=abc")

    assert Redactor({}).request(request).headers == request.headers


def test_what_is_known_is_replaced_in_the_headers_of_a_lookup() -> None:
    """D4: the account of app.yaml shows the credentials that the recording shows."""
    basic = base64.b64encode(b"ann:hunter2").decode()
    request = sending((("Cookie", "a=b; key=hunter2"), ("Authorization", f"Basic {basic}")), b"")
    named = {"admin": "hunter2"}
    recorded = Redactor(named).exchange(exchange(request)).request

    assert Redactor(named).request(request) == recorded
    assert recorded.headers[0][1] == "a=b; key=redacted-secret-admin"
    assert basic_pair(recorded.headers[1][1].removeprefix("Basic ")) == (
        "ann",
        "redacted-secret-admin",
    )


def test_a_named_password_has_its_own_placeholder() -> None:
    """D9: the accounts of app.yaml stay apart, one sign-in is not another."""
    redactor = Redactor({"admin": "hunter2", "guest": "letmein"})
    bodies = [redactor.request(sending(FORM, b"pwd=" + p)).body for p in (b"hunter2", b"letmein")]

    assert bodies == [b"pwd=redacted-secret-admin", b"pwd=redacted-secret-guest"]


def test_a_secret_that_is_not_set_is_not_known() -> None:
    """An empty environment variable must not replace every empty text."""
    redactor = Redactor({"admin": ""})

    assert redactor.request(sending(FORM, b"pwd=abc")).body == b"pwd=redacted-password"


def test_a_recorded_placeholder_of_an_unset_secret_counts_as_any_password() -> None:
    """Who replays without the secret can still sign in with whatever they have."""
    recorded = sending(FORM, b"pwd=redacted-secret-admin")

    assert Redactor({"admin": ""}).request(recorded).body == b"pwd=redacted-password"


@pytest.mark.parametrize("field", ["access_token", "token", "apiKey", "client_secret"])
def test_a_token_that_is_handed_out_is_taken_out(field: str) -> None:
    """D9: by field name in a JSON answer, and then in what the client does with it."""
    redactor = Redactor({})
    token = "abcdefghijklmnop0123"
    answer = redactor.exchange(answering(JSON, json.dumps({field: token}).encode()))
    later = redactor.request(Request(method="GET", url=f"http://shop.test/?t={token}"))

    assert isinstance(answer.answer, Response)
    assert answer.answer.body == json.dumps({field: "redacted-token-1"}).encode()
    assert later.url == "http://shop.test/?t=redacted-token-1"


def test_a_short_token_is_no_credential() -> None:
    """A "token" of three letters is a word of the page."""
    body = b'{"token":"abc"}'

    assert Redactor({}).exchange(answering(JSON, body)).answer == Response(
        status=200, headers=JSON, body=body
    )


# Values made anew


PAGE: Headers = (("Content-Type", "text/html"),)


def page(token: str) -> Exchange:
    """Return a page with a form that sends *token*."""
    return answering(PAGE, f'<input type="hidden" name="_csrf" value="{token}">'.encode())


def test_a_form_is_the_same_from_any_rendering_of_its_page() -> None:
    """D9: its token is made anew each time, and identifies nobody."""
    redactor = Redactor({})
    pages = [redactor.exchange(page(token)) for token in ("AbCdEf123456", "GhIjKl789012")]
    posts = [
        redactor.exchange(exchange(sending(FORM, f"_csrf={token}&x=1".encode())))
        for token in ("AbCdEf123456", "GhIjKl789012")
    ]
    served = sending(FORM, b"_csrf=redacted-once-csrf&x=1")

    assert pages[0] == pages[1] == page("redacted-once-csrf")
    assert {post.request for post in posts} == {served}
    assert Redactor({}).request(served) == served


def test_a_token_in_a_hidden_field_is_replaced_under_any_name() -> None:
    """D9: scripts send it in headers, cookies and fields of other names."""
    redactor = Redactor({})
    redactor.exchange(page("AbCdEf123456"))
    sent = sending((*JSON, ("X-A", "AbCdEf123456")), b'{"t":"AbCdEf123456"}')
    redacted = redactor.exchange(exchange(sent)).request

    assert redacted.headers[1] == ("X-A", "redacted-once-csrf")
    assert redacted.body == b'{"t":"redacted-once-csrf"}'


def test_a_lookup_replaces_what_it_repeats_under_another_name() -> None:
    """D9: as the recording did, which had learnt the value from the very same request."""
    request = sending(FORM, b"password=s3cret-word&again=s3cret-word&x=other-word-1")
    recorded = Redactor({}).exchange(exchange(request)).request

    assert recorded.body == b"password=redacted-password&again=redacted-password&x=other-word-1"
    assert Redactor({}).request(request) == recorded


def test_a_lookup_does_not_depend_on_earlier_ones() -> None:
    """D5: the same request has the same key, whoever asked what before."""
    redactor = Redactor({})
    redactor.request(sending(FORM, b"password=s3cret-word"))
    search = Request(method="GET", url="http://shop.test/?q=s3cret-word")

    assert redactor.request(search) is search


# Shapes


def test_a_token_that_was_not_recorded_is_not_shown() -> None:
    """D6: a miss is reported with its URL; two such tokens stay two."""
    asked = [
        Redactor({}).request(Request(method="GET", url=f"http://shop.test/?api_key={key}")).url
        for key in ("abcdefgh12345678", "abcdefgh12345679")
    ]

    assert asked[0] != asked[1]
    assert "abcdefgh" not in asked[0]


def test_a_web_token_is_still_one() -> None:
    """D9: an app that reads its claims goes on working."""
    token = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl"
    redactor = Redactor({})
    redacted = redactor.exchange(answering(JSON, f'{{"token":"{token}"}}'.encode()))

    assert isinstance(redacted.answer, Response)
    assert (
        redacted.answer.body
        == b'{"token":"%b.redacted-token-1"}' % token.rpartition(".")[0].encode()
    )
    assert redactor.exchange(redacted) == redacted
