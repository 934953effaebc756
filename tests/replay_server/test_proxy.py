"""What a client of the proxy gets, over real sockets."""

import socket
import ssl
import subprocess
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx
import pytest

from envsvc.adapters.replay_server.live import LiveApp
from envsvc.adapters.replay_server.server import (
    BindNeedsTokenError,
    PortTakenError,
    ServeOptions,
)
from envsvc.adapters.replay_server.thread import RunningReplay
from envsvc.exchange.message import Chunk, Failure, Response
from envsvc.playback.outcome import MissPolicy, Outcome
from envsvc.playback.session import Verdict
from tests.replay_server.cassettes import EVENTS, HTML, JSON, page, recorded
from tests.replay_server.conftest import Serve

pytestmark = pytest.mark.loopback

HOME = recorded("http://shop.test/", page(b"<h1>home</h1>"))
SECURE = recorded("https://shop.test/", page(b"<h1>secure</h1>"))
BOTH_FRAMINGS = (
    b"POST http://shop.test/ HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n"
    b"\r\n0\r\n\r\n"
)
ERROR = ServeOptions(policy=MissPolicy.ERROR)


def client(replay: RunningReplay, proxy: str = "") -> httpx.Client:
    """Return a client that trusts the replay's authority."""
    context = ssl.create_default_context(cafile=str(replay.ca_certificate))
    return httpx.Client(proxy=proxy or replay.proxy_url, verify=context, trust_env=False)


def raw(replay: RunningReplay, request: bytes) -> bytes:
    """Send *request* as it is and return everything that comes back."""
    with socket.create_connection(("127.0.0.1", replay.port), timeout=5) as connection:
        connection.sendall(request)
        connection.shutdown(socket.SHUT_WR)
        return b"".join(iter(lambda: connection.recv(65536), b""))


def test_a_recorded_page_is_served_as_it_was(serve: Serve) -> None:
    """S0-02: the same question is answered from the store."""
    with client(serve(HOME)) as agent:
        answer = agent.get("http://shop.test/")

    assert (answer.status_code, answer.content) == (200, b"<h1>home</h1>")


def test_asking_again_gives_the_same_answer(serve: Serve) -> None:
    """S0-07: no answer is used up, however often it is asked."""
    with client(serve(HOME)) as agent:
        answers = {agent.get("http://shop.test/").content for _ in range(20)}

    assert answers == {b"<h1>home</h1>"}


def test_https_is_ended_by_our_own_authority(serve: Serve) -> None:
    """D10: CONNECT with TLS ended by the CA of recording and replay."""
    with client(serve(SECURE)) as agent:
        answer = agent.get("https://shop.test/")

    assert answer.content == b"<h1>secure</h1>"


def test_http_and_https_are_different_pages(serve: Serve) -> None:
    """S3-05: the scheme is part of the key."""
    with client(serve(HOME, options=ERROR)) as agent:
        answer = agent.get("https://shop.test/")

    assert answer.status_code == 404


def test_every_request_is_counted_once_also_on_the_fast_path(serve: Serve) -> None:
    """D7: the outcomes sum up to the number of requests."""
    replay = serve(HOME, options=ERROR)
    with client(replay) as agent:
        for path in ("", "", "", "unknown"):
            agent.get(f"http://shop.test/{path}")
    report = replay.report("default")

    assert report.requests == 4
    assert report.outcomes == {Outcome.EXACT: 3, Outcome.MISS_TASK: 1}


def test_a_reordered_query_is_a_canonical_hit(serve: Serve) -> None:
    """S3-06: a reordered parameter does not miss."""
    replay = serve(recorded("http://shop.test/s?a=1&b=2", page(b"found")))
    with client(replay) as agent:
        answer = agent.get("http://shop.test/s?b=2&a=1")

    assert answer.content == b"found"
    assert replay.report("default").outcomes == {Outcome.CANONICAL: 1}


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_the_body_decides_for_every_method(serve: Serve, method: str) -> None:
    """S3-06: another body never gets this body's answer."""
    known = recorded(
        "http://shop.test/api", page(b"{}", JSON), method=method, headers=JSON, body=b'{"a":1}'
    )
    with client(serve(known, options=ERROR)) as agent:
        hit = agent.request(method, "http://shop.test/api", json={"a": 1})
        miss = agent.request(method, "http://shop.test/api", json={"a": 2})

    assert (hit.status_code, miss.status_code) == (200, 404)


def test_a_strict_miss_makes_the_session_unreplayable(serve: Serve) -> None:
    """S0-10: a miss under the default policy fails the whole run."""
    replay = serve(HOME)
    with client(replay) as agent:
        agent.get("http://shop.test/never")

    assert replay.report("default").verdict is Verdict.UNREPLAYABLE


