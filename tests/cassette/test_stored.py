"""What replay keeps of an entry, and which of several is good."""

import pytest

from envsvc.cassette.stored import Entry, StoredResponse, greeting, identity, last_good
from envsvc.exchange.message import Failure, Headers, WebSocketMessage


def entry(number: int = 0, answer: StoredResponse | Failure | None = None) -> Entry:
    """Return an entry of a page."""
    return Entry(number=number, method="GET", url="http://a.test/", answer=answer or response())


def response(status: int = 200, path: str = "A", headers: Headers = ()) -> StoredResponse:
    """Return a stored response whose body is at *path*."""
    return StoredResponse(status=status, reason="", headers=headers, body_path=path, body_size=1)


DOWN = Failure(kind="connect", message="refused")


def test_a_failure_has_no_headers() -> None:
    """Nothing was answered."""
    assert entry(answer=DOWN).headers == ()
    assert entry(answer=response(headers=(("A", "b"),))).headers == (("A", "b"),)


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        (response(), response(headers=(("Date", "later"),)), True),
        (response(), response(path="B"), False),
        (response(), response(status=201), False),
        (
            response(302, headers=(("Location", "/a"),)),
            response(302, headers=(("location", "/b"),)),
            False,
        ),
        (DOWN, Failure(kind="connect", message="again"), True),
        (DOWN, Failure(kind="dns", message="no such host"), False),
        (DOWN, response(), False),
    ],
)
def test_what_makes_two_answers_the_same(
    one: StoredResponse | Failure, other: StoredResponse | Failure, *, is_same: bool
) -> None:
    """D4: status, body and target; the date does not count."""
    assert (identity(entry(answer=one)) == identity(entry(answer=other))) is is_same


def test_a_fingerprint_stands_for_the_body() -> None:
    """D4: answers that differ in volatile parts only are the same."""
    one, other = (
        Entry(number=0, method="GET", url="", answer=response(path=path), fingerprint="same")
        for path in "AB"
    )

    assert identity(one) == identity(other)


@pytest.mark.parametrize(
    ("answers", "best"),
    [
        ([response(), response()], 1),
        ([response(), response(302)], 0),
        ([response(), response(404)], 0),
        ([response(302), response(404)], 0),
        ([response(404), response(423)], 1),
        ([response(404), DOWN], 0),
        ([response(101), response(302)], 0),
        ([DOWN], 0),
    ],
)
def test_the_last_good_answer(answers: list[StoredResponse | Failure], best: int) -> None:
    """D4: a final 2xx before redirects, before errors, before failures."""
    entries = [entry(number, answer) for number, answer in enumerate(answers)]

    assert last_good(entries).number == best


def message(text: str, t_ms: int = 0, *, from_client: bool = False) -> WebSocketMessage:
    """Return a message of a socket."""
    return WebSocketMessage(from_client=from_client, text=True, content=text.encode(), t_ms=t_ms)


@pytest.mark.parametrize(
    ("messages", "said"),
    [
        ((), ()),
        ((message("hello"), message("there", 999)), (b"hello", b"there")),
        ((message("hello"), message("news", 5000)), (b"hello",)),
        ((message("hi", from_client=True), message("hello")), ()),
    ],
)
def test_a_greeting_is_what_a_server_says_at_once(
    messages: tuple[WebSocketMessage, ...], said: tuple[bytes, ...]
) -> None:
    """Later, or once it was asked, it answers something."""
    assert greeting(messages) == said


def test_sockets_that_greet_differently_are_different_answers() -> None:
    """D4: a conversation is an answer too."""
    one, other = (
        StoredResponse(
            status=101,
            reason="",
            headers=(),
            body_path="",
            body_size=0,
            messages=(message(text),),
        )
        for text in ("hello", "welcome")
    )

    assert identity(entry(answer=one)) != identity(entry(answer=other))
