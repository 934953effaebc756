"""What is fuzzed: each target takes any bytes and may only end as it documents.

A documented end is an answer or an EnvsvcError. Anything else is a finding: another exception, a
hang, or a file read outside of the folder that the target was given.
"""

import contextlib
import io
import json
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from envsvc.adapters.cassette_files import CassetteFiles
from envsvc.adapters.cassette_reading import CassetteReader
from envsvc.adapters.importing.har_stream import har_entries
from envsvc.adapters.importing.sources import Source, readable
from envsvc.adapters.replay_server.request_reader import RefusedRequestError, RequestReader
from envsvc.adapters.replay_server.socket_replay import SocketReplay
from envsvc.adapters.yaml_text import parse_yaml
from envsvc.cassette.entry import exchange_of
from envsvc.cassette.foreign_har import read_entry
from envsvc.cassette.har import read_line
from envsvc.cassette.index import Index
from envsvc.errors import EnvsvcError
from envsvc.exchange.content import BadEncodingError, decode
from envsvc.exchange.key import CanonicalKey, canonical_key, canonical_request
from envsvc.exchange.message import Exchange, Request, Response
from envsvc.exchange.redact import Redactor

CASSETTES = Path(__file__).parents[2] / "har"
_SECRETS = {"password": "swordfish-9"}
_ENCODINGS = ("gzip", "deflate", "br", "zstd", "gzip, br", "x-unknown")
_HANDSHAKE = (
    b"GET /chat HTTP/1.1\r\nHost: a.test\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)


class Target(msgspec.Struct, frozen=True):
    """Takes bytes; ``seeds`` are some that it makes sense of."""

    run: Callable[[bytes], object]
    seeds: tuple[bytes, ...]


def har(data: bytes) -> None:
    """Import a HAR, whole and salvaged."""
    for salvage in (False, True):
        with contextlib.suppress(EnvsvcError):
            for number, entry in enumerate(har_entries(io.BytesIO(data), "x", salvage=salvage)):
                read_entry(entry, lambda _: None, number)


def archive(data: bytes) -> None:
    """Import whatever the bytes look like: zip, gzip, WARC, flows, HAR."""
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
        path = Path(folder) / "file"
        path.write_bytes(data)
        with contextlib.suppress(EnvsvcError), readable(path):
            for _ in Source(path, salvage=True).entries():
                pass


def request(data: bytes) -> None:
    """Read requests off the wire, in two pieces."""
    reader, middle = RequestReader(), len(data) // 2
    with contextlib.suppress(RefusedRequestError):
        for piece in (data[:middle], data[middle:]):
            for raw in reader.feed(piece)[0]:
                canonical_key(Request(method=raw.method, url=raw.target, headers=raw.headers))


def key(data: bytes) -> None:
    """Make the key of a request: method, URL, Content-Type, Content-Encoding, then the body."""
    asked = _request(data)
    meaning = canonical_request(asked)
    assert canonical_request(asked) == meaning


def content(data: bytes) -> None:
    """Undo each Content-Encoding."""
    for encoding in _ENCODINGS:
        with contextlib.suppress(BadEncodingError):
            decode(data, encoding)


def redact(data: bytes) -> None:
    """Take credentials out of a request and its answer; no named one is left as it was."""
    redactor, asked = Redactor(_SECRETS), _request(data)
    answer = Response(status=200, headers=asked.headers, body=asked.body)
    exchange = Exchange(started_us=0, duration_ms=0, request=asked, answer=answer)
    redacted = redactor.exchange(exchange)
    assert isinstance(redacted.answer, Response)
    # A placeholder that stands there already stays, and may happen to end as a credential begins.
    assert b"swordfish-9" not in redacted.answer.body or b"redacted-" in data


def cassette(data: bytes) -> None:
    """Read a line of traffic, index it, and read the bodies that it names."""
    reader = CassetteReader(CassetteFiles(CASSETTES).folder("shop", "v1"))
    with contextlib.suppress(EnvsvcError, ValueError):  # a date that is none, as documented
        entry = read_line(data, 2)
        if entry is not None:
            exchange = exchange_of(entry, reader.read_body)
            Index().add(entry, exchange.request)


def manifest(data: bytes) -> None:
    """Read YAML, of which manifests and app.yaml are made."""
    with contextlib.suppress(EnvsvcError):
        parse_yaml(data.decode("utf-8", "replace"), "x.yaml")


class _Deaf:
    """Counts nothing."""

    def redacted(self, content: bytes) -> bytes:
        return content

    def told(self, message: CanonicalKey) -> None:
        pass

    def missed(self, content: bytes) -> None:
        pass


def socket(data: bytes) -> None:
    """Speak frames to a replayed web socket."""
    replay = SocketReplay(CanonicalKey(b""), [()], (), _Deaf())
    replay.receive(_HANDSHAKE)
    middle = len(data) // 2
    for piece in (data[:middle], data[middle:]):
        if not replay.is_closed:
            replay.receive(piece)


def _request(data: bytes) -> Request:
    """Return a request made of up to four lines, then its body."""
    lines = [*data.split(b"\n", 4), b"", b"", b"", b""]
    method, url, kind, encoding = (line.decode("latin-1") for line in lines[:4])
    headers = (("Content-Type", kind), ("Content-Encoding", encoding), ("Cookie", url))
    return Request(method=method, url=url, headers=headers, body=lines[4])


def _lines() -> Iterator[bytes]:
    """Yield what the shop was asked and answered, a line each."""
    with (CASSETTES / "shop" / "v1" / "traffic.har").open("rb") as file:
        yield from list(file)[1:6]


def _posts() -> tuple[bytes, ...]:
    form = (
        b"POST\nhttp://a.test/in?a=1\napplication/x-www-form-urlencoded\n\npassword=swordfish-9&b=2"
    )
    text = b'POST\nhttp://a.test/in\napplication/json\n\n{"token":"swordfish-9","n":[1,2.0,-0]}'
    xml = b"POST\nhttp://a.test/in\ntext/xml\n\n<a b='1'><c/>text</a>"
    parts = (
        b"POST\nhttp://a.test/in\nmultipart/form-data; boundary=B\n\n"
        b'--B\r\nContent-Disposition: form-data; name="f"; filename="a.txt"\r\n\r\nx\r\n--B--\r\n'
    )
    return form, text, xml, parts


_ENTRY = {
    "startedDateTime": "2024-01-01T00:00:00Z",
    "time": 1,
    "request": {"method": "GET", "url": "http://a.test/", "headers": [], "cookies": []},
    "response": {"status": 200, "headers": [], "content": {"text": "eA==", "encoding": "base64"}},
}
_HAR = json.dumps({"log": {"version": "1.2", "entries": [_ENTRY, _ENTRY]}}).encode()
_WARC = (
    b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.test/\r\n"
    b"WARC-Date: 2024-01-01T00:00:00Z\r\nContent-Type: application/http; msgtype=response\r\n"
    b"Content-Length: 45\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello\r\n\r\n"
)
_GET = b"GET http://a.test/?a=1 HTTP/1.1\r\nHost: a.test\r\n\r\n"
_CHUNKED = (
    b"POST / HTTP/1.1\r\nHost: a.test\r\nTransfer-Encoding: chunked\r\n\r\n"
    b"5;x=y\r\nhello\r\n0\r\nT: 1\r\n\r\n"
)

TARGETS: dict[str, Target] = {
    "har": Target(har, (_HAR,)),
    "archive": Target(archive, (_HAR, _WARC, b"2:ab,", b"PK\x03\x04", b"\x1f\x8b\x08")),
    "request": Target(request, (_GET, _CHUNKED, _GET + _CHUNKED)),
    "key": Target(key, _posts()),
    "content": Target(content, (b"\x1f\x8b\x08\x00", b"x\x9c\x03\x00", b"\x28\xb5\x2f\xfd")),
    "redact": Target(redact, _posts()),
    "cassette": Target(cassette, tuple(_lines())),
    "manifest": Target(manifest, (b"a: 1\nb: [x, y]\nc: {d: no}\n", b"- &a x\n- *a\n")),
    "socket": Target(socket, (b"\x81\x82\x00\x00\x00\x00hi", b"\x88\x80\x00\x00\x00\x00")),
}