def test_noise_is_counted_and_never_fails_an_episode(serve: Serve) -> None:
    """D6: noise has its own column."""
    replay = serve(HOME)
    with client(replay) as agent:
        agent.get("http://stats.test/collect")
        agent.get("http://shop.test/favicon.ico")
    report = replay.report("default")

    assert report.verdict is Verdict.REPLAYED
    assert report.outcomes == {Outcome.MISS_NOISE: 2}


@pytest.mark.parametrize(
    ("accept", "content_type"),
    [
        ("text/html,*/*", "text/html"),
        ("application/json", "application/json"),
        ("image/png,*/*", "image/svg+xml"),
        ("*/*", "text/plain"),
    ],
)
def test_a_miss_has_the_type_that_was_expected_and_shows_nothing(
    serve: Serve, accept: str, content_type: str
) -> None:
    """D6: a miss body is not empty, shows nothing recorded, says nothing of a cassette."""
    with client(serve(HOME, options=ERROR)) as agent:
        answer = agent.get("http://shop.test/never", headers={"Accept": accept})
    shown = (answer.text + str(answer.headers)).lower()

    assert answer.headers["content-type"].startswith(content_type)
    assert answer.content
    assert not [word for word in ("home", "cassette", "record", "envsvc") if word in shown]


def test_an_empty_cassette_misses_everything_and_opens_no_connection(serve: Serve) -> None:
    """D6: the policy holds also when the cassette is empty."""
    replay = serve(options=ERROR)
    with client(replay) as agent:
        statuses = [agent.get(f"{scheme}://shop.test/").status_code for scheme in ("http", "https")]
    report = replay.report("default")

    assert statuses == [404, 404]
    assert report.outbound_connections == 0


def test_sessions_in_proxy_credentials_are_counted_apart(serve: Serve) -> None:
    """D5: a session is named by proxy credentials."""
    replay = serve(HOME)
    for name in ("one", "two", "two"):
        with client(replay, f"http://{name}:x@127.0.0.1:{replay.port}") as agent:
            agent.get("http://shop.test/")

    assert replay.report("one").requests == 1
    assert replay.report("two").requests == 2


def test_a_session_with_its_own_port_needs_no_credentials(serve: Serve) -> None:
    """D5: a session is named by its own listener port."""
    replay = serve(HOME, SECURE)
    with client(replay, replay.open_session("own")) as agent:
        agent.get("http://shop.test/")
        agent.get("https://shop.test/")

    assert replay.report("own").requests == 2


def test_opening_a_session_again_resets_it(serve: Serve) -> None:
    """D5: reset per episode."""
    replay = serve(HOME)
    with client(replay, replay.open_session("own")) as agent:
        agent.get("http://shop.test/")
    replay.open_session("own")

    assert replay.report("own").requests == 0


def test_sixteen_sessions_at_once_get_what_one_alone_gets(serve: Serve) -> None:
    """D5: sessions never see each other; every byte is the same."""
    pages = [recorded(f"http://shop.test/{n}", page(bytes([n]) * 5000 * n)) for n in range(16)]
    replay = serve(*pages, SECURE)

    def visit(name: str) -> bytes:
        with client(replay, replay.open_session(name)) as agent:
            contents = [agent.get(f"http://shop.test/{n}").content for n in range(16)]
            return b"".join([*contents, agent.get("https://shop.test/").content])

    alone = visit("alone")
    with ThreadPoolExecutor(16) as pool:
        together = set(pool.map(visit, [f"s{n}" for n in range(16)]))

    assert together == {alone}


def test_server_sent_events_keep_their_recorded_pace(serve: Serve) -> None:
    """D10: SSE is replayed piece by piece, not as one body."""
    stream = recorded(
        "http://shop.test/sse",
        page(b"data: 1\n\ndata: 2\n\n", EVENTS),
        chunks=(Chunk(t_ms=0, length=9), Chunk(t_ms=300, length=9)),
    )
    with client(serve(stream)) as agent, agent.stream("GET", "http://shop.test/sse") as answer:
        times = [time.monotonic() for _ in answer.iter_raw()]

    assert len(times) == 2
    assert times[1] - times[0] > 0.2


def test_a_range_is_cut_out_of_the_stored_whole(serve: Serve) -> None:
    """D7: a 206 is derived from a stored 200."""
    replay = serve(recorded("http://shop.test/f", page(b"0123456789")))
    with client(replay) as agent:
        answer = agent.get("http://shop.test/f", headers={"Range": "bytes=2-4"})

    assert (answer.status_code, answer.content) == (206, b"234")
    assert answer.headers["content-range"] == "bytes 2-4/10"
    assert replay.report("default").outcomes == {Outcome.DERIVED: 1}


