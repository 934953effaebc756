"""More of what redaction takes out, and what it leaves."""

import base64
import gzip

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
from envsvc.exchange.redact import Redactor
from envsvc.exchange.secret_names import RedactionRules
from envsvc.exchange.secret_shapes import basic_pair
from tests.exchange.redacting import (
    FORM,
    JSON,
    NAMED,
    SECRET,
    TOKEN,
    answering,
    asking,
    exchange,
    sending,
)
from tests.exchange.strategies import exchanges

PAGE: Headers = (("Content-Type", "text/html"),)


def test_a_number_stays_json() -> None:
    """D9: in the place of a number stands a number, or a quoted text."""
    body = b'{"password": 1234, "token": 123456789012}'

    assert Redactor({}).exchange(exchange(sending(JSON, body))).request.body == (
        b'{"password": "redacted-password", "token": 7332242800000001}'
    )


def test_userinfo_is_not_stored() -> None:
    """RFC 3986 3.2.1: it is no part of what is asked, and its password is a credential."""
    request = Request(method="GET", url="http://ann:s3cret-pw@shop.test/?q=s3cret-pw")
    redactor = Redactor({})

    assert redactor.exchange(exchange(request)).request.url == (
        "http://shop.test/?q=redacted-password"
    )
    assert redactor.counts["secret.url.userinfo"] == 1


def test_userinfo_in_a_page_is_counted_once() -> None:
    """D2: reading a recording again finds a placeholder there."""
    redactor = Redactor({})
    once = redactor.exchange(answering(PAGE, b"http://ann:s3cret-pw@shop.test/"))

    assert redactor.exchange(once) == once
    assert redactor.counts["secret.url.userinfo"] == 1


@pytest.mark.parametrize(
    ("credentials", "kept"),
    [
        ("ann:hunter22", ("ann", "redacted-password")),
        ("sk_live_abc12345:", ("redacted-authorization-1", "")),
        (":", ("", "")),
    ],
)
def test_basic_credentials_keep_their_user(credentials: str, kept: tuple[str, str]) -> None:
    """D4: who asks is told by the name; a key without a password is itself the credential."""
    sent = asking((("Authorization", f"Basic {base64.b64encode(credentials.encode()).decode()}"),))
    redactor = Redactor({})
    once = redactor.exchange(sent)

    assert basic_pair(once.request.headers[0][1].removeprefix("Basic ")) == kept
    assert redactor.exchange(once) == once


# Bodies


def packed(body: bytes, coding: str = "gzip") -> Request:
    """Return a request whose JSON *body* is packed."""
    return sending((*JSON, ("Content-Encoding", coding)), body)


def test_a_packed_body_is_looked_into() -> None:
    """D9: what is replaced is stored unpacked, and says so."""
    redacted = Redactor({}).request(packed(gzip.compress(b'{"pwd":"abc"}')))

    assert (redacted.headers, redacted.body) == (JSON, b'{"pwd":"redacted-password"}')


@pytest.mark.parametrize(
    "request_", [packed(gzip.compress(b'{"a":"abc"}')), packed(b"not packed"), packed(b"")]
)
def test_a_packed_body_without_credentials_stays_packed(request_: Request) -> None:
    """D9: every byte that is no credential stays."""
    assert Redactor({}).request(request_) is request_


def test_json_is_known_without_its_type() -> None:
    """D9: scripts often send it as plain text."""
    sent = sending((("Content-Type", "text/plain"),), b' {"pwd":"abc"}')

    assert Redactor({}).request(sent).body == b' {"pwd":"redacted-password"}'


@pytest.mark.parametrize("kind", ["image/png", "application/octet-stream"])
def test_names_are_not_looked_for_in_binary_bodies(kind: str) -> None:
    """D9: what is known is replaced all the same."""
    headers: Headers = (("Content-Type", kind),)
    body = b'\x00"csrf":"AbCdEf123456" k3y-of-all'
    both = exchange(sending(headers, body), Response(status=200, headers=headers, body=body))
    redacted = Redactor({"key": "k3y-of-all"}).exchange(both)
    kept = b'\x00"csrf":"AbCdEf123456" redacted-secret-key'

    assert redacted.request.body == kept
    assert isinstance(redacted.answer, Response)
    assert redacted.answer.body == kept


