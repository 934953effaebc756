"""The candidates: each records an app while it runs, then replays it with the app stopped."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

import msgspec
from playwright.sync_api import BrowserContext

from envsvc.adapters.app_process import LocalApps, free_port
from envsvc.adapters.browser.chromium import running_chromium
from envsvc.adapters.browser.driver import LIVE_TIMEOUT_MS, OFFLINE_TIMEOUT_MS
from envsvc.ports import StepResult
from tests.apps.visits import Planned, visit
from tests.apps.workspace import FULL, envsvc
from tests.bench.processes import running, wait_for_port

_MITMDUMP = (Path(sys.executable).with_name("mitmdump"), "-q")
# What keeps it from asking the network while it replays.
_OFFLINE = {"connection_strategy": "lazy", "upstream_cert": "false", "server_replay_extra": "404"}
# A recorded 304 would reach a browser that has nothing cached.
_WHOLE_ANSWERS = {"anticache": "true", "connection_strategy": "lazy"}
_LEAD_TO_APP = Path(__file__).with_name("lead_to_app.py")


class RecordingFailedError(RuntimeError):
    """A candidate could not record a tour that passes without it."""


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """Where one app version is recorded: the workspace, and a folder for what others write."""

    workspace: Path
    app: str
    folder: Path

    def planned(self, tour: str) -> Planned:
        """Return a tour of the app."""
        return Planned.find(self.workspace, self.app, tour)


class Candidate(Protocol):
    """A way to record and replay."""

    @property
    def name(self) -> str:
        """Return its name in the table."""
        ...

    def record(self, place: Place) -> None:
        """Record the full tour of the live app. Raises: RecordingFailedError."""
        ...

    def replay(self, place: Place, tour: str) -> Sequence[StepResult]:
        """Follow *tour* against what was recorded; nothing listens where the app did."""
        ...


class Envsvc:
    """``envsvc record`` and ``envsvc serve``."""

    name = "envsvc"

    def record(self, place: Place) -> None:
        """Record by the command."""
        done = envsvc(place.workspace, "record", "--app", place.app, "--tour", FULL)
        if not (place.workspace / "har" / place.app / "cassette.yaml").is_file():
            raise RecordingFailedError(done.stdout + done.stderr)

    def replay(self, place: Place, tour: str) -> Sequence[StepResult]:
        """Follow the tour through the proxy of the command."""
        port, log = free_port(), place.folder / "envsvc.log"
        where = [sys.executable, "-m", "envsvc.cli.main", "-C", str(place.workspace)]
        options = ["--port", str(port), "--admin-port", "0", "--policy", "error"]
        with running([*where, "serve", "--app", place.app, *options], log) as process:
            wait_for_port(process, port, log)
            return _visit_by_proxy(place.planned(tour), port, OFFLINE_TIMEOUT_MS)


class RouteFromHar:
    """Playwright's ``record_har_path`` and ``route_from_har``."""

    name = "Playwright routeFromHAR"

    def record(self, place: Place) -> None:
        """Record the page's context while it visits the app directly."""
        planned = place.planned(FULL)
        options = {"record_har_path": str(_har(place)), "record_har_mode": "full"}
        with (
            _live(planned, place.folder) as port,
            running_chromium([_mapped(planned, port)]) as browser,
        ):
            results = visit(planned, browser, timeout_ms=LIVE_TIMEOUT_MS, options=options)
        _require_all(self.name, place.app, results)

    def replay(self, place: Place, tour: str) -> Sequence[StepResult]:
        """Follow the tour in a context whose requests are routed to the recording."""

        def route(context: BrowserContext) -> None:
            context.route_from_har(str(_har(place)), not_found="abort")

        planned = place.planned(tour)
        with running_chromium([_mapped(planned, free_port())]) as browser:
            return visit(planned, browser, timeout_ms=OFFLINE_TIMEOUT_MS, prepare=route)


class Mitmdump:
    """``mitmdump -w`` and ``mitmdump --server-replay``, with or without reuse of answers."""

    def __init__(self, *, reuses: bool) -> None:
        """Replay each answer once, as is the default, or as often as it is asked for."""
        self.name = "mitmdump reuse" if reuses else "mitmdump server-replay (pops)"
        self._reuses = reuses

    def record(self, place: Place) -> None:
        """Record what passes the proxy; both ways to replay share it."""
        flows = _flows(place)
        if flows.is_file():
            return
        planned = place.planned(FULL)
        with _live(planned, place.folder) as app_port:
            led = {"led_host": planned.version.spec.virtual_host, "led_port": str(app_port)}
            script = ["-s", str(_LEAD_TO_APP), "-w", str(flows)]
            with _mitmdump(place, {**led, **_WHOLE_ANSWERS}, script) as port:
                results = _visit_by_proxy(planned, port, LIVE_TIMEOUT_MS)
        _require_all(self.name, place.app, results)

    def replay(self, place: Place, tour: str) -> Sequence[StepResult]:
        """Follow the tour through the proxy."""
        options = {**_OFFLINE, "server_replay_reuse": str(self._reuses).lower()}
        with _mitmdump(place, options, ["--server-replay", str(_flows(place))]) as port:
            return _visit_by_proxy(place.planned(tour), port, OFFLINE_TIMEOUT_MS)


CANDIDATES: tuple[Candidate, ...] = (
    RouteFromHar(),
    Mitmdump(reuses=False),
    Mitmdump(reuses=True),
    Envsvc(),
)


def _visit_by_proxy(planned: Planned, port: int, timeout_ms: float) -> Sequence[StepResult]:
    proxy = {"server": f"http://127.0.0.1:{port}", "bypass": "<-loopback>"}
    with running_chromium() as browser:
        return visit(planned, browser, timeout_ms=timeout_ms, options={"proxy": proxy})


@contextmanager
def _live(planned: Planned, folder: Path) -> Iterator[int]:
    """Run a fresh app and give its port."""
    version = planned.version
    apps = LocalApps(version.folder, folder / "app.log")
    with apps.start(version.spec, version.version) as app:
        yield app.address.port


@contextmanager
def _mitmdump(place: Place, options: dict[str, str], words: Sequence[str]) -> Iterator[int]:
    """Run mitmdump and give its port."""
    port, log = free_port(), place.folder / "mitmdump.log"
    own = {"listen_host": "127.0.0.1", "listen_port": str(port), "confdir": str(place.folder)}
    settings = [f"{name}={value}" for name, value in {**own, **options}.items()]
    sets = [word for setting in settings for word in ("--set", setting)]
    with running([*_MITMDUMP, *words, *sets], log) as process:
        wait_for_port(process, port, log)
        yield port


def _mapped(planned: Planned, port: int) -> str:
    """Return the switch that leads the virtual host to *port* without a proxy."""
    return f"--host-resolver-rules=MAP {planned.version.spec.virtual_host} 127.0.0.1:{port}"


def _require_all(candidate: str, app: str, results: Sequence[StepResult]) -> None:
    failed = [f"{step.label}: {step.problem}" for step in results if step.problem]
    if failed or not results:
        raise RecordingFailedError(f"{candidate} cannot record {app}: {'; '.join(failed)}")


def _har(place: Place) -> Path:
    return place.folder / "tour.har"


def _flows(place: Place) -> Path:
    return place.folder / "tour.flows"
