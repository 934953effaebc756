"""What every ReplayRuntime promises (envsvc.ports)."""

from pathlib import Path

import httpx
import pytest

from envsvc.adapters.replay_server.thread import ReplayThread
from envsvc.exchange.redact import Redactor
from envsvc.playback.outcome import MissPolicy
from envsvc.ports import ReplayRuntime
from tests.app.fakes import FakeReplays
from tests.replay_server.cassettes import cassette, page, recorded

pytestmark = [pytest.mark.contract, pytest.mark.loopback]

FROZEN = cassette([recorded("http://shop.test/", page(b"home"))])


@pytest.fixture(params=["thread", "fake"])
def runtime(request: pytest.FixtureRequest, tmp_path: Path) -> ReplayRuntime:
    """Give what starts replay servers, of each kind there is."""
    if request.param == "fake":
        return FakeReplays()
    return ReplayThread(Redactor({}), ca_folder=tmp_path / "ca")


def test_a_session_has_a_proxy_url(runtime: ReplayRuntime) -> None:
    """D5: a session is opened by name and reached by a URL."""
    with runtime.serve(FROZEN) as service:
        url = service.open_session("one", MissPolicy.ERROR)

    assert httpx.URL(url).scheme == "http"


def test_a_report_is_of_the_session_that_was_asked_for(runtime: ReplayRuntime) -> None:
    """D7: outcomes sum up to requests, and the report names session and policy."""
    with runtime.serve(FROZEN) as service:
        service.open_session("one", MissPolicy.ERROR)
        report = service.report("one")

    assert (report.session, report.policy) == ("one", MissPolicy.ERROR)
    assert sum(report.outcomes.values()) == report.requests


def test_a_running_replay_opened_no_connection(runtime: ReplayRuntime) -> None:
    """D10: starting a server and a session is not an attempt to get out."""
    with runtime.serve(FROZEN) as service:
        service.open_session("one", MissPolicy.STRICT)
        report = service.report("one")

    assert report.outbound_connections == 0
