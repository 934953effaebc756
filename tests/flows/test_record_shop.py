"""Record the demo shop for real: app, proxy, browser, journal, cassette, self-replay."""

import json
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import httpx
import pytest

from envsvc.adapters.cassette_files import CassetteFiles
from envsvc.cassette.manifest import Manifest
from envsvc.exchange.message import Exchange, Failure, Response, header
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


class Recorded:
    """A finished `envsvc record` and the cassette that it wrote."""

    def __init__(self, workspace: Path, result: subprocess.CompletedProcess[str]) -> None:
        """Read the cassette in *workspace*."""
        self.workspace = workspace
        self.result = result
        self.store = CassetteFiles(workspace / "har")
        self.exchanges = [exchange for _, exchange in self.store.entries("shop", "v1")]

    @property
    def manifest(self) -> Manifest:
        """Return its manifest."""
        return self.store.manifest("shop", "v1")

    def find(self, url: str, method: str = "GET", status: int = 0) -> list[Exchange]:
        """Return the exchanges of *url*, with *status* if that is not 0."""
        return [
            exchange
            for exchange in self.exchanges
            if (exchange.request.method, exchange.request.url) == (method, url)
            and (not status or _status(exchange) == status)
        ]

    def answer(self, url: str, method: str = "GET", status: int = 0) -> Response:
        """Return the first answer of *url*."""
        answer = self.find(url, method, status)[0].answer
        assert isinstance(answer, Response)
        return answer

    def files(self) -> Iterator[bytes]:
        """Yield the content of every file of the cassette."""
        for path in (self.workspace / "har").rglob("*"):
            if path.is_file():
                yield path.read_bytes()


def _status(exchange: Exchange) -> int:
    return exchange.answer.status if isinstance(exchange.answer, Response) else 0


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    """Return the shop's full tour, recorded once for all tests here."""
    workspace = shop_workspace(tmp_path_factory.mktemp("full"))
    return Recorded(workspace, record(workspace, "--tour", "full"))