def test_head_is_derived_from_the_stored_get(serve: Serve) -> None:
    """D7: a HEAD is derived from a stored 200, without its body."""
    replay = serve(HOME)
    with client(replay) as agent:
        answer = agent.head("http://shop.test/")

    assert (answer.headers["content-length"], answer.content) == ("13", b"")


def test_an_unreachable_host_fails_again_and_is_no_miss(serve: Serve) -> None:
    """D8: a failure is replayed as a failure and counted apart."""
    dead = recorded("http://cdn.test/x.js", Failure(kind="dns", message="no such host"))
    replay = serve(dead)
    with client(replay) as agent, pytest.raises(httpx.RemoteProtocolError):
        agent.get("http://cdn.test/x.js")

    assert replay.report("default").outcomes == {Outcome.FAILURE: 1}


def test_a_tunnel_to_an_unreachable_host_fails_again(serve: Serve) -> None:
    """D8: over https the tunnel itself fails, as it did while recording."""
    dead = recorded("https://cdn.test/x.js", Failure(kind="dns", message="no such host"))
    replay = serve(dead)
    with client(replay) as agent, pytest.raises(httpx.ProxyError):
        agent.get("https://cdn.test/x.js")

    assert replay.report("default").outcomes == {Outcome.FAILURE: 1}


def test_an_ambiguous_key_is_served_last_good_and_flagged(serve: Serve) -> None:
    """D4: the last good answer, flagged ambiguous."""
    replay = serve(
        recorded("http://shop.test/cart", page(b"empty")),
        recorded("http://shop.test/cart", page(b"one item")),
        recorded("http://shop.test/cart", page(b"sorry", HTML, 404)),
    )
    with client(replay) as agent:
        answer = agent.get("http://shop.test/cart")

    assert answer.content == b"one item"
    assert replay.report("default").outcomes == {Outcome.AMBIGUOUS: 1}


def test_bodies_are_served_decoded_whatever_was_recorded(serve: Serve) -> None:
    """D10: no client ever gets an encoding that it did not offer."""
    gzipped = page(b"<h1>plain</h1>", (*HTML, ("Content-Encoding", "gzip")))
    replay = serve(recorded("http://shop.test/", gzipped))
    answer = raw(replay, b"GET http://shop.test/ HTTP/1.1\r\nHost: shop.test\r\n\r\n")

    assert b"Content-Encoding" not in answer
    assert answer.endswith(b"Content-Length: 14\r\n\r\n<h1>plain</h1>")


def test_an_origin_form_target_is_answered_by_its_host(serve: Serve) -> None:
    """D10: reverse mode by Host."""
    answer = raw(serve(HOME), b"GET / HTTP/1.1\r\nHost: shop.test\r\n\r\n")

    assert answer.endswith(b"<h1>home</h1>")


def test_an_address_as_host_means_the_virtual_host(serve: Serve) -> None:
    """D10: a client that knows only the port gets the app."""
    answer = raw(serve(HOME), b"GET / HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n\r\n")

    assert answer.endswith(b"<h1>home</h1>")


def test_pipelined_requests_are_answered_in_order(serve: Serve) -> None:
    """RFC 9112 9.3.2: answers come in the order of the requests."""
    other = recorded("http://shop.test/b", page(b"second"))
    asked = b"GET http://shop.test/%s HTTP/1.1\r\nHost: shop.test\r\n\r\n"
    answer = raw(serve(HOME, other), asked % b"" + asked % b"b")

    assert answer.index(b"home") < answer.index(b"second")


def test_a_request_in_single_bytes_is_read_like_any_other(serve: Serve) -> None:
    """The fast path never sees a part of a request as a whole."""
    replay = serve(HOME)
    request = b"GET http://shop.test/ HTTP/1.1\r\nHost: shop.test\r\n\r\n"
    whole = raw(replay, request)
    with socket.create_connection(("127.0.0.1", replay.port), timeout=5) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for byte in request:
            connection.sendall(bytes([byte]))
        connection.shutdown(socket.SHUT_WR)
        answer = b"".join(iter(lambda: connection.recv(65536), b""))

    assert answer == whole


