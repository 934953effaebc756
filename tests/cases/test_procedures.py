"""Cases of kind ``procedure`` about recording, episodes, the proxy and redaction."""

import json
import shutil
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import httpx
import msgspec
import pytest

from envsvc.adapters.browser.canary import ProxyBypassedError, check_proxy
from envsvc.adapters.browser.chromium import running_chromium
from envsvc.adapters.browser.driver import PlaywrightBrowser
from envsvc.adapters.cassette_files import CassetteFiles
from envsvc.adapters.certificates import CertificateAuthority
from envsvc.adapters.mitm.recorder import MitmRecorders
from envsvc.adapters.replay_server.server import ServeOptions
from envsvc.adapters.replay_server.thread import ReplayThread, RunningReplay
from envsvc.exchange.message import Exchange, Response
from envsvc.exchange.redact import Redactor
from envsvc.playback.outcome import MissPolicy, Outcome
from envsvc.ports import Address, TourSource
from envsvc.record.app_spec import AppSpec
from tests.adapters_record.shop import environment, record_command, shop_workspace
from tests.adapters_record.test_recorder import Notes
from tests.cases.recorded import cassette, redacted
from tests.cases.schema import Config, HttpRequest, HttpResponse, Recorded

pytestmark = [pytest.mark.cases, pytest.mark.loopback]

SPEC = AppSpec(app="a", virtual_host="app.test", versions={}, default_tour="t", tours={})
TOKEN = "tok-9f8e7d6c5b4a3210f8e7"


class Origin(BaseHTTPRequestHandler):
    """An app that signs in, and that answers late when it is asked to."""

    protocol_version = "HTTP/1.1"
    was_asked: ClassVar[threading.Event] = threading.Event()
    may_answer: ClassVar[threading.Event] = threading.Event()
    authorizations: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        """Answer by path."""
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        body = b"page"
        if self.path == "/late":
            self.was_asked.set()
            assert self.may_answer.wait(20)
        elif self.path == "/login":
            body = json.dumps({"access_token": TOKEN, "items": [1, 2, 3]}).encode()
        elif self.path == "/me":
            self.authorizations.append(self.headers.get("Authorization", ""))
        self.send_response(200)
        self.send_header("Content-Type", "application/json" if body[:1] == b"{" else "text/plain")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_POST = do_GET  # noqa: N815

    def log_message(self, *_: object) -> None:
        """Keep quiet."""


@contextmanager
def listening(host: str, port: int = 0) -> Iterator[int]:
    """Run the app on *host*; give its port."""
    server_class = type("Server", (ThreadingHTTPServer,), {"address_family": _family(host)})
    with server_class((host, port), Origin) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server.server_port
        server.shutdown()
        thread.join()


def _family(host: str) -> int:
    return socket.AF_INET6 if ":" in host else socket.AF_INET


@pytest.fixture
def app() -> Iterator[Address]:
    """Run the app."""
    for event in (Origin.was_asked, Origin.may_answer):
        event.clear()
    Origin.authorizations.clear()
    with listening("127.0.0.1") as port:
        yield Address("http", "127.0.0.1", port)


def get(url: str, proxy: str) -> httpx.Response:
    """Ask through *proxy*."""
    return httpx.get(url, proxy=proxy, trust_env=False, timeout=30)


