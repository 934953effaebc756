"""What the fast path keeps, and when it lets go."""

from envsvc.adapters.replay_server.quick import Quick, QuickAnswers
from envsvc.playback.outcome import MissPolicy, Outcome
from envsvc.playback.session import Session

SESSION = Session("one", MissPolicy.STRICT)


def quick(size: int) -> Quick:
    """Return an answer of *size* bytes."""
    return Quick(b"x" * size, Outcome.EXACT, 0, SESSION, SESSION.epoch, is_assumed=False)


def test_places_are_apart_by_listener_and_origin() -> None:
    """D5: what one session's port was asked answers no other."""
    answers = QuickAnswers()
    place = answers.place("one", "")
    answers.keep("one", place, b"GET", quick(10))

    assert b"GET" in answers.place("one", "")
    assert b"GET" not in answers.place("two", "")
    assert b"GET" not in answers.place("one", "https://shop.test")


def test_no_more_is_kept_than_the_limit() -> None:
    """D10: the fast path is bounded; what comes last is kept, the rest starts anew."""
    answers = QuickAnswers(limit=25)
    place = answers.place("one", "")
    for name in (b"aaa", b"bbb", b"ccc"):
        answers.keep("one", place, name, quick(9))

    assert list(place) == [b"ccc"]


def test_what_is_large_is_not_kept() -> None:
    """D10: one large answer does not push out the small ones."""
    answers = QuickAnswers()
    place = answers.place("one", "")
    answers.keep("one", place, b"GET", quick(300_000))

    assert not place


def test_a_closed_listener_makes_room() -> None:
    """D5: a thousand episodes one after the other do not use up the fast path."""
    answers = QuickAnswers(limit=15)
    answers.keep("one", answers.place("one", ""), b"aaa", quick(9))
    answers.forget("one")
    place = answers.place("two", "")
    answers.keep("two", place, b"bbb", quick(9))

    assert list(place) == [b"bbb"]
