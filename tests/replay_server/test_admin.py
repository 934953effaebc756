"""The admin port, over real HTTP."""

import httpx
import pytest

from envsvc.adapters.replay_server.server import ServeOptions
from envsvc.adapters.replay_server.thread import RunningReplay
from envsvc.playback.outcome import MissPolicy
from tests.replay_server.cassettes import page, recorded
from tests.replay_server.conftest import Serve

pytestmark = pytest.mark.loopback

HOME = recorded("http://shop.test/", page(b"home"))


@pytest.fixture
def replay(serve: Serve) -> RunningReplay:
    """Give a server with an admin port."""
    return serve(HOME, options=ServeOptions(admin_port=0, policy=MissPolicy.ERROR))


def visit(proxy: str, path: str = "") -> None:
    """Ask for a page of the shop."""
    httpx.get(f"http://shop.test/{path}", proxy=proxy, trust_env=False)


def admin(replay: RunningReplay) -> httpx.Client:
    """Return a client of the admin port."""
    return httpx.Client(base_url=replay.admin_url, trust_env=False)


def test_health_names_the_cassette(replay: RunningReplay) -> None:
    """D10: health says what is served."""
    with admin(replay) as client:
        health = client.get("/health").json()

    assert health["status"] == "ok"
    assert health["cassette"]["digest"] == "0" * 64


def test_a_session_is_started_with_a_port_of_its_own(replay: RunningReplay) -> None:
    """D5: POST /sessions."""
    with admin(replay) as client:
        opened = client.post("/sessions", json={"session": "one", "policy": "strict"})
        visit(f"http://127.0.0.1:{opened.json()['port']}")
        report = client.get("/sessions/one/report").json()

    assert opened.status_code == 201
    assert (report["requests"], report["policy"]) == (1, "strict")


def test_an_unnamed_session_gets_a_name(replay: RunningReplay) -> None:
    """D5: an empty body is a session with a name made up."""
    with admin(replay) as client:
        name = client.post("/sessions").json()["session"]
        listed = client.get("/sessions").json()

    assert name in listed


def test_reset_forgets_what_a_session_did(replay: RunningReplay) -> None:
    """D5: POST /sessions/<id>/reset."""
    with admin(replay) as client:
        visit(replay.proxy_url)
        done = client.post("/sessions/default/reset").status_code
        report = client.get("/sessions/default/report").json()

    assert (done, report["requests"]) == (204, 0)


@pytest.mark.parametrize(("method", "path"), [("GET", "report"), ("POST", "reset")])
def test_an_unknown_session_is_a_404_that_says_so(
    replay: RunningReplay, method: str, path: str
) -> None:
    """D18: what, and what to do next."""
    with admin(replay) as client:
        answer = client.request(method, f"/sessions/none/{path}")

    assert answer.status_code == 404
    assert "none" in answer.json()["error"]


@pytest.mark.parametrize("body", ["{", '{"polcy": "strict"}', '{"policy": "loose"}'])
def test_a_bad_request_is_refused(replay: RunningReplay, body: str) -> None:
    """D18: unknown fields and values are refused."""
    with admin(replay) as client:
        answer = client.post("/sessions", content=body)

    assert answer.status_code == 400


def test_metrics_count_requests_by_session_and_outcome(replay: RunningReplay) -> None:
    """D10: Prometheus metrics."""
    visit(replay.proxy_url)
    visit(replay.proxy_url, "new")
    with admin(replay) as client:
        metrics = client.get("/metrics").text

    assert 'envsvc_requests_total{outcome="exact",session="default"} 1.0' in metrics
    assert 'envsvc_requests_total{outcome="miss_task",session="default"} 1.0' in metrics
    assert "envsvc_outbound_connections 0.0" in metrics
