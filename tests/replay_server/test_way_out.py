"""The way out of a replay server: none, or to the live app where the policy allows it."""

import socket
import threading
from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from envsvc.adapters.replay_server.live import LiveApp
from envsvc.adapters.replay_server.server import ServeOptions
from envsvc.playback.outcome import MissPolicy, Outcome
from envsvc.playback.session import Verdict
from tests.replay_server.cassettes import page, recorded
from tests.replay_server.clients import ERROR, HOME, client
from tests.replay_server.conftest import Serve

pytestmark = pytest.mark.loopback


def test_an_empty_cassette_misses_everything_and_opens_no_connection(serve: Serve) -> None:
    """D6: the policy holds also when the cassette is empty."""
    replay = serve(options=ERROR)
    with client(replay) as agent:
        statuses = [agent.get(f"{scheme}://shop.test/").status_code for scheme in ("http", "https")]
    report = replay.report("default")

    assert statuses == [404, 404]
    assert report.outbound_connections == 0


class Origin(BaseHTTPRequestHandler):
    """A live app that says which host it was asked for."""

    def do_GET(self) -> None:
        """Answer."""
        body = f"live {self.headers['Host']}{self.path}".encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def origin() -> Iterator[str]:
    """Give the address of a live app."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Origin) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_a_live_answer_is_counted_with_its_version(serve: Serve, origin: str) -> None:
    """S3-18, S3-22: live is allowed only with source and version on record."""
    live = LiveApp("shop.test", origin, "v2")
    replay = serve(HOME, options=ServeOptions(policy=MissPolicy.LIVE, live=live))
    with client(replay) as agent:
        frozen = agent.get("http://shop.test/").text
        fetched = agent.get("http://shop.test/new?a=1").text
    report = replay.report("default")

    assert (frozen, fetched) == ("<h1>home</h1>", "live shop.test/new?a=1")
    assert report.outcomes == {Outcome.EXACT: 1, Outcome.LIVE: 1}
    assert (report.verdict, report.live[0].app_version) == (Verdict.MIXED, "v2")


def test_a_live_app_that_is_down_is_a_502_and_counted(serve: Serve) -> None:
    """S0-11: each fallback is listed, also one that failed."""
    with socket.create_server(("127.0.0.1", 0)) as closed:
        address = f"http://127.0.0.1:{closed.getsockname()[1]}"
    live = LiveApp("shop.test", address, "v1")
    replay = serve(HOME, options=ServeOptions(policy=MissPolicy.LIVE, live=live))
    with client(replay) as agent:
        status = agent.get("http://shop.test/new").status_code

    assert (status, replay.report("default").live[0].status) == (502, 502)


@pytest.fixture
def counting_origin() -> Iterator[tuple[str, list[object]]]:
    """Give the address of an origin and the list of the connections that reached it."""
    reached: list[object] = []
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.settimeout(0.05)
        stop = threading.Event()

        def count() -> None:
            while not stop.is_set():
                with suppress(TimeoutError):
                    connection, peer = listening.accept()
                    connection.close()
                    reached.append(peer)

        thread = threading.Thread(target=count)
        thread.start()
        yield f"127.0.0.1:{listening.getsockname()[1]}", reached
        stop.set()
        thread.join()


def test_nothing_reaches_the_origin_also_after_every_entry_was_served(
    serve: Serve, counting_origin: tuple[str, list[object]]
) -> None:
    """S0-02: no connection out, for what was recorded, what was not, and over TLS."""
    host, reached = counting_origin
    replay = serve(recorded(f"http://{host}/a", page(b"a")), options=ERROR)
    with client(replay) as agent:
        for path in ("a", "a", "b", "a"):
            agent.get(f"http://{host}/{path}")
            agent.get(f"https://{host}/{path}")
    report = replay.report("default")

    assert (reached, report.outbound_connections, report.requests) == ([], 0, 8)
