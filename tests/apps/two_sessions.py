"""Two visitors of one replay at once, who pause at different steps: exit 1 if a step fails.

Each waits until the other pauses too, then looks again at what it saw last, then goes on to the
end of the tour. Prints one JSON line: the steps and the session report of each.

usage: python -m tests.apps.two_sessions WORKSPACE APP/VERSION
"""

import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Barrier

import httpx
import msgspec

from envsvc.adapters.browser.chromium import ProxySettings, running_chromium
from envsvc.adapters.browser.driver import OFFLINE_TIMEOUT_MS
from envsvc.playback.session import SessionReport
from envsvc.ports import StepResult
from tests.apps.visits import Planned, Steps, visit
from tests.apps.workspace import FULL, Pause, app_called

_PAUSE_TIMEOUT_S = 180  # one of them has most of the tour before its pause


class Visitor(msgspec.Struct, frozen=True, kw_only=True):
    """What came of one visitor."""

    steps: tuple[StepResult, ...]
    report: SessionReport


def main(workspace: str, app: str) -> int:
    """Let both visit *app*, print what came of it, and say whether every step passed."""
    planned = Planned.find(Path(workspace), app, FULL)
    described = app_called(planned.version.spec.app)
    pauses = (described.before_writing, described.after_writing)
    both = Barrier(len(pauses), timeout=_PAUSE_TIMEOUT_S)
    with _served(workspace, app) as admin_url, ThreadPoolExecutor(len(pauses)) as pool:
        visitors = list(pool.map(lambda pause: _visitor(planned, admin_url, pause, both), pauses))
    sys.stdout.buffer.write(msgspec.json.encode(visitors) + b"\n")
    return int(any(step.problem for visitor in visitors for step in visitor.steps))


def _visitor(planned: Planned, admin_url: str, pause: Pause, both: Barrier) -> Visitor:
    opened = httpx.post(f"{admin_url}/sessions", json={"policy": "error"}).json()
    server = f"http://127.0.0.1:{opened['port']}"
    proxy = ProxySettings(server=server, bypass="<-loopback>")
    with running_chromium() as browser:
        results = visit(
            planned,
            browser,
            timeout_ms=OFFLINE_TIMEOUT_MS,
            options={"proxy": proxy},
            steps=Steps(pause, both.wait),
        )
    report = httpx.get(f"{admin_url}/sessions/{opened['session']}/report").content
    return Visitor(steps=tuple(results), report=msgspec.json.decode(report, type=SessionReport))


@contextmanager
def _served(workspace: str, app: str) -> Iterator[str]:
    """Run ``envsvc serve`` and give the URL of its admin port."""
    command = [sys.executable, "-m", "envsvc.cli.main", "-C", workspace, "serve", "--json"]
    options = ["--app", app, "--port", "0", "--admin-port", "0"]
    with subprocess.Popen([*command, *options], stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            yield msgspec.json.decode(server.stdout.readline())["admin"]
        finally:
            server.terminate()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