def command(workspace: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run the command in *workspace*."""
    start = [sys.executable, "-m", "envsvc.cli.main", "-C", str(workspace)]
    return subprocess.run(
        [*start, *words], env=environment(workspace), capture_output=True, text=True,
        timeout=100, check=False,
    )  # fmt: skip


@pytest.mark.browser
def test_rec_crash_loses_all(tmp_path: Path) -> None:
    """D8: a recorder that is killed after 20 requests keeps at least 19, whole and valid."""
    workspace = shop_workspace(tmp_path)
    attach = record_command(workspace, "--attach", "--json")

    with subprocess.Popen(
        attach, env=environment(workspace), stdout=subprocess.PIPE, text=True
    ) as killed:
        assert killed.stdout is not None
        proxy = json.loads(killed.stdout.readline())["proxy"]
        for number in range(20):
            get(f"http://shop.test/catalogue?n={number}", proxy)
        killed.kill()
    with subprocess.Popen(
        [*attach, "--resume"], env=environment(workspace), stdout=subprocess.PIPE, text=True
    ) as resumed:
        assert resumed.stdout is not None
        resumed.stdout.readline()
        resumed.send_signal(signal.SIGTERM)
        summary = json.loads(resumed.stdout.readline())

    entries = list(CassetteFiles(workspace / "har").entries("shop", "v1"))
    whole = [
        e for _, e in entries if isinstance(e.answer, Response) and b"</html>" in e.answer.body
    ]
    assert summary["entries"] == len(entries)
    assert len(whole) >= 19
    assert command(workspace, "verify", "--app", "v1").returncode == 0


def test_rec_leaked_thread(app: Address, tmp_path: Path) -> None:
    """D5: a request that its episode did not wait for is nothing that the next one recorded."""
    authority = CertificateAuthority(tmp_path / "ca")
    first, second = Notes(), Notes()
    recorders = MitmRecorders(authority)

    with ThreadPoolExecutor() as threads:
        with recorders.start(SPEC, app, first) as recorder:
            late = threads.submit(get, "http://app.test/late", recorder.proxy_url)
            assert Origin.was_asked.wait(20)
        with recorders.start(SPEC, app, second) as recorder:
            Origin.may_answer.set()
            get("http://app.test/own", recorder.proxy_url)
        late.exception()

    assert [exchange.request.url for exchange in second.exchanges] == ["http://app.test/own"]
    assert second.dropped == []


@contextmanager
def replayed(folder: Path, ca_folder: Path, answers: dict[str, str]) -> Iterator[RunningReplay]:
    """Serve *answers* by path."""
    recorded = [
        Recorded(
            request=HttpRequest(url=f"http://app.test{path}"),
            response=HttpResponse(status=200, body=body),
        )
        for path, body in answers.items()
    ]
    options = ServeOptions(policy=MissPolicy.ERROR)
    loaded = cassette(folder, recorded, Config())
    with ReplayThread(Redactor({}), options, ca_folder).serve(loaded) as running:
        yield running


def test_rec_parallel_episodes(tmp_path: Path, ca_folder: Path) -> None:
    """D5: two cassettes in one process, asked at once, never answer or count for each other."""
    with ExitStack() as stack:
        one = stack.enter_context(replayed(tmp_path / "1", ca_folder, {"/same": "one", "/a": "a"}))
        two = stack.enter_context(replayed(tmp_path / "2", ca_folder, {"/same": "two", "/b": "b"}))
        threads = stack.enter_context(ThreadPoolExecutor(8))
        asked = [(running, path) for path in ["/same", "/a", "/b"] * 20 for running in (one, two)]
        got = threads.map(lambda ask: get(f"http://app.test{ask[1]}", ask[0].proxy_url), asked)
        seen = {
            (running is one, path, answer.text)
            for (running, path), answer in zip(asked, got, strict=True)
            if answer.status_code == 200
        }
        reports = [running.report("default") for running in (one, two)]

    assert seen == {
        (True, "/same", "one"),
        (True, "/a", "a"),
        (False, "/same", "two"),
        (False, "/b", "b"),
    }
    assert [(report.requests, report.count(Outcome.EXACT)) for report in reports] == [(60, 40)] * 2
    missed = [[miss.url for miss in report.misses] for report in reports]
    assert missed == [["http://app.test/b"], ["http://app.test/a"]]


def test_rec_missing_cassette_passes(tmp_path: Path) -> None:
    """D6: what is not there is an error that names the path, and so is what is empty."""
    workspace = shop_workspace(tmp_path)

    missing = command(workspace, "serve", "--app", "shop/v1")
    nothing = cassette(tmp_path / "nothing", [], Config()).manifest
    CassetteFiles(workspace / "har").write(msgspec.structs.replace(nothing, app="shop"), [])
    empty = command(workspace, "exec", "--app", "shop/v1", "--", "true")
    allowed = command(workspace, "exec", "--app", "shop/v1", "--allow-empty", "--", "true")

    path = str(workspace / "har/shop/v1")
    assert (missing.returncode, "E201" in missing.stderr, path in missing.stderr) == (2, True, True)
    assert (empty.returncode, "E216" in empty.stderr, path in empty.stderr) == (2, True, True)
    assert allowed.returncode == 0, allowed.stderr


@pytest.mark.browser
def test_rec_loopback_bypass(app: Address, tmp_path: Path) -> None:
    """D8: an app on localhost is recorded under each of its names."""
    tour = tmp_path / "tour.py"
    notes = Notes()

    with ExitStack() as stack:
        stack.enter_context(listening("::1", app.port))
        names = [f"http://{name}:{app.port}/" for name in ("127.0.0.1", "localhost", "[::1]")]
        tour.write_text(f"def tour(t):\n    for url in {names}:\n        t.page.goto(url)\n")
        recorders = MitmRecorders(CertificateAuthority(tmp_path / "ca"))
        recorder = stack.enter_context(recorders.start(SPEC, app, notes))
        PlaywrightBrowser().tour(
            TourSource(name="t", path=str(tour), sha256=""),
            spec=SPEC,
            version="v1",
            proxy_url=recorder.proxy_url,
            on_step=lambda _: None,
        )

    seen = [exchange.request.url for exchange in notes.exchanges]
    assert [url for url in seen if "favicon" not in url] == names


@pytest.mark.browser
@pytest.mark.parametrize("bypass", ["127.0.0.1", "localhost", "[::1]"])
def test_rec_loopback_bypass_is_noticed_at_the_start(bypass: str) -> None:
    """E318: a browser that goes around its proxy records nothing, and says so."""
    context = {"proxy": {"server": "http://127.0.0.1:1", "bypass": bypass}}

    with running_chromium() as browser:
        check_proxy(browser, {"proxy": {"server": "http://127.0.0.1:1", "bypass": "<-loopback>"}})
        with pytest.raises(ProxyBypassedError, match="without its proxy"):
            check_proxy(browser, context)


def test_rec_loopback_bypass_is_told_to_clients(tmp_path: Path, ca_folder: Path) -> None:
    """D10: a shell whose NO_PROXY names hosts is warned; a child of exec has none."""
    workspace = shop_workspace(tmp_path)
    shutil.copytree(Path("har").absolute(), workspace / "har")
    start = [sys.executable, "-m", "envsvc.cli.main", "-C", str(workspace)]
    shell = {**environment(workspace), "NO_PROXY": "localhost"}

    with subprocess.Popen(
        [*start, "serve", "--app", "shop/v1", "--port", "0", "--admin-port", "0", "--json"],
        env=shell, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as serving:  # fmt: skip
        assert serving.stdout is not None
        serving.stdout.readline()
        serving.send_signal(signal.SIGTERM)
        _, said = serving.communicate(timeout=30)
    child = subprocess.run(
        [*start, "exec", "--app", "shop/v1", "--", "printenv", "NO_PROXY"],
        env=shell, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip

    assert "NO_PROXY is set to localhost" in said
    assert child.stdout == "\n"


def test_secret_filter_changes_live_answer(app: Address, tmp_path: Path) -> None:
    """D9: the client gets what the app sent; only the stored copy is redacted."""
    notes = Notes()

    with (
        MitmRecorders(CertificateAuthority(tmp_path / "ca")).start(SPEC, app, notes) as recorder,
        httpx.Client(proxy=recorder.proxy_url, trust_env=False) as client,
    ):
        token = client.post("http://app.test/login", content=b"u=a").json()["access_token"]
        client.get("http://app.test/me", headers={"Authorization": f"Bearer {token}"})

    assert Origin.authorizations == [f"Bearer {TOKEN}"]
    assert TOKEN not in repr(redacted(notes.exchanges, Redactor({})))


def test_secret_filter_runs_twice(app: Address, tmp_path: Path, ca_folder: Path) -> None:
    """D9: no transform but redaction; once more it changes nothing, and a replay nothing at all."""
    notes = Notes()
    recorders = MitmRecorders(CertificateAuthority(tmp_path / "ca"))
    with recorders.start(SPEC, app, notes) as recorder:
        httpx.post("http://app.test/login", content=b"u=a", proxy=recorder.proxy_url)
    once = redacted(notes.exchanges, Redactor({}))
    stored = _body(once)
    request = HttpRequest(method="POST", url="http://app.test/login", body="u=a")
    response = HttpResponse(status=200, body=stored.decode())
    loaded = cassette(tmp_path, [Recorded(request=request, response=response)], Config())

    with ReplayThread(Redactor({}), None, ca_folder).serve(loaded) as running:
        answers = [
            httpx.post(request.url, content=b"u=a", proxy=running.proxy_url) for _ in range(2)
        ]

    assert json.loads(stored)["items"] == [1, 2, 3]
    assert redacted(once, Redactor({})) == once
    assert [answer.content for answer in answers] == [stored, stored]


def _body(exchanges: list[Exchange]) -> bytes:
    answer = exchanges[0].answer
    assert isinstance(answer, Response)
    return answer.body