@pytest.fixture(scope="module")
def views(tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    """Return the shop's read-only tour, recorded twice over from an app with faults."""
    workspace = shop_workspace(tmp_path_factory.mktemp("views"))
    edit_app(workspace, '"--version", "v1",', '"--version", "v1", "--fault-rate", "0.1",')
    return Recorded(
        workspace, record(workspace, "--tour", "default-views", "--passes", "2", "--json")
    )


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


class TestFull:
    """What the full tour leaves in the cassette."""

    def test_every_step_passes_live(self, full: Recorded) -> None:
        """D8: all steps of the tour are recorded."""
        tour = full.workspace / "images/shop/tours/full.yaml"

        assert full.manifest.tours[0].steps == tour.read_text().count("\n  - ")

    def test_self_replay_finds_every_request(self, full: Recorded) -> None:
        """D8: the tour's own requests are all in the cassette."""
        certificate = full.manifest.certificate

        assert certificate is not None
        assert (certificate.task_misses, certificate.outbound_connections) == (0, 0)

    def test_the_exit_code_says_whether_it_is_certified(self, full: Recorded) -> None:
        """D18: 0 for a clean certificate, 1 for a cassette that is marked."""
        certificate = full.manifest.certificate

        assert certificate is not None
        assert full.result.returncode == (0 if certificate.is_clean else 1)

    def test_an_uncertified_cassette_is_named_so_loudly(self, full: Recorded) -> None:
        """D8: anything but a clean self-replay is printed."""
        certificate = full.manifest.certificate

        assert certificate is not None
        assert ("NOT CERTIFIED" in full.result.stderr) is not certificate.is_clean

    def test_https_is_recorded_under_its_own_scheme(self, full: Recorded) -> None:
        """D1: the app was reached by plain HTTP, the cassette says what the browser asked."""
        assert full.answer("https://shop.test/product/p01").status == 200

    def test_no_port_of_the_app_is_in_the_cassette(self, full: Recorded) -> None:
        """D1: the virtual host stands wherever the app really listened."""
        assert not any(b"127.0.0.1" in content for content in full.files())

    def test_redirect_hops_are_entries_of_their_own(self, full: Recorded) -> None:
        """D2: a hop keeps its status and where it leads."""
        assert header(full.answer("http://shop.test/go/sale").headers, "location")

    def test_the_cookie_of_a_hop_is_kept_without_its_value(self, full: Recorded) -> None:
        """D2, D9: Set-Cookie of a redirect is there, redacted."""
        cookie = header(full.answer("http://shop.test/go/sale").headers, "set-cookie")

        assert "=redacted-cookie-" in cookie

    def test_compressed_pages_are_stored_decoded(self, full: Recorded) -> None:
        """D2: the header stays, the body is text."""
        answer = full.answer("http://shop.test/catalogue")

        assert header(answer.headers, "content-encoding")
        assert answer.body.lstrip().startswith(b"<!doctype html>")

    def test_a_ranged_file_is_stored_whole(self, full: Recorded) -> None:
        """D8: 206 became the full 200."""
        answers = [exchange.answer for exchange in full.find("http://shop.test/files/manual.bin")]

        assert {(a.status, len(a.body)) for a in answers if isinstance(a, Response)} == {
            (200, 200_000)
        }

    def test_no_partial_or_conditional_answer_is_recorded(self, full: Recorded) -> None:
        """D8: neither 206 nor 304."""
        assert not {206, 304} & {_status(exchange) for exchange in full.exchanges}

    def test_events_of_a_stream_keep_their_times(self, full: Recorded) -> None:
        """D8: five events, 80 ms apart, are not one lump."""
        chunks = full.find("http://shop.test/prices/stream")[0].chunks

        assert chunks[-1].t_ms - chunks[0].t_ms > 250

    def test_chunks_cover_the_whole_stream(self, full: Recorded) -> None:
        """D8: the chunks' lengths sum up to the body's."""
        exchange = full.find("http://shop.test/prices/stream")[0]

        assert isinstance(exchange.answer, Response)
        assert sum(chunk.length for chunk in exchange.chunks) == len(exchange.answer.body)

    def test_web_socket_messages_are_kept_both_ways(self, full: Recorded) -> None:
        """D8: what was said in the chat, by whom."""
        messages = full.find("ws://shop.test/chat/ws", status=101)[0].messages

        assert [(m.from_client, m.content[:10]) for m in messages] == [
            (False, b"Welcome to"),
            (True, b"hello"),
            (False, b"Hello! Ask"),
            (True, b"price p01"),
            (False, b"Walnut tea"),
        ]

    def test_secure_web_sockets_have_their_own_scheme(self, full: Recorded) -> None:
        """D8: wss is not ws."""
        assert full.find("wss://shop.test/chat/ws", status=101)

    def test_an_uploaded_file_is_in_the_request(self, full: Recorded) -> None:
        """D2: multipart request bodies are kept."""
        posts = [e.request for e in full.exchanges if e.request.method == "POST"]

        assert any(b"Walnut tea tray, 3 pieces" in request.body for request in posts)

    def test_an_intended_error_is_kept(self, full: Recorded) -> None:
        """D8: the refused sign-in is part of the app."""
        assert 401 in {_status(exchange) for exchange in full.exchanges}

    def test_an_unreachable_host_is_an_entry(self, full: Recorded) -> None:
        """D8: the failure itself is recorded."""
        failures = [e for e in full.exchanges if isinstance(e.answer, Failure)]

        assert any("telemetry.shop-metrics.test" in e.request.url for e in failures)

    def test_nothing_of_ours_is_in_a_request(self, full: Recorded) -> None:
        """D8: the recorder adds no header to what it records."""
        names = {n.lower() for e in full.exchanges for n, _ in e.request.headers}

        assert not {"x-forwarded-proto", "proxy-connection", "via", "x-forwarded-for"} & names

    def test_the_password_is_in_no_file(self, full: Recorded) -> None:
        """S3-10: typed once, stored never."""
        assert not any(PASSWORD.encode() in content for content in full.files())

    def test_every_cookie_is_a_placeholder(self, full: Recorded) -> None:
        """S3-10: no value of a cookie, asked or set, is stored."""
        cookies = [
            pair
            for exchange in full.exchanges
            for pair in header(exchange.request.headers, "cookie").split("; ")
        ]

        assert {pair.partition("=")[2][:9] for pair in cookies if pair} == {"redacted-"}

    def test_ambiguous_keys_are_listed(self, full: Recorded) -> None:
        """D4: the cart looks different each time, and the manifest says so."""
        assert "http://shop.test/cart" in {key.url for key in full.manifest.ambiguous}

    def test_exchanges_name_their_step(self, full: Recorded) -> None:
        """D2: an entry says which tour and which step asked."""
        exchange = full.find("http://shop.test/go/sale")[0]

        assert (exchange.tour, exchange.step.partition(" ")[2]) == ("full", "sale")


class TestViews:
    """The read-only tour, in two passes, from an app that fails one request in ten."""

    def test_it_is_certified(self, views: Recorded) -> None:
        """D8: self-replay of the read-only tour is clean."""
        assert views.result.returncode == 0, views.result.stderr

    def test_no_fault_is_frozen(self, views: Recorded) -> None:
        """S3-08: 503 answers were asked again."""
        assert not {_status(e) for e in views.exchanges if _status(e) >= 500}

    def test_required_metadata_is_there(self, views: Recorded) -> None:
        """S3-09: app version, time, tool schema version, answer table version."""
        manifest = views.manifest

        assert (manifest.version, manifest.recorded_at[-1]) == ("v1", "Z")
        assert (manifest.tool_schema_version, manifest.answer_table_version) == (
            None,
            "v1@2026-01-01",
        )

    def test_what_changes_between_passes_is_listed(self, views: Recorded) -> None:
        """S3-07: two passes show which pages are volatile."""
        assert "http://shop.test/favicon.ico" in views.manifest.changed_between_passes

    def test_only_one_pass_is_in_the_cassette(self, views: Recorded) -> None:
        """D8: the second pass teaches, it is not replayed."""
        assert len(views.find("http://shop.test/catalogue")) == 1

    def test_json_is_one_object_on_stdout(self, views: Recorded) -> None:
        """D18: --json prints the summary for programs."""
        assert json.loads(views.result.stdout)["entries"] == views.manifest.entries

    def test_the_journal_is_gone(self, views: Recorded) -> None:
        """D8: a sealed recording leaves nothing beside its cassette."""
        assert [path.name for path in (views.workspace / "har/shop").iterdir()] == ["v1"]


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