def test_a_drawing_is_a_text() -> None:
    """D9: SVG holds scripts, as a page does."""
    headers: Headers = (("Content-Type", "image/svg+xml"),)
    redacted = Redactor({}).exchange(answering(headers, b'<a nonce="AbCdEf123456">'))

    assert isinstance(redacted.answer, Response)
    assert redacted.answer.body == b'<a nonce="redacted-once-nonce">'


def test_a_script_is_read_with_care() -> None:
    """D9: a name in a program is mostly a name."""
    script = b'{token:"a1b2c3d4e5f6g7h8",csrf:"AbCdEf123456"}'
    redacted = Redactor({}).exchange(answering((("Content-Type", "text/javascript"),), script))

    assert isinstance(redacted.answer, Response)
    assert redacted.answer.body == b'{token:"a1b2c3d4e5f6g7h8",csrf:"redacted-once-csrf"}'


def test_messages_are_read_like_bodies() -> None:
    """D9: what a client says is sent, what it hears is shown."""
    said = b'{"password":"abc","token":"a1b2c3d4e5f6g7h8"}'
    talk = tuple(
        WebSocketMessage(from_client=from_client, text=True, content=said, t_ms=1)
        for from_client in (True, False)
    )
    redacted = Redactor({}).exchange(exchange(messages=talk))

    assert [message.content for message in redacted.messages] == [
        b'{"password":"redacted-password","token":"redacted-token-1"}',
        b'{"password":"abc","token":"redacted-token-1"}',
    ]


def test_a_cookie_is_known_unescaped_as_well() -> None:
    """D9: a script decodes the cookie, and sends what it means."""
    redactor = Redactor({})
    redacted = redactor.exchange(answering((("Set-Cookie", "a=x%2Fy-1234"),), b"x/y-1234"))

    assert isinstance(redacted.answer, Response)
    assert redacted.answer.body == b"redacted-cookie-a-1"


def test_own_rules_add_to_the_defaults() -> None:
    """D9: a rule of one's own switches none off."""
    rules = RedactionRules(headers=("X-Mine",))
    sent = asking((("Authorization", "Bearer abc"), ("X-Mine", "m1m2m3m4")))

    assert Redactor({}, 1, rules).exchange(sent).request.headers == (
        ("Authorization", "Bearer redacted-authorization-1"),
        ("X-Mine", "redacted-x-mine-2"),
    )


def test_reading_again_counts_again() -> None:
    """D2: the last reading alone says what is stored; what it cannot see again is kept."""
    redactor = Redactor({"key": "k3y-of-all"})
    sent = asking((("Cookie", "a=abc-1"), ("X-A", "ghp_a1b2c3d4e5f6a7b8c9 k3y-of-all")))
    once = redactor.exchange(sent)
    redactor.count_anew()
    redactor.exchange(once)

    assert +redactor.counts == {
        "secret.cookie": 1,
        "secret.shape.key": 1,
        "secret.propagated": 1,
    }


# Everywhere (see also test_redact_everywhere)


def test_a_failure_does_not_tell_it_either() -> None:
    """A connection error may quote the URL."""
    failed = exchange(answer=Failure(kind="connect", message=f"no route for {SECRET}"))

    assert Redactor(NAMED).exchange(failed).answer == Failure(
        kind="connect", message="no route for redacted-secret-shop-login"
    )


@pytest.mark.parametrize("value", ["dark1", "abc123"])
def test_a_short_value_is_replaced_in_its_own_place_only(value: str) -> None:
    """A cookie of "dark1" must not black out the word in every page."""
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
            sending(
                (*FORM, ("Cookie", "a=abc-1; b=abc-2"), ("Authorization", "Basic x")), b"pwd=abc"
            ),
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
        "secret.propagated": 2,
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
