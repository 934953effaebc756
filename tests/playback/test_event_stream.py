"""An event stream goes on where its client left it."""

import pytest

from envsvc.exchange.message import Request
from envsvc.playback.event_stream import seen_up_to

FIRST, SECOND = b"id: 1\ndata: a\n\n", b"id: 2\ndata: b\n\n"


def asked(*headers: tuple[str, str]) -> Request:
    """Return a request for the stream."""
    return Request(method="GET", url="http://app.test/events", headers=headers)


@pytest.mark.parametrize(
    ("last_id", "body", "seen"),
    [
        ("1", FIRST + SECOND, len(FIRST)),
        ("2", FIRST + SECOND, len(FIRST + SECOND)),
        ("3", FIRST + SECOND, 0),
        ("1", b"id:1\r\ndata: a\r\n\r\n" + SECOND, len(b"id:1\r\ndata: a\r\n\r\n")),
        ("1", b"data: a\nid: 1\n\n" + SECOND, len(b"data: a\nid: 1\n\n")),
        ("1", b"id: 0\nid: 1\n\n", len(b"id: 0\nid: 1\n\n")),
        ("0", b"id: 0\nid: 1\n\n", 0),
        ("1", b"data: id: 1\n\n", 0),
        ("1", b"data: a\n\n" + FIRST + b"data: c\n\n", len(b"data: a\n\n" + FIRST)),
        ("1", b"id: 1\ndata: cut off", 0),
        ("1", b"", 0),
    ],
)
def test_an_event_that_was_seen_is_passed_over(last_id: str, body: bytes, seen: int) -> None:
    """HTML 9.2.6: the last id of an event is what the client names."""
    assert seen_up_to(asked(("Last-Event-ID", last_id)), body) == seen


def test_a_client_that_names_no_event_has_seen_none() -> None:
    """A first request gets the whole stream."""
    assert seen_up_to(asked(), FIRST) == 0
