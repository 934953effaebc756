"""Credentials leave no trace: in their own place, and wherever else they occur."""

import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from envsvc.exchange.message import (
    Chunk,
    Exchange,
    Failure,
    Headers,
    Request,
    Response,
    WebSocketMessage,
)
from envsvc.exchange.redact import PASSWORD_PLACEHOLDER, Redactor
from tests.exchange.strategies import exchanges

TOKEN = "eyJhbGciOi.x8/Qz+4711=="
NAMED = {"shop_login": "p@ss w0rd/\"&<é>'~*!"}
SECRET = NAMED["shop_login"]
FORM: Headers = (("Content-Type", "application/x-www-form-urlencoded"),)
JSON: Headers = (("Content-Type", "application/json"),)
MULTIPART: Headers = (("Content-Type", "multipart/form-data; boundary=b"),)


def exchange(
    request: Request | None = None,
    answer: Response | Failure | None = None,
    messages: tuple[WebSocketMessage, ...] = (),
) -> Exchange:
    """Return an exchange of a plain request and answer, but for what is given."""
    return Exchange(
        started_us=0,
        duration_ms=0,
        request=request or Request(method="GET", url="http://shop.test/"),
        answer=answer or Response(status=200),
        messages=messages,
    )


def asking(headers: Headers) -> Exchange:
    """Return an exchange whose request has *headers*."""
    return exchange(Request(method="GET", url="http://shop.test/", headers=headers))


def answering(headers: Headers, body: bytes = b"") -> Exchange:
    """Return an exchange whose answer has *headers* and *body*."""
    return exchange(answer=Response(status=200, headers=headers, body=body))


def sending(headers: Headers, body: bytes) -> Request:
    """Return a request that sends *body*."""
    return Request(method="POST", url="http://shop.test/login", headers=headers, body=body)


def part(name: str, value: str) -> str:
    """Return a part of a form with a file in it."""
    return f'--b\r\nContent-Disposition: form-data; name="{name}"\r\nX-A: 1\r\n\r\n{value}\r\n'


# Headers


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        (("Authorization", f"Bearer {TOKEN}"), "Bearer redacted-authorization-1"),
        (("authorization", TOKEN), "redacted-authorization-1"),
        (("Proxy-Authorization", "Basic dTpw"), "Basic redacted-proxy-authorization-1"),
        (
            ("Cookie", f"sid={TOKEN}; theme=dark"),
            "sid=redacted-cookie-sid-1; theme=redacted-cookie-theme-2",
        ),
        (("Cookie", f'sid="{TOKEN}"'), 'sid="redacted-cookie-sid-1"'),
        (("Cookie", "gone=; flag"), "gone=; flag"),
        (("Cookie", "=x"), "=redacted-cookie-1"),
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
        ("sid=abc; Path=/; HttpOnly", "sid=redacted-cookie-sid-1; Path=/; HttpOnly"),
        ("sid=; Max-Age=0", "sid=; Max-Age=0"),
        ("sid=abc", "sid=redacted-cookie-sid-1"),
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
    set_first = redactor.exchange(answering((("Set-Cookie", "sid=one"),)))
    asked = redactor.exchange(asking((("Cookie", "sid=one"),)))

    assert isinstance(set_first.answer, Response)
    assert set_first.answer.headers[0][1] == asked.request.headers[0][1]


def test_two_values_have_two_placeholders() -> None:
    """D9: two people stay two people."""
    redacted = Redactor({}).exchange(asking((("Cookie", "a=one; b=two"),)))

    assert redacted.request.headers[0][1] == "a=redacted-cookie-a-1; b=redacted-cookie-b-2"


def test_numbers_go_on_where_an_earlier_recording_stopped() -> None:
    """A resumed recording gives no number twice."""
    redacted = Redactor({}, first_number=7).exchange(asking((("Cookie", "a=one"),)))

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


def test_a_request_keeps_its_headers() -> None:
    """At replay they only say how to read the body."""
    request = sending((*FORM, ("Cookie", "sid=abc")), b"password=abc")

    assert Redactor({}).request(request).headers == request.headers


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


# Everywhere (see also test_redact_everywhere)


def test_a_failure_does_not_tell_it_either() -> None:
    """A connection error may quote the URL."""
    failed = exchange(answer=Failure(kind="connect", message=f"no route for {SECRET}"))

    assert Redactor(NAMED).exchange(failed).answer == Failure(
        kind="connect", message="no route for redacted-secret-shop-login"
    )


@pytest.mark.parametrize("value", ["dark", "abc123", "language"])
def test_a_word_is_replaced_in_its_own_place_only(value: str) -> None:
    """A cookie of "dark" must not black out the word in every page."""
    redactor = Redactor({})
    redacted = redactor.exchange(answering((("Set-Cookie", f"a={value}"),), value.encode()))

    assert isinstance(redacted.answer, Response)
    assert redacted.answer.headers == (("Set-Cookie", "a=redacted-cookie-a-1"),)
    assert redacted.answer.body == value.encode()


@pytest.mark.parametrize("value", ["admin", "password", "secret", "cookie-"])
def test_a_secret_never_breaks_the_placeholders(value: str) -> None:
    """A named password that is a word of the placeholders is replaced in its own place only."""
    redactor = Redactor({"admin_password": value})
    once = redactor.request(sending(FORM, f"password={value}".encode()))

    assert once.body == b"password=redacted-secret-admin-password"
    assert redactor.request(once) == once


