"""A running server keeps dates as far from now as they were recorded (D11)."""

from datetime import UTC, datetime

import httpx
import pytest

from envsvc.adapters.replay_server.engine import Engine, Whole
from envsvc.exchange.message import Request
from envsvc.exchange.redact import Redactor
from envsvc.playback.outcome import MissPolicy
from tests.replay_server.cassettes import cassette, page, recorded
from tests.replay_server.clients import client
from tests.replay_server.conftest import Serve

OLD = "Thu, 01 Jan 1970 01:00:00 GMT"  # an hour after these recordings were made
URL = "http://shop.test/"


@pytest.mark.loopback
def test_a_cookie_recorded_long_ago_still_signs_in(serve: Serve) -> None:
    """D11: a client keeps it, since it has not expired."""
    signed_in = page(b"in", (("Set-Cookie", f"sid=1; Expires={OLD}; Path=/"), ("Date", OLD)))
    with client(serve(recorded(URL, signed_in))) as agent:
        answer = agent.get(URL)
        cookies = dict(agent.cookies)
    date = httpx.Headers(answer.headers)["date"]

    assert cookies == {"sid": "1"}
    assert date.endswith(f"{datetime.now(UTC):%Y} GMT") or f"{datetime.now(UTC):%Y}" in date


def test_dates_go_on_while_a_server_runs() -> None:
    """D11: also for an answer that was rendered before."""
    moments = [10_000_000_000_000, 20_000_000_000_000]
    engine = Engine(
        cassette([recorded(URL, page(b"x", (("Date", OLD),)))]),
        Redactor({}),
        MissPolicy.STRICT,
        now_us=lambda: moments.pop(0),
    )
    session, request = engine.session("one"), Request(method="GET", url=URL)
    before, epoch = engine.answer(request, session), session.epoch
    engine.age()
    after = engine.answer(request, session)

    assert isinstance(before, Whole)
    assert isinstance(after, Whole)
    assert b"Date: Sun, 26 Apr 1970 18:46:40 GMT" in before.content
    assert b"Date: Thu, 20 Aug 1970 12:33:20 GMT" in after.content
    assert session.epoch != epoch
