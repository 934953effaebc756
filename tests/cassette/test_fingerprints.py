"""What changes by itself says nothing about the state (D4)."""

import msgspec
import pytest

from envsvc.cassette.fingerprints import Volatile, changing_places, with_fingerprints
from envsvc.exchange.message import Exchange, Failure, Response, WebSocketMessage
from tests.cassette.recordings import exchange, in_order, index_of, say

UUIDS = [f"{digit * 8}-1111-4111-8111-111111111111" for digit in "1234"]


def page(text: str, request_id: str) -> Response:
    """Return a page that shows *text* and the id of its request."""
    return say(
        f'<p>{text}</p><i data-request="{request_id}">', headers=(("Content-Type", "text/html"),)
    )


def fingerprints(recorded: list[Exchange], *again: list[Exchange]) -> list[str]:
    """Return the fingerprint of each exchange, by the letter of its first occurrence."""
    marked = with_fingerprints(recorded, index_of(recorded), again)
    names: dict[str, str] = {"": ""}
    for one in marked:
        names.setdefault(one.fingerprint, "ABCDE"[len(names) - 1])
    return [names[one.fingerprint] for one in marked]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("2026-01-02T03:04:05.678Z", "2026-01-02 03:05"),
        ("Tue, 05 Aug 2025 04:00:54 GMT", "Wed, 06 Aug 2025 04:00:55 GMT"),
        ("12:01", "12:02:59.5"),
        (UUIDS[0], UUIDS[1]),
        ("1700000000", "1700000000123.5"),
        ("d41d8cd98f00b204e980", "0cc175b9c0f1b6a831c3"),
        ("krSqBcluzx7MfQ65qDw7cg", "_8IBKq3cFRHllKUqoe2iRQ"),
        ("UqiRFDOLAt_kmQBSBMoxUw", "BPP_XnanYC0wEnYqfSEBlA"),
        ("0.35", "16.19"),
    ],
)
def test_values_that_may_change_by_themselves(one: str, other: str) -> None:
    """A time, an identifier, a hash, a duration."""
    before, after = (f'<b class="when">{value}</b>'.encode() for value in (one, other))

    places = changing_places(before, after)
    assert places == {b'<b class="when">'}
    assert Volatile(places).masked(before) == Volatile(places).masked(after)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("waiting", "running"),
        ("3 items", "4 items"),
        ("12:01 open", "12:02 closed"),
        ("", "12:01"),
    ],
)
def test_what_people_read_is_never_passed_over(one: str, other: str) -> None:
    """D4: a change of visible text is a change."""
    assert changing_places(one.encode(), other.encode()) == frozenset()


def test_answers_with_nothing_written_between_teach_what_is_volatile() -> None:
    """D4: the write between the last two did nothing else."""
    recorded = in_order(
        ("GET /", page("hello", UUIDS[0])),
        ("GET /", page("hello", UUIDS[1])),
        ("POST /like", "liked"),
        ("GET /", page("hello", UUIDS[2])),
        ("POST /add", "added"),
        ("GET /", page("bye", UUIDS[3])),
    )

    assert fingerprints(recorded) == ["A", "A", "", "A", "", "B"]


def test_answers_with_a_write_between_teach_nothing() -> None:
    """A new identifier may be all that tells the new state."""
    recorded = in_order(
        ("GET /", page("order", UUIDS[0])),
        ("POST /order", "ordered"),
        ("GET /", page("order", UUIDS[1])),
    )

    assert fingerprints(recorded) == ["", "", ""]


def test_a_place_learnt_on_one_page_counts_on_others() -> None:
    """The same frame is around all pages of an app."""
    recorded = in_order(
        ("GET /a", page("a", UUIDS[0])),
        ("GET /a", page("a", UUIDS[1])),
        ("GET /b", page("b", UUIDS[2])),
        ("POST /like", "liked"),
        ("GET /b", page("b", UUIDS[3])),
    )

    assert fingerprints(recorded) == ["A", "A", "B", "", "B"]


def test_a_second_pass_teaches_until_its_first_write() -> None:
    """D8: fresh apps are in the same state; later they have made different things."""
    first = in_order(
        ("GET /", page("hello", UUIDS[0])),
        ("POST /like", "liked"),
        ("GET /", page("hello", UUIDS[1])),
    )
    second = in_order(
        ("GET /", page("hello", UUIDS[2])),
        ("POST /like", "liked"),
        ("GET /gone", page("gone", UUIDS[3])),
    )
    other_kind = in_order(("GET /", say("plain")))

    assert fingerprints(first, second) == ["A", "", "A"]
    assert fingerprints(first, other_kind) == ["", "", ""]


def test_answers_of_another_status_or_kind_are_not_compared() -> None:
    """They differ in more than values."""
    recorded = in_order(
        ("GET /", page("hello", UUIDS[0])),
        ("GET /", Failure(kind="connect", message="refused")),
        ("GET /", page("hello", UUIDS[1])),
    )

    assert fingerprints(recorded) == ["", "", ""]
    again = in_order(*recorded, ("GET /", page("hello", UUIDS[2])))
    assert fingerprints(again) == ["A", "B", "A", "A"]


def test_the_greeting_of_a_socket_is_its_answer() -> None:
    """Its body is empty, but it says something at once."""

    def greeted(text: str) -> Exchange:
        said = WebSocketMessage(from_client=False, text=True, content=text.encode(), t_ms=1)
        return msgspec.structs.replace(exchange("GET /ws", say("", 101), 0), messages=(said,))

    recorded = in_order(
        greeted(f'{{"request-number":"{UUIDS[0]}"}}'), greeted(f'{{"request-number":"{UUIDS[1]}"}}')
    )

    assert fingerprints(recorded) == ["A", "A"]
