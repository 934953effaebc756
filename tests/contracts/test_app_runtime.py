"""What every AppRuntime promises (envsvc.ports)."""

import sys
from pathlib import Path

import pytest

from envsvc.adapters.app_process import LocalApps
from envsvc.ports import AppRuntime
from envsvc.record.app_spec import AppSpec, VersionSpec
from tests.app.fakes import FakeApps

pytestmark = [pytest.mark.contract, pytest.mark.loopback]

SPEC = AppSpec(
    app="files",
    virtual_host="files.test",
    versions={
        "v1": VersionSpec(
            command=(sys.executable, "-m", "http.server", "{port}", "--bind", "127.0.0.1")
        )
    },
    default_tour="none",
    tours={"none": "none.yaml"},
)


@pytest.fixture(params=["local", "fake"])
def runtime(request: pytest.FixtureRequest, tmp_path: Path) -> AppRuntime:
    """Give what starts apps, of each kind there is."""
    return FakeApps() if request.param == "fake" else LocalApps(tmp_path, tmp_path / "app.log")


def test_a_started_app_says_where_it_listens(runtime: AppRuntime) -> None:
    """D1: the recorder maps the virtual host to wherever the app really listens."""
    with runtime.start(SPEC, "v1") as app:
        address = app.address

    assert (address.scheme, address.host) == ("http", "127.0.0.1")
    assert address.port > 0


def test_an_app_that_runs_is_alive(runtime: AppRuntime) -> None:
    """D8: nothing is raised while it has not ended."""
    with runtime.start(SPEC, "v1") as app:
        app.check_alive()
        app.check_alive()


def test_an_app_can_be_started_again(runtime: AppRuntime) -> None:
    """D8: each pass begins with a fresh start."""
    for _ in range(2):
        with runtime.start(SPEC, "v1") as app:
            app.check_alive()
