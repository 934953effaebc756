"""Requests that two readers could take for different ones are refused, and the line is closed.

What follows such a request on the same connection is never answered: it may be the body of one
reader and the next request of the other (RFC 9112 11.2).
"""

import socket

import pytest

from envsvc.adapters.replay_server.thread import RunningReplay
from tests.replay_server.clients import ERROR, HOME
from tests.replay_server.conftest import Serve

pytestmark = pytest.mark.loopback

NEXT = b"GET http://shop.test/ HTTP/1.1\r\nHost: shop.test\r\n\r\n"
HOST = b"Host: shop.test\r\n"


def post(headers: bytes, body: bytes = b"0\r\n\r\n", version: bytes = b"HTTP/1.1") -> bytes:
    """Return a POST with these *headers* and *body*."""
    return b"POST / " + version + b"\r\n" + HOST + headers + b"\r\n" + body


def get(head: bytes) -> bytes:
    """Return a GET with this *head* behind its first line."""
    return b"GET / HTTP/1.1\r\n" + head + b"\r\n"


def chunked(body: bytes) -> bytes:
    """Return a POST with *body* as its chunks."""
    return post(b"Transfer-Encoding: chunked\r\n", body)


AMBIGUOUS = {
    "length and chunked": post(b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n"),
    "chunked and length": post(b"Transfer-Encoding: chunked\r\nContent-Length: 5\r\n"),
    "two lengths": post(b"Content-Length: 1\r\nContent-Length: 2\r\n", b"ab"),
    "two equal lengths": post(b"Content-Length: 2\r\nContent-Length: 2\r\n", b"ab"),
    "list of lengths": post(b"Content-Length: 2, 2\r\n", b"ab"),
    "length with plus": post(b"Content-Length: +2\r\n", b"ab"),
    "negative length": post(b"Content-Length: -2\r\n", b"ab"),
    "hexadecimal length": post(b"Content-Length: 0x2\r\n", b"ab"),
    "empty length": post(b"Content-Length: \r\n", b"ab"),
    "length with space": post(b"Content-Length: 1 2\r\n", b"ab"),
    "length with more": post(b"Content-Length: 2ab\r\n", b"ab"),
    "endless length": post(b"Content-Length: 99999999999999999999999\r\n", b"ab"),
    "length of a read, twice": get(HOST + b"Content-Length: 0\r\nContent-Length: 50\r\n"),
    "unknown coding": post(b"Transfer-Encoding: xchunked\r\n"),
    "chunked not last": post(b"Transfer-Encoding: chunked, identity\r\n"),
    "identity": post(b"Transfer-Encoding: identity\r\n", b""),
    "coding before chunked": post(b"Transfer-Encoding: gzip, chunked\r\n"),
    "chunked twice": post(b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"),
    "chunked, then identity": post(
        b"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n"
    ),
    "space before colon": post(b"Transfer-Encoding : chunked\r\n"),
    "vertical tab": post(b"Transfer-Encoding:\x0bchunked\r\n"),
    "quoted coding": post(b'Transfer-Encoding: "chunked"\r\n'),
    "coding with parameter": post(b"Transfer-Encoding: chunked;a=b\r\n"),
    "empty coding": post(b"Transfer-Encoding:\r\nContent-Length: 2\r\n", b"ab"),
    "chunked in HTTP/1.0": post(b"Transfer-Encoding: chunked\r\n", version=b"HTTP/1.0"),
    "folded line": get(HOST + b"X: a\r\n b\r\n"),
    "first line folded": get(b" " + HOST),
    "bare line feeds": b"GET / HTTP/1.1\nHost: shop.test\n\n",
    "bare line feed within": get(b"Host: shop.test\nX: y\r\n"),
    "bare carriage return": get(b"Host: shop.test\rX: y\r\n"),
    "NUL in a value": get(HOST + b"X: a\0b\r\n"),
    "NUL in a name": get(HOST + b"X\0: b\r\n"),
    "no colon": get(HOST + b"nonsense\r\n"),
    "no name": get(HOST + b": b\r\n"),
    "name beyond ASCII": get(HOST + "Tränsfer: x\r\n".encode()),
    "two hosts": get(HOST + b"Host: other.test\r\n"),
    "no host": get(b""),
    "host with a space": get(b"Host: shop.test other\r\n"),
    "host with a user": get(b"Host: shop.test@other\r\n"),
    "host with a path": get(b"Host: shop.test/x\r\n"),
    "HTTP/0.9": b"GET /\r\n\r\n",
    "HTTP/2.0 in words": b"GET / HTTP/2.0\r\nHost: shop.test\r\n\r\n",
    "HTTP/1.2": b"GET / HTTP/1.2\r\nHost: shop.test\r\n\r\n",
    "version in lower case": b"GET / http/1.1\r\nHost: shop.test\r\n\r\n",
    "tabs between": b"GET\t/\tHTTP/1.1\r\nHost: shop.test\r\n\r\n",
    "space in the target": b"GET /a b HTTP/1.1\r\nHost: shop.test\r\n\r\n",
    "space before the method": b" GET / HTTP/1.1\r\nHost: shop.test\r\n\r\n",
    "chunk size with plus": chunked(b"+1\r\na\r\n0\r\n\r\n"),
    "chunk size with 0x": chunked(b"0x1\r\na\r\n0\r\n\r\n"),
    "negative chunk size": chunked(b"-1\r\na\r\n0\r\n\r\n"),
    "chunk size with space": chunked(b"1 \r\na\r\n0\r\n\r\n"),
    "no chunk size": chunked(b"\r\na\r\n0\r\n\r\n"),
    "chunk size too large": chunked(b"fffffffffffffffff\r\na\r\n0\r\n\r\n"),
    "chunks by line feeds": chunked(b"1\na\n0\n\n"),
    "chunk longer than said": chunked(b"1\r\nab\r\n0\r\n\r\n"),
    "line feed in an extension": chunked(b"1;x\na\r\n0\r\n\r\n"),
    "length as a trailer": chunked(b"0\r\nContent-Length: 5\r\n\r\n"),
}


def said(replay: RunningReplay, sent: bytes) -> bytes:
    """Send and return everything that comes back until the server hangs up."""
    with socket.create_connection(("127.0.0.1", replay.port), timeout=5) as connection:
        connection.sendall(sent)
        return b"".join(iter(lambda: connection.recv(65536), b""))


@pytest.mark.parametrize("request_bytes", AMBIGUOUS.values(), ids=AMBIGUOUS.keys())
def test_an_ambiguous_request_is_refused_and_nothing_behind_it_is_read(
    serve: Serve, request_bytes: bytes
) -> None:
    """RFC 9112 11.2: 400, and the server closes without being asked to."""
    answer = said(serve(HOME, options=ERROR), request_bytes + NEXT)

    assert answer.startswith(b"HTTP/1.1 400")
    assert answer.count(b"HTTP/1.1") == 1


@pytest.mark.parametrize(
    "request_bytes",
    [
        chunked(b'1;name="v"\r\na\r\n0\r\nX-Trailer: 1\r\n\r\n'),
        post(b"Transfer-Encoding: Chunked\r\n"),
        post(b"Transfer-Encoding:\tchunked\r\n"),
        b"\r\n" + get(HOST),
        b"GET http://shop.test/ HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
    ],
    ids=["extension and trailer", "case", "tab", "empty line before", "HTTP/1.0 without host"],
)
def test_what_is_only_unusual_is_answered(serve: Serve, request_bytes: bytes) -> None:
    """RFC 9112 2.2, 7.1: these have one reading."""
    with socket.create_connection(("127.0.0.1", serve(HOME, options=ERROR).port), 5) as connection:
        connection.sendall(request_bytes + NEXT)
        connection.shutdown(socket.SHUT_WR)
        answer = b"".join(iter(lambda: connection.recv(65536), b""))

    assert answer.count(b"HTTP/1.1 ") == 2
    assert b"400" not in answer.split(b"\r\n")[0]
