"""A running server answers each session by what that session has written (D4, D5)."""

import httpx
import pytest

from envsvc.adapters.replay_server.server import ServeOptions
from envsvc.adapters.replay_server.thread import RunningReplay
from envsvc.exchange.message import Exchange
from envsvc.playback.outcome import AmbiguityPolicy, MissPolicy, Outcome
from tests.replay_server.cassettes import page, recorded
from tests.replay_server.clients import ERROR, client
from tests.replay_server.conftest import Serve

pytestmark = pytest.mark.loopback

CART = "http://shop.test/cart"


def add(second: int, item: bytes) -> Exchange:
    """Return the write that puts *item* into the cart."""
    return recorded(CART, page(b"added"), method="POST", body=item, second=second)


SHOPPING = (
    recorded(CART, page(b"empty"), second=0),
    add(1, b"one"),
    recorded(CART, page(b"one"), second=2),
    add(3, b"two"),
    recorded(CART, page(b"one and two"), second=4),
)


def session(replay: RunningReplay, name: str) -> httpx.Client:
    """Return a client that names its session by its proxy user."""
    return httpx.Client(
        proxy=f"http://{name}:x@127.0.0.1:{replay.port}", trust_env=False, timeout=5
    )


def test_a_write_changes_what_is_served_next(serve: Serve) -> None:
    """D4: also for a request in the very bytes that were answered before (fast path)."""
    with client(serve(*SHOPPING)) as agent:
        before = [agent.get(CART).text for _ in range(3)]
        agent.post(CART, content=b"one")
        after = [agent.get(CART).text for _ in range(3)]

    assert (before, after) == (["empty"] * 3, ["one"] * 3)


def test_two_sessions_at_once_see_their_own_state(serve: Serve) -> None:
    """D5: one stops before the second write."""
    replay = serve(*SHOPPING)
    with session(replay, "a") as first, session(replay, "b") as second:
        first.post(CART, content=b"one")
        second.post(CART, content=b"one")
        second.post(CART, content=b"two")
        seen = [first.get(CART).text, second.get(CART).text, first.get(CART).text]

    assert seen == ["one", "one and two", "one"]


def test_a_reset_session_has_written_nothing(serve: Serve) -> None:
    """D5: a new episode starts from the recorded start."""
    replay = serve(*SHOPPING)
    with session(replay, "a") as agent:
        agent.post(CART, content=b"one")
        replay.reset("a")
        seen = agent.get(CART).text

    assert seen == "empty"


def test_a_state_that_was_not_recorded_is_a_counted_miss(serve: Serve) -> None:
    """D4, D6: state_unknown is a class of its own and names what was written."""
    replay = serve(*SHOPPING, options=ERROR)
    with client(replay) as agent:
        agent.post(CART, content=b"two")
        status = agent.get(CART).status_code
    report = replay.report("default")

    assert status == 404
    assert report.count(Outcome.MISS_STATE_UNKNOWN) == 1
    assert report.misses[0].explanation.made == (f"POST {CART} two",)


def test_an_unrecorded_write_to_a_page_makes_its_state_unknown(serve: Serve) -> None:
    """D4: nobody can say what it would have shown."""
    replay = serve(*SHOPPING, options=ERROR)
    with client(replay) as agent:
        agent.post(CART, content=b"three")
        seen = agent.get(CART).status_code

    assert seen == 404


def test_an_assumed_state_is_counted(serve: Serve) -> None:
    """D4: served, and flagged in the report."""
    replay = serve(recorded("http://shop.test/help", page(b"help"), second=0), add(1, b"one"))
    with client(replay) as agent:
        agent.get("http://shop.test/help")
        agent.post(CART, content=b"one")
        for _ in range(2):
            agent.get("http://shop.test/help")

    assert replay.report("default").state_assumed == 2


AMBIGUOUS = (
    recorded("http://shop.test/", page(b"A"), second=0),
    recorded("http://shop.test/", page(b"B"), second=1),
)


@pytest.mark.parametrize(
    ("ambiguity", "status", "outcome"),
    [
        (AmbiguityPolicy.SERVE, 200, Outcome.AMBIGUOUS),
        (AmbiguityPolicy.REFUSE, 404, Outcome.MISS_TASK),
    ],
)
def test_ambiguous_answers_are_flagged_or_refused(
    serve: Serve, ambiguity: AmbiguityPolicy, status: int, outcome: Outcome
) -> None:
    """D4: ``--ambiguity refuse`` makes it a miss."""
    options = ServeOptions(policy=MissPolicy.ERROR, ambiguity=ambiguity)
    replay = serve(*AMBIGUOUS, options=options)
    with client(replay) as agent:
        seen = agent.get("http://shop.test/").status_code

    assert seen == status
    assert replay.report("default").count(outcome) == 1
