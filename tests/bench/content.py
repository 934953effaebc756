"""What the servers serve: generated answers, the same bytes in every run and in every server."""

import hashlib
from collections.abc import Iterator
from itertools import islice

from envsvc.cassette.manifest import BrowserInfo, Manifest
from envsvc.exchange.message import Exchange, Headers, Request, Response

HOST = "bench.test"
VERSION = "v1"
JSON_PATHS = tuple(f"/items/{number}.json" for number in range(200))
PAGE_PATH = "/page.html"
_JSON_BYTES = 4 * 1024
_PAGE_BYTES = 100_000
LARGE_ENTRIES = 10_000
LARGE_BODY_BYTES = 50_000  # 500 MB together


def body_of(path: str) -> bytes:
    """Return the body at *path*: 4 KiB of JSON, or a page of 100 KB."""
    if path == PAGE_PATH:
        return b"<!doctype html><title>page</title><pre>" + _text(path, _PAGE_BYTES - 39)
    frame = b'{"path":"%s","text":"' % path.encode()
    return frame + _text(path, _JSON_BYTES - len(frame) - 2) + b'"}'


def small_exchanges() -> Iterator[Exchange]:
    """Yield every path on http and on https."""
    for scheme in ("http", "https"):
        for path in (*JSON_PATHS, PAGE_PATH):
            kind = "text/html" if path == PAGE_PATH else "application/json"
            yield _exchange(f"{scheme}://{HOST}{path}", kind, body_of(path))


def large_exchanges() -> Iterator[Exchange]:
    """Yield 10,000 answers of 50 KB, all different."""
    for number in range(LARGE_ENTRIES):
        url = large_url(number)
        yield _exchange(url, "text/plain", _text(url, LARGE_BODY_BYTES))


def large_url(number: int) -> str:
    """Return the URL of one of the large cassette's entries."""
    return f"http://{HOST}/documents/{number}?view=full&page={number % 7}"


def manifest(app: str) -> Manifest:
    """Return the manifest of a generated cassette, before it is sealed."""
    return Manifest(
        app=app,
        version=VERSION,
        recorded_at="2026-01-01T00:00:00Z",
        virtual_host=HOST,
        task_hosts=(HOST,),
        noise=(),
        tool_schema_version=None,
        answer_table_version=None,
        envsvc_version="bench",
        browser=BrowserInfo(build="none", locale="en-US", timezone="UTC", viewport=(1280, 900)),
        tours=(),
        passes=1,
        entries=0,
        body_bytes=0,
        redaction={},
    )


def app_yaml(app: str) -> str:
    """Return the description of an app that has nothing but a cassette."""
    return (
        f"app: {app}\nvirtual_host: {HOST}\n"
        f'versions: {{{VERSION}: {{url: "http://127.0.0.1:9"}}}}\n'
        "default_tour: none\ntours: {none: none.yaml}\n"
    )


def secret_values(count: int) -> list[str]:
    """Return *count* values that look like API keys."""
    return [hashlib.sha256(f"secret {number}".encode()).hexdigest()[:40] for number in range(count)]


def text_with(values: list[str], size: int) -> bytes:
    """Return *size* bytes of text in which each of *values* occurs 10 times."""
    planted = [value.encode() for value in values for _ in range(10)]
    piece = size // len(planted)
    filler = _text("filler", size)
    pieces = (filler[start : start + piece] for start in range(0, size, piece))
    parts = islice(zip(pieces, planted, strict=False), len(planted))
    return b"".join(text[: -len(value)] + value for text, value in parts)


def _text(seed: str, size: int) -> bytes:
    """Return *size* bytes of text that compresses badly, so no layer gets it cheaper."""
    return hashlib.shake_128(seed.encode()).hexdigest((size + 1) // 2)[:size].encode()


def _exchange(url: str, kind: str, body: bytes) -> Exchange:
    headers: Headers = (
        ("Server", "nginx"),
        ("Date", "Thu, 01 Jan 2026 00:00:00 GMT"),
        ("Content-Type", kind),
        ("Last-Modified", "Thu, 01 Jan 2026 00:00:00 GMT"),
        ("ETag", '"69559a80-1000"'),
        ("Accept-Ranges", "bytes"),
    )
    request_headers: Headers = (("Host", HOST), ("Accept", "*/*"))
    return Exchange(
        started_us=1_767_225_600_000_000,
        duration_ms=1,
        request=Request(method="GET", url=url, headers=request_headers),
        answer=Response(status=200, reason="OK", headers=headers, body=body),
    )
