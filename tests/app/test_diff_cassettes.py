"""Two cassettes are compared key by key."""

import msgspec
import pytest

from envsvc.app.diff_cassettes import Change, KeyChange, differences
from envsvc.exchange.message import Exchange, Failure, Response, WebSocketMessage
from tests.cassette.recordings import ask, exchange, in_order, say

type Recorded = tuple[str, Response | Failure | str] | Exchange


def compared(before: list[Recorded], after: list[Recorded]) -> list[KeyChange]:
    """Return the changes between two recordings."""
    return list(differences(in_order(*before), in_order(*after)))


def test_every_key_is_new_gone_changed_or_same() -> None:
    """S0-20: in the order of the first, then what only the second has."""
    found = compared(
        [("GET /same", "x"), ("GET /gone", "x"), ("GET /changed", "x")],
        [("GET /new", "x"), ("GET /changed", "y"), ("GET /same", "x")],
    )

    assert [(key.change, key.url) for key in found] == [
        (Change.SAME, "http://shop.test/same"),
        (Change.GONE, "http://shop.test/gone"),
        (Change.CHANGED, "http://shop.test/changed"),
        (Change.NEW, "http://shop.test/new"),
    ]


@pytest.mark.parametrize(
    ("before", "after", "shown"),
    [
        ("one", "two", ("200, 3 bytes, from byte 0: 'one'", "200, 3 bytes, from byte 0: 'two'")),
        ("a" * 99, "a" * 98, ("200, 99 bytes, from byte 98: ", "200, 98 bytes, from byte 98: ")),
        ("x", say("x", 404), ("200, 1 bytes", "404, 1 bytes")),
        (
            say("", 302, headers=(("Location", "/a"),)),
            say("", 302, headers=(("Location", "/b"),)),
            ("302, 0 bytes to /a", "302, 0 bytes to /b"),
        ),
        (
            "x",
            Failure(kind="dns", message="no such host"),
            ("200, 1 bytes, from byte 0: 'x'", "failure: dns, from byte 0: ''"),
        ),
    ],
)
def test_a_change_is_shown_on_both_sides(
    before: Response | str, after: Response | Failure | str, shown: tuple[str, str]
) -> None:
    """S0-20: status, size, target, and where the bodies begin to differ."""
    (found,) = compared([("GET /", before)], [("GET /", after)])

    assert found.change is Change.CHANGED
    assert found.before[0].startswith(shown[0])
    assert found.after[0].startswith(shown[1])


def test_the_order_of_several_answers_is_no_change() -> None:
    """A key has a set of answers."""
    (found,) = compared([("GET /", "A"), ("GET /", "B")], [("GET /", "B"), ("GET /", "A")])

    assert found.change is Change.SAME
    assert len(found.before) == len(found.after) == 2


def test_numbers_of_placeholders_are_no_change() -> None:
    """Every recording counts its credentials anew."""
    bodies = ["sid=redacted-cookie-sid-1", "sid=redacted-cookie-sid-2"]
    (found,) = compared([("GET /", bodies[0])], [("GET /", bodies[1])])

    assert found.change is Change.SAME


def test_a_conversation_is_an_answer_too() -> None:
    """What was said on a socket counts."""
    said = WebSocketMessage(from_client=False, text=True, content=b"hello", t_ms=0)
    quiet = exchange("GET /ws", say("", 101), 0)
    (found,) = compared([quiet], [msgspec.structs.replace(quiet, messages=(said,))])

    assert found.change is Change.CHANGED
    assert found.after == ("101, 0 bytes, 1 messages",)


def test_bodies_of_requests_tell_keys_apart() -> None:
    """D3: one URL may answer many questions; each has its own key."""
    found = compared([("POST /q one", "1"), ("POST /q two", "2")], [("POST /q one", "1")])

    assert [key.change for key in found] == [Change.SAME, Change.GONE]
    assert len({key.key for key in found}) == 2
    assert ask("POST /q one").url == found[0].url