@pytest.mark.parametrize(
    ("request_bytes", "status"),
    [
        (b"nonsense\r\n\r\n", b"400"),
        (b"GET http://shop.test/ HTTP/1.1\r\nX: " + b"x" * 70_000 + b"\r\n\r\n", b"431"),
        (BOTH_FRAMINGS, b"400"),
    ],
)
def test_what_is_no_proper_request_is_refused(
    serve: Serve, request_bytes: bytes, status: bytes
) -> None:
    """D10: bounded header size; no ambiguous framing."""
    answer = raw(serve(HOME, options=ERROR), request_bytes)

    assert answer.startswith(b"HTTP/1.1 " + status)


def test_a_port_that_is_taken_is_named(serve: Serve) -> None:
    """D18: the error says which port."""
    taken = serve(HOME).port

    with pytest.raises(PortTakenError, match=str(taken)):
        serve(HOME, options=ServeOptions(port=taken))


def test_another_address_than_loopback_needs_a_token(serve: Serve) -> None:
    """D10: loopback only by default; any other bind needs a token."""
    with pytest.raises(BindNeedsTokenError):
        serve(HOME, options=ServeOptions(host="0.0.0.0"))  # noqa: S104


def test_a_wrong_token_is_challenged(serve: Serve) -> None:
    """D10: without the token there is no answer, also not to a tunnel."""
    replay = serve(HOME, options=ServeOptions(token="made-up-token"))
    with client(replay, f"http://s:wrong@127.0.0.1:{replay.port}") as agent:
        plain = agent.get("http://shop.test/").status_code
        with pytest.raises(httpx.ProxyError):
            agent.get("https://shop.test/")

    assert plain == 407


def test_the_right_token_is_let_in(serve: Serve) -> None:
    """D5: credentials name the session, the password is the token."""
    replay = serve(HOME, options=ServeOptions(token="made-up-token"))
    with client(replay, f"http://s:made-up-token@127.0.0.1:{replay.port}") as agent:
        answer = agent.get("http://shop.test/")

    assert answer.status_code == 200


def test_expect_continue_is_answered_before_the_body(serve: Serve) -> None:
    """RFC 9110 10.1.1: a client that waits for 100 is not left waiting."""
    known = recorded("http://shop.test/up", page(b"thanks"), method="POST", body=b"data")
    replay = serve(known)
    head = (
        b"POST http://shop.test/up HTTP/1.1\r\nHost: shop.test\r\nContent-Length: 4\r\n"
        b"Expect: 100-continue\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", replay.port), timeout=5) as connection:
        connection.sendall(head)
        interim = connection.recv(100)
        connection.sendall(b"data")
        connection.shutdown(socket.SHUT_WR)
        final = b"".join(iter(lambda: connection.recv(65536), b""))

    assert interim.startswith(b"HTTP/1.1 100")
    assert final.endswith(b"thanks")


def test_no_body_follows_a_204(serve: Serve) -> None:
    """RFC 9110 8.6: a 204 has neither body nor Content-Length."""
    empty = Response(status=204, reason="No Content", headers=(), body=b"")
    answer = raw(
        serve(recorded("http://shop.test/", empty)),
        b"GET http://shop.test/ HTTP/1.1\r\nHost: shop.test\r\n\r\n",
    )

    assert answer == b"HTTP/1.1 204 No Content\r\n\r\n"


def test_repeated_set_cookie_lines_stay_apart(serve: Serve) -> None:
    """RFC 6265 3: Set-Cookie lines must not be joined."""
    cookies = (*HTML, ("Set-Cookie", "a=1"), ("Set-Cookie", "b=2"))
    with client(serve(recorded("http://shop.test/", page(b"x", cookies)))) as agent:
        answer = agent.get("http://shop.test/")

    assert answer.headers.get_list("set-cookie") == ["a=1", "b=2"]


def test_the_report_names_cassette_and_policy(serve: Serve, ca_folder: Path) -> None:
    """D7: a report says which recording it speaks of."""
    replay = serve(HOME)
    replay.open_session("one", MissPolicy.ERROR)
    report = replay.report("one")

    assert (report.app, report.version, report.cassette_digest) == ("shop", "v1", "0" * 64)
    assert report.policy is MissPolicy.ERROR


def test_a_secure_stream_ends_with_a_goodbye(serve: Serve) -> None:
    """RFC 8446 6.1: curl calls a stream that ends without one cut off."""
    stream = recorded(
        "https://shop.test/sse",
        page(b"data: 1\n\n", EVENTS),
        chunks=(Chunk(t_ms=0, length=9),),
    )
    replay = serve(stream)
    finished = subprocess.run(
        ["curl", "-s", "--cacert", replay.ca_certificate, "-x", replay.proxy_url,
         "https://shop.test/sse"],
        capture_output=True,
        check=False,
        timeout=20,
    )  # fmt: skip

    assert (finished.returncode, finished.stdout) == (0, b"data: 1\n\n")


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
