"""Small cassettes in memory, made from exchanges as a test states them."""

import hashlib
from collections.abc import Iterable

from envsvc.cassette.entry import entry_of
from envsvc.cassette.manifest import BrowserInfo, Manifest
from envsvc.exchange.message import Chunk, Exchange, Failure, Headers, Request, Response
from envsvc.playback.indexing import empty_index
from envsvc.ports import Cassette

HTML: Headers = (("Content-Type", "text/html; charset=utf-8"),)
JSON: Headers = (("Content-Type", "application/json"),)
EVENTS: Headers = (("Content-Type", "text/event-stream"),)


def recorded(  # noqa: PLR0913 - the parts of an exchange
    url: str,
    answer: Response | Failure,
    *,
    method: str = "GET",
    headers: Headers = (),
    body: bytes = b"",
    chunks: tuple[Chunk, ...] = (),
    second: int = 0,
) -> Exchange:
    """Return an exchange as a recording would hold it, begun in this *second* of it."""
    request = Request(method=method, url=url, headers=headers, body=body)
    return Exchange(
        started_us=second * 1_000_000,
        duration_ms=1,
        request=request,
        answer=answer,
        chunks=chunks,
    )


def page(body: bytes, headers: Headers = HTML, status: int = 200) -> Response:
    """Return a response with *body*."""
    return Response(status=status, reason="OK", headers=headers, body=body)


def cassette(exchanges: Iterable[Exchange] = ()) -> Cassette:
    """Return a cassette of app ``shop/v1`` on ``shop.test`` that holds *exchanges*."""
    bodies: dict[str, bytes] = {}

    def store(body: bytes, _: str) -> str:
        path = f"bodies/{hashlib.sha256(body).hexdigest()}.bin"
        bodies[path] = body
        return path

    kept = list(exchanges)
    manifest = _manifest(len(kept))
    index = empty_index(manifest)
    for exchange in kept:
        index.add(entry_of(exchange, store), exchange.request)
    return Cassette(manifest, index, bodies.__getitem__)


def _manifest(entries: int) -> Manifest:
    return Manifest(
        app="shop",
        version="v1",
        recorded_at="2026-01-01T00:00:00Z",
        virtual_host="shop.test",
        task_hosts=("shop.test",),
        noise=("stats.test/*",),
        tool_schema_version=None,
        answer_table_version=None,
        envsvc_version="0",
        browser=BrowserInfo(build="none", locale="en", timezone="UTC", viewport=(1, 1)),
        tours=(),
        passes=1,
        entries=entries,
        body_bytes=0,
        redaction={},
        digest="0" * 64,
    )
