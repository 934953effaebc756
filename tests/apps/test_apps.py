"""Apps that none of us wrote, recorded live and replayed with the app stopped and no network."""

import sys
from pathlib import Path

import msgspec
import pytest

from envsvc.adapters.cassette_files import CassetteFiles
from envsvc.exchange.redact import Redactor
from envsvc.playback.outcome import MissClass
from envsvc.playback.session import SessionReport, Verdict
from tests.apps.two_sessions import Visitor
from tests.apps.workspace import (
    APPS,
    FULL,
    Finished,
    app_called,
    envsvc,
    make_workspace,
    run_program,
)
from tests.mutation.matching import matched

pytestmark = [pytest.mark.apps, pytest.mark.browser]

_IN_MAKE_TEST = {"datasette", "roundup"}  # the others need Node.js, or minutes
_OTHER_WAY = "other-way"
_PARAMETERS = [
    pytest.param(name, marks=[] if app.name in _IN_MAKE_TEST else [pytest.mark.all_apps])
    for app in APPS
    for name in app.version_names
]


class Recordings:
    """A workspace in which each app is recorded when it is first asked for."""

    def __init__(self, folder: Path) -> None:
        """Make the workspace in *folder*."""
        self.workspace = make_workspace(folder)
        self._done: set[str] = set()

    def has(self, app: str) -> str:
        """Return *app* once the whole tour of it is recorded, certified or not."""
        if app not in self._done:
            recorded = envsvc(self.workspace, "record", "--app", app, "--tour", FULL)
            whole = (self.workspace / "har" / app / "cassette.yaml").is_file()
            assert whole, recorded.stdout + recorded.stderr
            self._done.add(app)
        return app


@pytest.fixture(scope="module")
def recordings(tmp_path_factory: pytest.TempPathFactory) -> Recordings:
    """Give a workspace with the apps' descriptions and no recording."""
    return Recordings(tmp_path_factory.mktemp("apps"))


@pytest.fixture(params=_PARAMETERS)
def recorded_app(request: pytest.FixtureRequest, recordings: Recordings) -> str:
    """Give the name of an app whose whole tour is recorded."""
    return recordings.has(request.param)


@pytest.fixture
def workspace(recordings: Recordings) -> Path:
    """Give the workspace that the recordings are in."""
    return recordings.workspace


def _replayed(workspace: Path, app: str, tour: str, report: Path) -> Finished:
    """Follow *tour* as an agent would, the app stopped, in a network namespace without routes."""
    follow = [sys.executable, "-m", "tests.apps.follow_tour", str(workspace), app, tour]
    options = ["--app", app, "--report", str(report)]
    command = ["-C", str(workspace), "exec", *options, "--", *follow]
    return run_program("envsvc.cli.main", *command, with_network=False)


def _misses(report: SessionReport) -> list[str]:
    """Return what counts against the episode."""
    counted = {MissClass.TASK, MissClass.STATE_UNKNOWN}
    return [f"{m.method} {m.url}" for m in report.misses if m.miss_class in counted]


def test_the_recording_is_certified(recorded_app: str, workspace: Path) -> None:
    """D8: sealing ended with a clean self-replay."""
    verified = envsvc(workspace, "verify", "--app", recorded_app, "--json")

    assert msgspec.json.decode(verified.stdout)["certified"], verified.stdout


@pytest.mark.parametrize("again", [False, True])
def test_the_tour_replays_with_the_app_stopped_and_no_network(
    recorded_app: str, workspace: Path, tmp_path: Path, *, again: bool
) -> None:
    """S0-02: every step passes, nothing is missed, nothing tries to get out; twice in a row."""
    replayed = _replayed(workspace, recorded_app, FULL, tmp_path / "report.json")
    report = msgspec.json.decode((tmp_path / "report.json").read_bytes(), type=SessionReport)

    assert replayed.returncode == 0, replayed.stdout + replayed.stderr
    assert _misses(report) == []
    assert report.verdict is Verdict.REPLAYED
    assert report.outbound_connections == 0


def test_an_altered_request_never_gets_an_answer(recorded_app: str, workspace: Path) -> None:
    """D3: 0 false hits and 0 false misses, whatever part of a recorded request is altered."""
    name, _, version = recorded_app.partition("/")
    store = CassetteFiles(workspace / "har")
    index = store.load(name, version, Redactor({})).index
    tally = matched(index, (exchange for _, exchange in store.entries(name, version)))

    assert (tally.false_hits, tally.false_misses) == ([], [])
    assert min(tally.missed["query"], tally.missed["body"], tally.hit["escape"]) > 0


@pytest.mark.parametrize("app", app_called("datasette").version_names)
def test_the_same_goal_is_reached_another_way(
    app: str, recordings: Recordings, tmp_path: Path
) -> None:
    """D4: pages in another order, some twice, one write only; no answer is by call order."""
    recordings.has(app)

    replayed = _replayed(recordings.workspace, app, _OTHER_WAY, tmp_path / "report.json")

    assert replayed.returncode == 0, replayed.stdout + replayed.stderr


def test_two_sessions_at_once_see_each_its_own_state(recorded_app: str, workspace: Path) -> None:
    """D5: one stops before it writes, one after; each looks again, and goes on to the end."""
    words = (str(workspace), recorded_app)
    finished = run_program("tests.apps.two_sessions", *words, with_network=False)
    assert finished.stdout, finished.stderr
    visitors = msgspec.json.decode(finished.stdout, type=list[Visitor])

    failed = [step for visitor in visitors for step in visitor.steps if step.problem]
    missed = [miss for visitor in visitors for miss in _misses(visitor.report)]
    assert (failed, missed) == ([], [])
