"""Apps as processes: started fresh, waited for, ended with all their children."""

import time
from pathlib import Path

import httpx
import pytest

from envsvc.adapters.app_process import AppDiedError, AppNotReadyError, LocalApps
from envsvc.ports import RunningApp
from envsvc.record.app_spec import AppSpec, VersionSpec
from envsvc.snapshot.spec import Readiness

pytestmark = pytest.mark.loopback

SERVE = ("{python}", "-m", "http.server", "{port}", "--bind", "127.0.0.1")
# A shell that starts the server as its child, as start scripts do.
SHELL = ("sh", "-c", "echo $$ > pid; {python} -m http.server {port} --bind 127.0.0.1 & wait")


def spec_of(*command: str, setup: tuple[str, ...] = (), timeout_s: float = 10) -> AppSpec:
    """Return an app with one version."""
    return AppSpec(
        app="a",
        virtual_host="app.test",
        versions={"v1": VersionSpec(command=command, setup=setup)},
        default_tour="t",
        tours={},
        ready=Readiness(timeout_s=timeout_s),
    )


@pytest.fixture
def apps(tmp_path: Path) -> LocalApps:
    """Return a runtime whose apps live in a folder of their own."""
    return LocalApps(tmp_path, tmp_path / "logs" / "app.log")


def is_listening(port: int) -> bool:
    """Say whether a server answers on *port*."""
    try:
        httpx.get(f"http://127.0.0.1:{port}/")
    except httpx.TransportError:
        return False
    return True


def test_a_started_app_answers(apps: LocalApps) -> None:
    """D1: it is ready when start gives it."""
    with apps.start(spec_of(*SERVE), "v1") as app:
        assert is_listening(app.address.port)


def test_a_left_app_has_ended(apps: LocalApps) -> None:
    """D8: nothing runs on when the recording is over."""
    with apps.start(spec_of(*SERVE), "v1") as app:
        port = app.address.port

    assert not is_listening(port)


def test_children_of_an_app_end_with_it(apps: LocalApps) -> None:
    """D8: a start script's server is not forgotten."""
    with apps.start(spec_of(*SHELL), "v1") as app:
        port = app.address.port

    assert not is_listening(port)


def test_setup_runs_first_and_knows_the_app(apps: LocalApps, tmp_path: Path) -> None:
    """D1: setup and command know version, virtual host and folder."""
    code = "import json, sys; json.dump(sys.argv[1:], open('index.html', 'w'))"
    setup = ("{python}", "-c", code, "{version}", "{host}", "{app_dir}")
    with apps.start(spec_of(*SERVE, setup=setup), "v1") as app:
        said = httpx.get(f"http://127.0.0.1:{app.address.port}/").json()

    assert said == ["v1", "app.test", str(tmp_path.resolve())]


def test_a_setup_that_fails_is_told(apps: LocalApps) -> None:
    """E302: with its status and its last words."""
    setup = ("sh", "-c", "echo no database; exit 3")
    with (
        pytest.raises(AppDiedError, match=r"status 3\n  \| no database"),
        apps.start(spec_of(*SERVE, setup=setup), "v1"),
    ):
        pass


def test_an_app_that_ends_at_once_is_told(apps: LocalApps) -> None:
    """E302: it is not waited for until the time is over."""
    with (
        pytest.raises(AppDiedError, match=r"status 4\n  \| bad option"),
        apps.start(spec_of("sh", "-c", "echo bad option; exit 4"), "v1"),
    ):
        pass


def test_a_command_that_is_not_there_is_told(apps: LocalApps) -> None:
    """E302: a misspelt command is the app's trouble, not a bug of ours."""
    with pytest.raises(AppDiedError), apps.start(spec_of("no-such-command"), "v1"):
        pass


def test_an_app_that_never_listens_is_told(apps: LocalApps) -> None:
    """E301: with the path and what was last seen."""
    with (
        pytest.raises(AppNotReadyError, match="did not answer 200 at /"),
        apps.start(spec_of("sleep", "60", timeout_s=0.3), "v1"),
    ):
        pass


def test_an_app_that_dies_later_is_noticed(apps: LocalApps) -> None:
    """E302: check_alive tells."""
    run = "timeout 1 {python} -m http.server {port} --bind 127.0.0.1"
    with apps.start(spec_of("sh", "-c", run), "v1") as app:
        wait_until_dead(app)

        with pytest.raises(AppDiedError, match="status 124"):
            app.check_alive()


def wait_until_dead(app: RunningApp) -> None:
    """Return when nothing listens at the address of *app*, and a moment later."""
    while is_listening(app.address.port):
        time.sleep(0.05)
    time.sleep(0.3)


def test_a_live_url_is_only_checked(apps: LocalApps, tmp_path: Path) -> None:
    """D1: a version may run anywhere; envsvc does not start it."""
    with apps.start(spec_of(*SERVE), "v1") as running:
        url = f"http://127.0.0.1:{running.address.port}"
        live = spec_of()
        live.versions["v1"] = VersionSpec(url=url)
        with LocalApps(tmp_path, tmp_path / "log").start(live, "v1") as site:
            assert site.address == running.address
