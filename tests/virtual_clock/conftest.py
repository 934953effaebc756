"""A real browser, and pages that are served to it by a real replay server."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page

from envsvc.adapters.browser.chromium import running_chromium
from envsvc.adapters.replay_server.server import ServeOptions
from envsvc.adapters.replay_server.thread import ReplayThread, RunningReplay
from envsvc.exchange.message import Exchange, Headers, Request, Response
from envsvc.exchange.redact import Redactor
from envsvc.playback.outcome import MissPolicy
from envsvc.playback.virtual_clock import ClockMode
from tests.replay_server.cassettes import HTML, cassette

RECORDED_MS = 1_700_000_000_000
"""When the exchanges here were recorded, milliseconds since the epoch: 2023-11-14 22:13:20Z."""
NEAR_MS = 200
"""What a page may have read until a test asks for its time, in milliseconds."""
SCRIPT: Headers = (("Content-Type", "text/javascript"),)

type Serve = Callable[..., RunningReplay]
type Visit = Callable[..., Page]


def answer(
    url: str, body: bytes, headers: Headers = HTML, *, status: int = 200, second: int = 0
) -> Exchange:
    """Return an exchange that began in this *second* of the recording and took 40 ms."""
    return Exchange(
        started_us=RECORDED_MS * 1000 + second * 1_000_000,
        duration_ms=40,
        request=Request(method="GET", url=url),
        answer=Response(status=status, reason="OK", headers=headers, body=body),
    )


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Give one Chromium to the tests of a file."""
    with running_chromium() as started:
        yield started


@pytest.fixture(scope="module")
def ca_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give one certificate authority to the tests of a file: making a key takes long."""
    return tmp_path_factory.mktemp("ca")


@pytest.fixture
def serve(ca_folder: Path) -> Iterator[Serve]:
    """Give a function that serves exchanges until the test ends."""
    with ExitStack() as stack:

        def start(*exchanges: Exchange, clock: ClockMode = ClockMode.FROZEN) -> RunningReplay:
            options = ServeOptions(policy=MissPolicy.ERROR, clock=clock)
            runtime = ReplayThread(Redactor({}), options, ca_folder)
            return stack.enter_context(runtime.serve(cassette(exchanges)))

        yield start


@pytest.fixture
def visit(browser: Browser) -> Iterator[Visit]:
    """Give a function that opens a page of a replay in a fresh profile."""
    contexts: list[BrowserContext] = []

    def go(replay: RunningReplay, url: str) -> Page:
        context = browser.new_context(
            proxy={"server": replay.proxy_url, "bypass": "<-loopback>"},
            ignore_https_errors=True,
            timezone_id="Europe/Berlin",
            locale="en-US",
        )
        contexts.append(context)
        page = context.new_page()
        page.goto(url)
        return page

    yield go
    for context in contexts:
        context.close()


def is_recorded_time(time_ms: float) -> bool:
    """Say whether *time_ms* is what the clock of a page that was recorded first says."""
    return RECORDED_MS <= time_ms < RECORDED_MS + NEAR_MS
