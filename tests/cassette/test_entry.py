"""An exchange becomes a HAR entry and comes back whole."""

import hashlib

import msgspec
import pytest
from hypothesis import given

from envsvc.cassette.bodies import body_path
from envsvc.cassette.entry import (
    entry_of,
    exchange_of,
    microseconds,
    socket_messages_of,
    stored_response,
    timestamp,
)
from envsvc.cassette.har import HarEntry, read_line, traffic_line
from envsvc.exchange.message import Exchange, Failure, Request, Response, WebSocketMessage
from tests.exchange.strategies import exchanges


class Bodies:
    """A cassette's bodies in memory."""

    def __init__(self) -> None:
        """Start empty."""
        self.by_path: dict[str, bytes] = {}

    def store(self, body: bytes, kind: str) -> str:
        """Keep *body* and return its path."""
        path = body_path(body, kind)
        self.by_path[path] = body
        return path

    def load(self, path: str) -> bytes:
        """Return the body at *path*."""
        return self.by_path[path]


def entry(exchange: Exchange) -> HarEntry:
    """Return the entry of *exchange*, its bodies thrown away."""
    return entry_of(exchange, Bodies().store)


def exchange(request: Request, answer: Response | Failure) -> Exchange:
    """Return an exchange of one second past the epoch."""
    return Exchange(started_us=1_000_000, duration_ms=12, request=request, answer=answer)


HOME = Request(method="GET", url="http://shop.test/")
OK = Response(status=200)


@given(exchanges())
def test_an_exchange_survives_the_traffic_file(recorded: Exchange) -> None:
    """D2, S0-01: written as a line of HAR and read back, every exchange is equal to itself."""
    bodies = Bodies()
    line = traffic_line(entry_of(recorded, bodies.store), is_last=False)
    read = read_line(line, 2)

    assert read is not None
    assert exchange_of(read, bodies.load) == recorded


def test_a_body_is_stored_under_its_digest() -> None:
    """D2: response and request bodies alike are named by SHA-256 and media type."""
    bodies = Bodies()
    request = Request(
        method="POST", url="http://a.test/", headers=(("Content-Type", "text/plain"),), body=b"ask"
    )
    html = Response(status=200, headers=(("content-type", "text/html; charset=utf-8"),), body=b"x")
    recorded = entry_of(exchange(request, html), bodies.store)

    assert recorded.response.content.file == f"bodies/{hashlib.sha256(b'x').hexdigest()}.html"
    assert set(bodies.by_path.values()) == {b"ask", b"x"}


def test_a_request_body_of_no_type_is_called_bytes() -> None:
    """HAR demands a media type; a body without one is application/octet-stream."""
    recorded = entry(exchange(Request(method="PUT", url="http://a.test/", body=b"x"), OK))
    line = traffic_line(recorded, is_last=True)

    assert b'"mimeType":"application/octet-stream"' in line


def test_no_body_has_no_file() -> None:
    """An empty body is no file, so that readers of HAR find nothing to open."""
    assert b"_file" not in traffic_line(entry(exchange(HOME, OK)), is_last=True)


def test_the_query_is_listed_decoded() -> None:
    """Other readers of HAR find the pairs in queryString; the fragment is none of it."""
    request = Request(method="GET", url="http://a.test/?q=a+b&flag#?x=1")
    query = entry(exchange(request, OK)).request.query_string

    assert [(pair.name, pair.value) for pair in query] == [("q", "a b"), ("flag", "")]


def test_a_redirect_names_its_target() -> None:
    """HAR's redirectURL is the Location as sent."""
    moved = Response(status=302, headers=(("Location", "/cart"),))

    assert entry(exchange(HOME, moved)).response.redirect_url == "/cart"


def test_a_failure_is_status_zero_for_other_readers() -> None:
    """D8: an unreachable host is an entry; HAR readers see status 0."""
    unreachable = Failure(kind="dns", message="no such host")
    recorded = entry(exchange(HOME, unreachable))

    assert recorded.response.status == 0
    assert recorded.extra.failure == unreachable


def test_socket_messages_read_as_chrome_writes_them() -> None:
    """Text stands as it is with opcode 1, bytes as base64 with opcode 2, times in seconds."""
    hello = WebSocketMessage(from_client=True, text=True, content="hé".encode(), t_ms=500)
    blob = WebSocketMessage(from_client=False, text=False, content=b"\xff\x00", t_ms=700)
    recorded = Exchange(
        started_us=1_000_000, duration_ms=1, request=HOME, answer=OK, messages=(hello, blob)
    )
    messages = entry(recorded).socket_messages

    assert isinstance(messages, tuple)
    assert [(m.type, m.opcode, m.data, m.time) for m in messages] == [
        ("send", 1, "hé", 1.5),
        ("receive", 2, "/wA=", 1.7),
    ]


def test_an_exchange_without_a_socket_has_no_messages() -> None:
    """Nothing was said: no field in the file, no message afterwards."""
    assert socket_messages_of(entry(exchange(HOME, OK))) == ()


@pytest.mark.parametrize(
    ("since_epoch", "text"),
    [
        (0, "1970-01-01T00:00:00.000000Z"),
        (1_700_000_000_123_456, "2023-11-14T22:13:20.123456Z"),
    ],
)
def test_moments_are_written_to_the_microsecond_in_utc(since_epoch: int, text: str) -> None:
    """D2: RFC 3339 with Z, and back."""
    assert timestamp(since_epoch) == text
    assert microseconds(text) == since_epoch


def test_other_time_zones_are_understood() -> None:
    """Chrome writes offsets."""
    assert microseconds("1970-01-01T01:00:00+01:00") == 0


@pytest.mark.parametrize("text", ["yesterday", "2023-11-14T22:13:20", ""])
def test_a_date_that_names_no_moment_is_refused(text: str) -> None:
    """S0-19: a time without a zone is not a time."""
    with pytest.raises(ValueError, match=r"time zone|isoformat"):
        microseconds(text)


def test_an_answer_says_where_its_body_lies() -> None:
    """D2: it is read when it is served."""
    page = msgspec.structs.replace(OK, body=b"<p>page</p>")
    recorded = entry(exchange(HOME, page))

    assert stored_response(recorded).body_path == recorded.response.content.file != ""
