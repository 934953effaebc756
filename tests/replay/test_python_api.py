"""``envsvc.replay`` and the pytest fixture."""

from pathlib import Path

import httpx
import pytest

import envsvc
from envsvc.adapters.browser.chromium import running_chromium
from envsvc.adapters.python_api import UnreplayableError
from envsvc.playback.outcome import Outcome

pytest_plugins = ["pytester"]
pytestmark = pytest.mark.loopback


def test_httpx_is_answered_from_the_cassette(workspace: Path) -> None:
    """D10: ``session.httpx_kwargs`` are all that a client needs."""
    with envsvc.replay("shop/v1", workspace=workspace) as session:
        secure = httpx.get("https://shop.test/", **session.httpx_kwargs)

    assert secure.text == "<h1>secure</h1>"


def test_the_report_counts_what_was_asked(workspace: Path) -> None:
    """D7: ``session.report`` sums up to the requests."""
    with envsvc.replay("shop/v1", workspace=workspace) as session:
        httpx.get("http://shop.test/", **session.httpx_kwargs)
        report = session.report

    assert report.outcomes == {Outcome.EXACT: 1}


def test_a_strict_miss_raises_on_leaving(workspace: Path) -> None:
    """S3-12: strict raises, and names what was asked."""
    with (
        pytest.raises(UnreplayableError, match=r"http://shop\.test/new"),
        envsvc.replay("shop/v1", workspace=workspace) as session,
    ):
        httpx.get("http://shop.test/new", **session.httpx_kwargs)


def test_reset_starts_the_account_anew(workspace: Path) -> None:
    """D5: a session is reset per episode."""
    with envsvc.replay("shop/v1", workspace=workspace) as session:
        httpx.get("http://shop.test/new", **session.httpx_kwargs)
        session.reset()
        report = session.report

    assert report.requests == 0


@pytest.mark.browser
@pytest.mark.parametrize("trust", ["arguments", "context"])
def test_a_real_browser_is_answered_from_the_cassette(workspace: Path, trust: str) -> None:
    """D10: Chromium over http and https, trusting our authority in either documented way."""
    with envsvc.replay("shop/v1", policy="error", workspace=workspace) as session:
        arguments = session.chromium_args if trust == "arguments" else []
        with running_chromium(arguments) as browser:
            page = browser.new_page(
                proxy=session.playwright_proxy, ignore_https_errors=trust == "context"
            )
            shown = []
            for scheme in ("http", "https"):
                page.goto(f"{scheme}://shop.test/")
                shown.append(page.inner_text("h1"))

    assert shown == ["home", "secure"]


TEST_FILE = """
import httpx
import pytest


@pytest.mark.envsvc("shop/v1")
def test_hit(envsvc_session):
    assert httpx.get("http://shop.test/", **envsvc_session.httpx_kwargs).status_code == 200


def test_miss(envsvc_session):
    httpx.get("http://shop.test/new", **envsvc_session.httpx_kwargs)
"""


def test_the_fixture_replays_and_fails_a_test_that_missed(
    workspace: Path, pytester: pytest.Pytester
) -> None:
    """S0-10: in pytest a strict miss is an error of the test that made it."""
    for name in ("images", "har"):
        (pytester.path / name).symlink_to(workspace / name)
    pytester.makeini("[pytest]\nenvsvc_app = shop/v1\n")
    pytester.makepyfile(TEST_FILE)
    result = pytester.runpytest_subprocess("-p", "no:randomly")

    result.assert_outcomes(passed=2, errors=1)
