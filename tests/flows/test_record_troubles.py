"""Recordings that are cut off, go wrong, or have no tour: nothing recorded is lost (D8)."""

import json
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import httpx
import pytest

from envsvc.exchange.message import Response
from envsvc.record.journal import Recorded as RecordedEvent
from envsvc.record.journal import StepDone, read_events
from tests.adapters_record.shop import (
    edit_app,
    environment,
    record,
    record_command,
    shop_workspace,
    write_tour,
)
from tests.flows.recorded import Recorded

pytestmark = [pytest.mark.loopback, pytest.mark.browser]

PASSWORD = "secret123"
ONE_PAGE = "name: default-views\nsteps: [{goto: /catalogue}, {see: 12 products}]\n"
PAGES = ("catalogue", "product/p01", "product/p02")

SLOW_TOUR = """
name: default-views
steps:
  - goto: /login
  - fill: {selector: "#login input[name=email]", value: shopper@example.org}
  - fill: {selector: "#login input[name=password]", value: secret123}
  - click: "#login button"
  - goto: /catalogue
  - goto: /product/p01
  - evaluate: "new Promise(done => setTimeout(() => done(true), {pause_ms}))"
  - goto: /product/p02
"""


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """Return a workspace whose default-views tour is one page."""
    workspace = shop_workspace(tmp_path)
    write_tour(workspace, ONE_PAGE)
    return workspace


def wait_for(condition: Callable[[], object], timeout_s: float = 30) -> None:
    """Return when *condition* holds."""
    deadline = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def journal_lines(workspace: Path) -> list[bytes]:
    """Return the lines of the journal, [] if there is none."""
    path = workspace / "har/shop/v1.recording/journal.jsonl"
    return path.read_bytes().splitlines(keepends=True) if path.exists() else []


