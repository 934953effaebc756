"""How a request would be answered, and why, in words."""

import pytest

from envsvc.cassette.index import Index
from envsvc.exchange.message import Failure, Request
from envsvc.playback.explain import Reason
from envsvc.playback.inspect import Inspection, inspect, recorded_write
from envsvc.playback.noise import MissClassifier
from envsvc.playback.outcome import Outcome
from tests.cassette.recordings import SHOP, after, ask, in_order, index_of, say

INDEX = index_of(
    in_order(
        ("GET /cart", "empty"),
        ("POST /cart one", "added"),
        ("GET /cart", "one"),
        ("GET /help", "help"),
    )
)
CLASSIFIER = MissClassifier(("shop.test",), ())


def inspected(request: Request, *writes: str, index: Index = INDEX) -> Inspection:
    """Return how *request* would be answered after *writes*."""
    return inspect(request, index, CLASSIFIER, after(index, *writes))


def test_a_hit_names_its_entry_and_what_was_written_before() -> None:
    """D7: the rule that decides is shown."""
    seen = inspected(ask("GET /cart"), "POST /cart one")

    assert (seen.outcome, seen.entry, seen.status) == (Outcome.STATE, 2, 200)
    assert seen.after == (f"POST {SHOP}/cart one",)


def test_several_answers_are_described() -> None:
    """D4: what tells them apart."""
    seen = inspected(ask("GET /cart"))

    assert seen.several is not None
    assert seen.several.told_apart_by == ("state",)


def test_a_single_answer_needs_no_description() -> None:
    """Nothing has to be told apart."""
    assert inspected(ask("GET /help")).several is None


def test_an_assumed_state_is_said() -> None:
    """D4: state_assumed."""
    assert inspected(ask("GET /help"), "POST /elsewhere").is_assumed


@pytest.mark.parametrize(
    ("request_words", "writes", "outcome", "reason"),
    [
        ("GET /never", [], Outcome.MISS_TASK, Reason.PATH_NEVER_RECORDED),
        ("POST /cart two", [], Outcome.MISS_TASK, Reason.BODY_DIFFERS),
        ("GET /cart", ["POST /cart two"], Outcome.MISS_STATE_UNKNOWN, Reason.STATE_UNKNOWN),
    ],
)
def test_a_miss_is_explained(
    request_words: str, writes: list[str], outcome: Outcome, reason: Reason
) -> None:
    """S0-12: why there is no answer."""
    seen = inspected(ask(request_words), *writes)

    assert seen.outcome is outcome
    assert seen.entry is None
    assert seen.miss is not None
    assert seen.miss.reason is reason


def test_a_failure_is_a_recorded_answer() -> None:
    """D8: it is replayed as a failure."""
    index = index_of(in_order(("GET /", Failure(kind="dns", message=""))))
    seen = inspected(ask("GET /"), index=index)

    assert (seen.outcome, seen.entry) == (Outcome.FAILURE, 0)


@pytest.mark.parametrize(
    ("method", "url", "is_there"),
    [
        ("POST", f"{SHOP}/cart", True),
        ("POST", f"{SHOP}/never", False),
        ("GET", f"{SHOP}/cart", False),
    ],
)
def test_a_recorded_write_is_found_by_method_and_url(
    method: str, url: str, *, is_there: bool
) -> None:
    """People name it so."""
    assert (recorded_write(method, url, INDEX) == INDEX.key(1)) is is_there


def test_a_preflight_that_is_made_up_says_so() -> None:
    """D7: synthesized, from the request that it announces."""
    allowed = say("", headers=(("Access-Control-Allow-Origin", "*"),))
    index = index_of(in_order(("POST /v1", allowed)))
    asks = (("Origin", "http://app.test"), ("Access-Control-Request-Method", "POST"))
    seen = inspected(ask("OPTIONS /v1", asks), index=index)

    assert (seen.outcome, seen.status, seen.entry) == (Outcome.SYNTHESIZED, 204, 0)


def test_a_piece_that_is_not_enough_says_so() -> None:
    """RFC 9110 15.4.5: a 304 answers nobody who has nothing."""
    index = index_of(in_order(("GET /", say("", 304))))
    seen = inspected(ask("GET /"), index=index)

    assert seen.miss is not None
    assert seen.miss.reason is Reason.ONLY_304_RECORDED
