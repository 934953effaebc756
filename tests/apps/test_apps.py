"""Apps that none of us wrote, recorded live and replayed with the app stopped and no network."""

import os
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from envsvc.playback.outcome import Outcome
from envsvc.playback.session import SessionReport, Verdict

pytestmark = [pytest.mark.apps, pytest.mark.browser]

REPOSITORY = Path(__file__).parents[2]
APPS = ["datasette/v0.64", "datasette/v1.0a", "roundup/v2.3", "roundup/v2.6"]


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a workspace with the apps' descriptions and no recording."""
    folder = tmp_path_factory.mktemp("apps")
    (folder / "images").symlink_to(Path(__file__).parent / "images")
    return folder


@pytest.fixture(scope="module", params=APPS)
def recorded_app(request: pytest.FixtureRequest, workspace: Path) -> str:
    """Record the read-only tour of an app; give its name."""
    app: str = request.param
    recorded = envsvc(workspace, "record", "--app", app, "--tour", "read")
    assert recorded.returncode == 0, recorded.stdout + recorded.stderr
    return app


def envsvc(workspace: Path, *words: str, within: tuple[str, ...] = ()) -> "Finished":
    """Run the command in *workspace*, the words of *within* before it."""
    return subprocess.run(
        [*within, sys.executable, "-m", "envsvc.cli.main", "-C", str(workspace), *words],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        cwd=REPOSITORY,
        env={**os.environ, "ENVSVC_APPS_CACHE": str(REPOSITORY / ".cache" / "apps")},
    )


type Finished = subprocess.CompletedProcess[str]


def replay_without_a_network(workspace: Path, app: str, report: Path) -> "Finished":
    """Follow the tour against the cassette, all in a network namespace without routes."""
    follow = [sys.executable, "-m", "tests.apps.follow_tour", str(workspace), app, "read"]
    return envsvc(
        workspace,
        "exec", "--app", app, "--report", str(report), "--", *follow,
        within=("unshare", "--net", "sh", "-c", 'ip link set lo up && exec "$@"', "sh"),
    )  # fmt: skip


def test_read_only_pages_replay_with_the_app_stopped_and_no_network(
    recorded_app: str, workspace: Path, tmp_path: Path
) -> None:
    """S0-02: every step passes, no task miss, no attempt to get out."""
    replayed = replay_without_a_network(workspace, recorded_app, tmp_path / "report.json")
    report = msgspec.json.decode((tmp_path / "report.json").read_bytes(), type=SessionReport)

    assert replayed.returncode == 0, replayed.stdout + replayed.stderr
    assert report.verdict is Verdict.REPLAYED
    assert report.count(Outcome.MISS_TASK) == 0
    assert report.outbound_connections == 0


def test_the_recording_is_certified(recorded_app: str, workspace: Path) -> None:
    """D8: sealing ended with a clean self-replay."""
    listed = envsvc(workspace, "verify", "--app", recorded_app, "--json")

    assert listed.returncode == 0, listed.stderr
    assert '"certified":true' in listed.stdout.replace(" ", "").lower()