def run_default_views(workspace: Path, *options: str, **more: str) -> Sequence[str | int]:
    """Record the one-page tour and return exit code and what was said."""
    result = record(workspace, "--tour", "default-views", *options, **more)
    return result.returncode, result.stdout + result.stderr


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the workspace of a recorder that was killed in its seventh step."""
    workspace = shop_workspace(tmp_path_factory.mktemp("killed"))
    write_tour(workspace, SLOW_TOUR.replace("{pause_ms}", "7000"))
    with subprocess.Popen(
        record_command(workspace, "--tour", "default-views"), env=environment(workspace)
    ) as process:
        wait_for(lambda: sum(b"StepDone" in line for line in journal_lines(workspace)) == 6)
        process.kill()
    return workspace


class TestInterrupted:
    """A recorder that is killed, and one that goes on."""

    def test_finished_steps_survive(self, killed: Path) -> None:
        """D8: what was recorded before kill -9 is in the journal."""
        events = list(read_events(journal_lines(killed)))

        numbers = [event.number for event in events if isinstance(event, StepDone)]
        assert numbers == [1, 2, 3, 4, 5, 6]

    def test_no_credential_is_in_the_journal(self, killed: Path) -> None:
        """S3-10: redacted before the disk, not at the end."""
        events = list(read_events(journal_lines(killed)))
        headers = [
            pair
            for event in events
            if isinstance(event, RecordedEvent) and isinstance(event.exchange.answer, Response)
            for pair in (*event.exchange.request.headers, *event.exchange.answer.headers)
        ]
        cookies = [value for name, value in headers if name.lower() in {"cookie", "set-cookie"}]

        assert PASSWORD not in repr(events)
        assert {"=redacted-cookie-" in cookie for cookie in cookies} == {True}

    def test_no_app_outlives_the_recorder(self, killed: Path) -> None:
        """D8: kill -9 leaves no orphan of the app."""
        app = str(killed / "images/shop/server")

        wait_for(lambda: not _commands_with(app), timeout_s=8)

    def test_without_resume_it_is_refused(self, killed: Path) -> None:
        """D8: nothing is overwritten without being asked."""
        code, said = run_default_views(killed)

        assert (code, "--resume" in str(said)) == (2, True)

    def test_resume_completes_it(self, killed: Path, tmp_path: Path) -> None:
        """D8: --resume records the rest, and the whole is certified."""
        workspace = tmp_path / "resumed"
        shutil.copytree(killed, workspace)
        write_tour(workspace, SLOW_TOUR.replace("{pause_ms}", "10"))

        code, said = run_default_views(workspace, "--resume")

        assert code == 0, said
        recorded = Recorded(workspace, subprocess.CompletedProcess([], 0))
        asked = [e.request.url for e in recorded.exchanges]
        assert [asked.count(f"http://shop.test/{path}") for path in PAGES] == [1, 1, 1]


def _commands_with(text: str) -> list[str]:
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            command = path.read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue  # it has just ended
        if text in command:
            found.append(command)
    return found


class TestTroubles:
    """What can go wrong, each with its code and exit code."""

    def test_an_app_that_never_answers(self, workspace: Path) -> None:
        """E301: it says the path, the last status, and exits with 3."""
        edit_app(
            workspace, "path: /health, status: 200, timeout_s: 20", "path: /nope, timeout_s: 1"
        )

        code, said = run_default_views(workspace)

        assert (code, "E301" in str(said), "last: 404" in str(said)) == (3, True, True)

    def test_an_app_that_dies_at_once(self, workspace: Path) -> None:
        """E302: it shows the last lines that the app wrote."""
        edit_app(workspace, '"--version", "v1"', '"--version", "v99"')

        code, said = run_default_views(workspace)

        assert (code, "E302" in str(said), "invalid choice" in str(said)) == (3, True, True)

    def test_an_app_that_dies_in_a_tour(self, workspace: Path) -> None:
        """E302: the tour stops because of the app, not because of its step."""
        mortal = "import os, runpy, sys, threading; threading.Timer(3, os._exit, [7]).start()"
        run = f"{mortal}; del sys.argv[0]; runpy.run_path(sys.argv[0], run_name='__main__')"
        edit_app(
            workspace, '["{python}", "{app_dir}', f'["{{python}}", "-c", "{run}", "{{app_dir}}'
        )
        write_tour(workspace, SLOW_TOUR.replace("{pause_ms}", "4000"))

        code, said = run_default_views(workspace)

        assert (code, "E302" in str(said), "status 7" in str(said)) == (3, True, True)

    def test_a_step_that_fails(self, workspace: Path) -> None:
        """E303: it names the step and how to go on; the journal stays."""
        write_tour(workspace, ONE_PAGE.replace("see: 12 products", "evaluate: '1 > 2'"))

        code, said = run_default_views(workspace)

        assert (code, "step 2 (evaluate 1 > 2)" in str(said), "--resume" in str(said)) == (
            1,
            True,
            True,
        )
        assert journal_lines(workspace)

    def test_no_browser(self, workspace: Path) -> None:
        """E304: it says what to install, and exits with 3."""
        code, said = run_default_views(workspace, ENVSVC_CHROMIUM="/nowhere/chromium")

        assert (code, "E304" in str(said), "install" in str(said)) == (3, True, True)

    def test_a_port_that_is_taken(self, workspace: Path) -> None:
        """E401: the port of another program is not waited for."""
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = str(taken.getsockname()[1])
            code, said = run_default_views(workspace, "--port", port)

        assert (code, "E401" in str(said)) == (2, True)


class TestAttached:
    """Recording a client that is not ours."""

    def test_any_client_of_the_proxy_is_recorded(self, workspace: Path) -> None:
        """D8: --attach follows no tour; SIGTERM ends it, and what was asked is asked again."""
        command = record_command(workspace, "--attach", "--json")
        with subprocess.Popen(
            command, env=environment(workspace), stdout=subprocess.PIPE, text=True
        ) as process:
            assert process.stdout is not None
            proxy = json.loads(process.stdout.readline())["proxy"]
            httpx.get("http://shop.test/catalogue", proxy=proxy)
            process.send_signal(signal.SIGTERM)
            summary = json.loads(process.stdout.readline())

        assert (process.returncode, summary["entries"]) == (0, 1)
        assert summary["certificate"]["requests"] == 1


def test_dry_run_writes_nothing(workspace: Path) -> None:
    """D18: --dry-run says what would be recorded."""
    before = sorted(workspace.iterdir())

    code, said = run_default_views(workspace, "--dry-run")

    assert (code, "default-views" in str(said)) == (0, True)
    assert sorted(workspace.iterdir()) == before
