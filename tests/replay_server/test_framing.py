"""How bytes on the wire are read and written: framing, ranges of bytes, ends of streams."""

import socket
import subprocess

import pytest

from envsvc.adapters.replay_server.thread import RunningReplay
from envsvc.exchange.message import Chunk, Response
from tests.replay_server.cassettes import EVENTS, HTML, page, recorded
from tests.replay_server.clients import ERROR, HOME
from tests.replay_server.conftest import Serve

pytestmark = pytest.mark.loopback

BOTH_FRAMINGS = (
    b"POST http://shop.test/ HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n"
    b"\r\n0\r\n\r\n"
)


def raw(replay: RunningReplay, request: bytes) -> bytes:
    """Send *request* as it is and return everything that comes back."""
    with socket.create_connection(("127.0.0.1", replay.port), timeout=5) as connection:
        connection.sendall(request)
        connection.shutdown(socket.SHUT_WR)
        return b"".join(iter(lambda: connection.recv(65536), b""))


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
        (b"CONNECT :443 HTTP/1.1\r\n\r\n", b"400"),
    ],
)
def test_what_is_no_proper_request_is_refused(
    serve: Serve, request_bytes: bytes, status: bytes
) -> None:
    """D10: bounded header size; no ambiguous framing."""
    answer = raw(serve(HOME, options=ERROR), request_bytes)

    assert answer.startswith(b"HTTP/1.1 " + status)


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


def test_an_offer_to_change_to_http2_is_passed_over(serve: Serve) -> None:
    """RFC 9110 7.8: Java's client offers h2c with its first request; the next one follows."""
    offer = (
        b"GET http://shop.test/ HTTP/1.1\r\nHost: shop.test\r\n"
        b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n"
        b"HTTP2-Settings: AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA\r\n\r\n"
    )
    answer = raw(serve(HOME), offer + b"GET http://shop.test/ HTTP/1.1\r\nHost: shop.test\r\n\r\n")

    assert answer.count(b"HTTP/1.1 200") == 2
