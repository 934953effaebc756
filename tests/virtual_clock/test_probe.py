"""A page that reads every clock and every random value reads the same in every run (D11)."""

import json
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from envsvc.adapters.replay_server.thread import RunningReplay
from envsvc.exchange.message import Exchange
from tests.replay_server.cassettes import JSON
from tests.virtual_clock.conftest import (
    NEAR_MS,
    RECORDED_MS,
    SCRIPT,
    Serve,
    Visit,
    answer,
    is_recorded_time,
)

pytestmark = [pytest.mark.loopback, pytest.mark.browser]

RUNS = 20
SCHEMES = ["http", "https"]
PROBE = (Path(__file__).parent / "probe.js").read_text()
PAGE = f"<!doctype html><meta charset=utf-8><body><script>{PROBE}</script>".encode()
WORKER = """'use strict';
const read = () => [
  Date.now(), String(new Date()), performance.timeOrigin, performance.now(), Math.random(),
  Array.from(crypto.getRandomValues(new BigUint64Array(2)), String),
  crypto.randomUUID ? crypto.randomUUID() : '', new Intl.DateTimeFormat('en').format(),
  (function () { return this === undefined; })(), location.search, self.first || 0,
];
self.onmessage = () => self.postMessage(read());
self.onconnect = (event) => event.ports[0].postMessage(read());
"""
FIRST = "self.first = Date.now() + Math.random();"
FRAME = b"<script>parent.postMessage(['http', Date.now(), Math.random()], '*')</script>"


def site(scheme: str) -> list[Exchange]:
    """Return a page that probes, and what it asks for."""
    url = f"{scheme}://shop.test/"
    return [
        answer(url, PAGE),
        answer(f"{url}worker.js", WORKER.encode(), SCRIPT),
        answer(f"{url}module.js", f"import './first.js';{WORKER}".encode(), SCRIPT),
        answer(f"{url}first.js", FIRST.encode(), SCRIPT),
        answer(f"{url}code.json", json.dumps({"code": WORKER}).encode(), JSON),
        answer(f"{url}frame.html", FRAME, second=60),
    ]


@pytest.fixture
def replay(serve: Serve) -> RunningReplay:
    """Give a replay of the site under both schemes."""
    return serve(*site("http"), *site("https"))


@pytest.mark.parametrize("scheme", SCHEMES)
def test_every_run_reads_the_same(replay: RunningReplay, browser: Browser, scheme: str) -> None:
    """D11: one browser, 20 fresh profiles: dates, measures, random values, workers, frames."""
    proxy = {"server": replay.proxy_url, "bypass": "<-loopback>"}
    read = set()
    for _ in range(RUNS):
        context = browser.new_context(proxy=proxy, ignore_https_errors=True)  # type: ignore[arg-type]
        page = context.new_page()
        page.goto(f"{scheme}://shop.test/")
        read.add(json.dumps(page.evaluate("probe()"), indent=1))
        context.close()

    assert len(read) == 1


@pytest.fixture
def said(replay: RunningReplay, visit: Visit, request: pytest.FixtureRequest) -> dict[str, Any]:
    """Give what the probe reads under the scheme that the test asks for."""
    said: dict[str, Any] = visit(replay, f"{request.param}://shop.test/").evaluate("probe()")
    return said


@pytest.mark.parametrize("said", SCHEMES, indirect=True)
def test_all_clocks_say_the_recorded_time(said: dict[str, Any]) -> None:
    """D11: the page's dates, its workers' and its frames' are those of the recording."""
    from_dates = [time for time in said["dates"] if isinstance(time, int)]
    from_workers = [read[0] for read in said["workers"].values()]
    from_frames = [read[1] for read in said["frames"] if read[0] != "http"]

    assert len([*from_dates, *from_workers, *from_frames]) == 4 + 10 + 7
    for time in [said["early"][0], *from_dates, *from_workers, *from_frames]:
        assert RECORDED_MS <= time < RECORDED_MS + 2000


@pytest.mark.parametrize("said", SCHEMES, indirect=True)
def test_texts_are_of_the_recorded_time_in_the_browsers_zone(said: dict[str, Any]) -> None:
    """D11: formats without an argument show the clock; the zone is the browser's setting."""
    assert said["early"][2] == "11/14/2023 23:13:20"
    assert said["dates"][0] == said["dates"][1]
    assert "Tue Nov 14 2023 23:13:20 GMT+0100" in said["dates"][0]
    assert set(said["formats"][:4]) == {"Tuesday, November 14, 2023 at 11:13:20 PM GMT+1"}


@pytest.mark.parametrize("said", SCHEMES, indirect=True)
def test_every_realm_has_random_values_of_its_own(said: dict[str, Any]) -> None:
    """D11: no two workers or frames draw the same numbers, not even of the same code."""
    drawn = [read[4] for read in said["workers"].values()] + [said["randoms"][0]]
    drawn += [read[2] for read in said["frames"] if read[0] not in {"sandbox", "data", "coded"}]

    assert len(set(drawn)) == len(drawn)


@pytest.mark.parametrize("said", SCHEMES, indirect=True)
def test_workers_are_as_before_but_for_the_clock(said: dict[str, Any]) -> None:
    """D11: strict code stays strict, an address shows no mark, imports run by the clock."""
    assert {(read[8], read[9]) for read in said["workers"].values()} == {(True, "")}
    assert is_recorded_time(said["workers"]["module"][10])
    assert is_recorded_time(said["workers"]["sharedModule"][10])


@pytest.mark.parametrize("said", SCHEMES, indirect=True)
def test_a_timer_moves_the_clock_by_its_delay(said: dict[str, Any]) -> None:
    """D11: 40 ms pass with a timeout, 10 with each turn of an interval, one frame with a frame."""
    before, timeout, *turns, frame, idle = said["timers"]

    assert timeout - before == pytest.approx(40, abs=1)
    assert [b - a for a, b in zip([timeout, *turns], turns, strict=False)] == pytest.approx(
        [10] * 3, abs=1
    )
    assert 0 < frame[0] - turns[-1] < 18
    assert 0 < idle <= 10


@pytest.mark.parametrize("said", ["http"], indirect=True)
def test_measurements_are_in_a_possible_order(said: dict[str, Any]) -> None:
    """D11: a page was asked for, answered, and parsed before it measures."""
    start, answered, ended, interactive, asked, _ = said["measures"][5][0]

    assert start <= asked < answered < ended < interactive < said["measures"][1]
    assert said["measures"][2] == RECORDED_MS
    assert said["early"][1] < NEAR_MS


def test_the_server_is_asked_for_nothing_new(replay: RunningReplay, visit: Visit) -> None:
    """D7: the marks on workers' addresses are in no account, and cause no miss."""
    visit(replay, "http://shop.test/").evaluate("probe()")

    assert [miss.url for miss in replay.report("default").misses if "favicon" not in miss.url] == []
