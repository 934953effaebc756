"""``envsvc serve`` as a process: where it listens, how it stops, what it refuses."""

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

pytestmark = pytest.mark.loopback


def command(workspace: Path, *words: str) -> list[str]:
    """Return the words that serve the cassette of *workspace* on free ports."""
    start = [sys.executable, "-m", "envsvc.cli.main", "-C", str(workspace), "serve"]
    return [*start, "--app", "shop/v1", "--port", "0", "--admin-port", "0", "--json", *words]


class Serving:
    """A server that runs."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        """Wait for its first line."""
        assert process.stdout is not None
        self.process = process
        self.started: dict[str, str] = json.loads(process.stdout.readline())

    def get(self, url: str, user: str = "") -> httpx.Response:
        """Ask through its proxy, as *user* ("name:password") if given."""
        scheme, _, address = self.started["proxy"].partition("://")
        proxy = f"{scheme}://{user}@{address}" if user else self.started["proxy"]
        return httpx.get(url, proxy=proxy, trust_env=False)

    def stop(self, number: signal.Signals) -> list[dict[str, object]]:
        """Stop it by a signal and return the reports that it prints."""
        self.process.send_signal(number)
        out, _ = self.process.communicate(timeout=20)
        return [json.loads(line) for line in out.splitlines()]


@contextmanager
def serving(workspace: Path, *words: str) -> Iterator[Serving]:
    """Serve while inside."""
    with subprocess.Popen(
        command(workspace, *words), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            yield Serving(process)
        finally:
            process.kill()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_serves_until_a_signal_and_reports_each_session(
    workspace: Path, number: signal.Signals
) -> None:
    """D18: Ctrl-C or SIGTERM ends it with exit code 0 and a report per session."""
    with serving(workspace) as server:
        page = server.get("http://shop.test/", "episode-1:x").text
        reports = server.stop(number)

    assert page == "<h1>home</h1>"
    assert [(report["session"], report["requests"]) for report in reports] == [("episode-1", 1)]
    assert server.process.returncode == 0


def test_the_admin_port_is_told_and_answers(workspace: Path) -> None:
    """D10: health on the admin port names the cassette that is served."""
    with serving(workspace) as server:
        health = httpx.get(f"{server.started['admin']}/health", trust_env=False).json()

    assert health["cassette"]["digest"] == server.started["digest"]


def test_a_token_is_asked_of_every_client(workspace: Path) -> None:
    """D10: with --token the proxy password must be right."""
    with serving(workspace, "--token", "made-up-token") as server:
        without = server.get("http://shop.test/").status_code
        right = server.get("http://shop.test/", "one:made-up-token").status_code

    assert (without, right) == (407, 200)


def test_the_live_policy_answers_from_the_live_app(workspace: Path) -> None:
    """S3-18: what was not recorded comes from --live, and the report says which version."""
    with serving(workspace) as app:
        live = ("--policy", "live", "--live", app.started["proxy"], "--live-version", "v9")
        with serving(workspace, *live) as server:
            status = server.get("http://shop.test/new").status_code
            report = server.stop(signal.SIGTERM)[0]

    assert status == 404
    assert report["verdict"] == "mixed"
    assert report["live"] == [
        {"method": "GET", "url": "http://shop.test/new", "app_version": "v9", "status": 404}
    ]


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("--host", "0.0.0.0"), "E402"),  # noqa: S104
        (("--policy", "live", "--live", ""), "E405"),
        (("--app", "shop/v7"), "E105"),
    ],
)
def test_what_cannot_be_served_is_a_clear_error(
    workspace: Path, words: tuple[str, ...], code: str
) -> None:
    """D18: a stable code, exit code 2, and what to do next."""
    app = workspace / "images" / "shop" / "app.yaml"
    app.write_text(app.read_text().replace('url: "http://shop.test"', "command: [run]"))
    refused = subprocess.run(
        command(workspace, *words), capture_output=True, text=True, check=False, timeout=30
    )

    assert (refused.returncode, code in refused.stderr) == (2, True)


def test_a_tampered_cassette_is_not_served(workspace: Path) -> None:
    """D2: one byte changed is an error that names the file."""
    body = next((workspace / "har" / "shop" / "v1" / "bodies").iterdir())
    body.write_bytes(body.read_bytes()[:-1] + b"!")
    refused = subprocess.run(
        command(workspace), capture_output=True, text=True, check=False, timeout=30
    )

    assert refused.returncode == 2
    assert "E203" in refused.stderr
    assert body.name[:16] in refused.stderr
