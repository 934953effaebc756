"""An app is ready after so many good answers in a row."""

import pytest

from envsvc.snapshot.readiness import Answer, Waiting
from envsvc.snapshot.spec import Readiness

RULE = Readiness(contains="shop", answers=2)
GOOD = Answer(status=200, body=b"the shop is open")
BUSY = Answer(status=503)
EMPTY = Answer(status=200, body=b"loading")
REFUSED = Answer(problem="connection refused")


def after(*answers: Answer) -> Waiting:
    """Return how far an app is after *answers*."""
    waiting = Waiting(rule=RULE)
    for answer in answers:
        waiting = waiting.after(answer)
    return waiting


@pytest.mark.parametrize(
    ("answers", "is_ready"),
    [
        ((), False),
        ((GOOD,), False),
        ((GOOD, GOOD), True),
        ((GOOD, BUSY, GOOD), False),
        ((REFUSED, EMPTY, BUSY, GOOD, GOOD), True),
        ((EMPTY, EMPTY), False),
    ],
)
def test_ready_needs_good_answers_in_a_row(answers: tuple[Answer, ...], *, is_ready: bool) -> None:
    """Status and content both count; a bad answer begins the count anew."""
    assert after(*answers).is_ready == is_ready


@pytest.mark.parametrize(
    ("answers", "told"),
    [
        ((), "nothing was asked"),
        ((BUSY, GOOD), "503"),
        ((REFUSED,), "connection refused"),
        ((EMPTY,), "200 without the text 'shop'"),
    ],
)
def test_what_was_wrong_is_remembered(answers: tuple[Answer, ...], told: str) -> None:
    """A time-out says what the last bad answer was."""
    assert after(*answers).last_bad == told