def test_every_replacement_is_counted_by_its_rule() -> None:
    """D2: the manifest says what was taken out, and how often."""
    redactor = Redactor({"key": "k3y-of-all"})
    redactor.exchange(
        exchange(
            sending((*FORM, ("Cookie", "a=1; b=2"), ("Authorization", "Basic x")), b"pwd=abc"),
            Response(
                status=200, headers=JSON, body=b'{"token":"abcdefghijklmnop"} k3y-of-all k3y-of-all'
            ),
        )
    )

    assert redactor.counts == {
        "secret.cookie": 2,
        "secret.header.authorization": 1,
        "secret.field.password": 1,
        "secret.field.token": 1,
        "secret.propagated": 3,
    }


# Streams


def chunked(pieces: list[bytes]) -> Exchange:
    """Return a stream of *pieces*, one second apart."""
    chunks = tuple(Chunk(t_ms=1000 * n, length=len(p)) for n, p in enumerate(pieces))
    return msgspec.structs.replace(answering((), b"".join(pieces)), chunks=chunks)


def pieces_of(stream: Exchange) -> list[bytes]:
    """Return the pieces that *stream* came in."""
    assert isinstance(stream.answer, Response)
    found, start = [], 0
    for chunk in stream.chunks:
        found.append(stream.answer.body[start : start + chunk.length])
        start += chunk.length
    return found


@pytest.mark.parametrize(
    ("pieces", "kept"),
    [
        ([b"a k3y-of-all b", b"c"], [b"a redacted-secret-key b", b"c"]),
        ([b"k3y-of-all", b"k3y-of-all"], [b"redacted-secret-key", b"redacted-secret-key"]),
        ([b"a k3y-", b"of-all b"], [b"a redacted-secret-key", b" b"]),
        ([b"a k3y-", b"of", b"-all"], [b"a redacted-secret-key", b"", b""]),
        ([b"", b"x"], [b"", b"x"]),
    ],
)
def test_a_stream_is_cut_at_the_same_places(pieces: list[bytes], kept: list[bytes]) -> None:
    """D9: chunk lengths follow the redacted bytes; a secret over a cut belongs to the first."""
    assert pieces_of(Redactor({"key": "k3y-of-all"}).exchange(chunked(pieces))) == kept


@given(st.lists(st.text("ab-1", max_size=8).map(str.encode), max_size=6))
def test_chunks_hold_the_whole_body(pieces: list[bytes]) -> None:
    """Whatever is replaced, no byte of the stream is lost or sent twice."""
    redacted = Redactor({"a": "ab", "b": "1-", "c": "a1b"}).exchange(chunked(pieces))

    assert isinstance(redacted.answer, Response)
    assert b"".join(pieces_of(redacted)) == redacted.answer.body


# Properties


WORDS = st.lists(
    st.sampled_from(
        [
            "k3y-of-all",
            "admin",
            "secret",
            "hunter2",
            "redacted-",
            "redacted-secret-boss",
            "cookie-",
            "abcdefghijklmnop",
            "4711-abc",
            "-",
            "/",
        ]
    ),
    max_size=3,
).map("".join)


@st.composite
def sensitive(draw: st.DrawFn) -> Exchange:
    """Return an exchange that is full of credentials, words like them, and halves of them."""
    form, pair = f"password={draw(WORDS)}&q={draw(WORDS)}", f'"token":"{draw(WORDS)}"'
    json_text = f'{{"pwd":"{draw(WORDS)}",{pair}}}'
    headers, body = draw(st.sampled_from([(FORM, form), (JSON, json_text), ((), form)]))
    asked = [("Cookie", f"sid={draw(WORDS)}; a={draw(WORDS)}"), ("Authorization", draw(WORDS))]
    told = (("Set-Cookie", f"sid={draw(WORDS)}; Path=/"), ("Location", f"/?{form}"), *JSON)
    url = f"http://shop.test/{draw(WORDS)}?pwd={draw(WORDS)}"
    return exchange(
        Request(method="POST", url=url, headers=(*asked, *headers), body=body.encode()),
        Response(status=200, headers=told, body=f"{draw(WORDS)} {json_text}".encode()),
    )


@given(exchanges() | sensitive())
def test_redacting_twice_is_redacting_once(recorded: Exchange) -> None:
    """D9: what is recorded stays as it is when it is read again."""
    redactor = Redactor({"admin_password": "admin", "boss": "secret", "key": "k3y-of-all"})
    once = redactor.exchange(recorded)

    assert redactor.exchange(once) == once


def test_reading_a_recording_changes_nothing() -> None:
    """D9: the redactor of a replay, which knows the same secrets, leaves placeholders alone."""
    shown = exchange(
        sending(
            (*FORM, ("Cookie", "sid=abc"), ("Authorization", f"Bearer {TOKEN}")), b"pwd=hunter2"
        ),
        Response(status=200, headers=(("Set-Cookie", f"sid={TOKEN}"),), body=SECRET.encode()),
    )
    named = {**NAMED, "admin": "hunter2"}
    once = Redactor(named).exchange(shown)

    assert Redactor(named).exchange(once) == once
