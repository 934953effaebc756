"""The shop's full tour, signed in and shopping, replayed in Chromium with the shop switched off."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from envsvc.adapters.browser.driver import PlaywrightBrowser
from envsvc.adapters.cassette_files import CassetteFiles
from envsvc.adapters.replay_server.thread import ReplayThread, RunningReplay
from envsvc.adapters.workspace import Workspace
from envsvc.cassette.stored import identity
from envsvc.exchange.redact import Redactor
from envsvc.playback.outcome import MissPolicy, Outcome
from envsvc.ports import Cassette, StepResult
from tests.adapters_record.shop import record, shop_workspace
from tests.mutation.matching import matched

pytestmark = [pytest.mark.loopback, pytest.mark.browser]


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Record the full tour once; give the workspace."""
    folder = shop_workspace(tmp_path_factory.mktemp("full"))
    result = record(folder, "--tour", "full", "--passes", "2")
    assert result.returncode == 0, result.stderr
    return folder


@pytest.fixture
def cassette(workspace: Path) -> Cassette:
    """Load what was recorded."""
    return CassetteFiles(workspace / "har").load("shop", "v1", Redactor({}))


@pytest.fixture
def replay(cassette: Cassette) -> Iterator[RunningReplay]:
    """Serve it; the shop is not running."""
    with ReplayThread(Redactor({})).serve(cassette) as running:
        yield running


def follow(workspace: Path, replay: RunningReplay, session: str, tour: str = "full") -> list[str]:
    """Follow *tour* in a browser of its own; return what went wrong."""
    found = Workspace.find(workspace)
    version = found.resolve("shop/v1")
    results: list[StepResult] = list(
        PlaywrightBrowser().tour(
            found.tour(version.app, tour),
            spec=version.spec,
            version=version.version,
            proxy_url=replay.open_session(session, MissPolicy.ERROR),
            on_step=lambda _: None,
        )
    )
    assert results
    return [f"{step.number} {step.label}: {step.problem}" for step in results if step.problem]


def task_misses(replay: RunningReplay, session: str) -> int:
    """Return how many requests of the task found no answer."""
    report = replay.report(session)
    return report.count(Outcome.MISS_TASK) + report.count(Outcome.MISS_STATE_UNKNOWN)


def test_the_full_tour_replays_twice_in_a_row(
    workspace: Path, replay: RunningReplay, cassette: Cassette
) -> None:
    """S0-07, D4: every step, no task miss, no way out, and each page as often as it changed."""
    for session in ("first", "second"):
        assert follow(workspace, replay, session) == []
        assert task_misses(replay, session) == 0
        assert replay.report(session).outbound_connections == 0
        used = replay.used(session)
        for variants in cassette.index.several():
            recorded = {identity(entry) for entry in variants.entries}
            served = {identity(entry) for entry in variants.entries if entry.number in used}
            assert served == recorded, variants.entries[0].url


def test_two_sessions_at_once_do_different_things(workspace: Path, replay: RunningReplay) -> None:
    """D5: one buys, the other stops before; neither sees the other's cart."""
    stopping = workspace / "images/shop/tours/stopping.yaml"
    full = (workspace / "images/shop/tours/full.yaml").read_text()
    before, _, _ = full.partition('  - click: "#checkout button"')
    stopping.write_text(before.replace("name: full", "name: stopping"))
    app = workspace / "images/shop/app.yaml"
    if "stopping" not in app.read_text():
        app.write_text(
            app.read_text().replace("tours:\n", "tours:\n  stopping: tours/stopping.yaml\n")
        )
    with ThreadPoolExecutor(2) as pool:
        buying = pool.submit(follow, workspace, replay, "buying", "full")
        leaving = pool.submit(follow, workspace, replay, "leaving", "stopping")
        problems = buying.result() + leaving.result()

    assert problems == []
    assert task_misses(replay, "buying") == task_misses(replay, "leaving") == 0


def test_an_altered_request_never_gets_an_answer(workspace: Path, cassette: Cassette) -> None:
    """D3: 0 false hits and 0 false misses, whatever part of a recorded request is altered."""
    entries = CassetteFiles(workspace / "har").entries("shop", "v1")
    tally = matched(cassette.index, (exchange for _, exchange in entries))

    assert (tally.false_hits, tally.false_misses) == ([], [])
    assert tally.missed.keys() >= {"method", "scheme", "host", "port", "path", "query", "form"}
    assert tally.hit.keys() >= {"header", "host case", "escape", "form spelling", "encoding"}
