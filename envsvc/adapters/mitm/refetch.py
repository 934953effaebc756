"""Ask a server again, in place of a client whose first answer was no good."""

import time

import httpx
from mitmproxy import http

from envsvc.adapters.mitm.capture import url_of
from envsvc.exchange.message import Failure

_TIMEOUT_S = 30.0


async def fetch_again(request: http.Request) -> http.Response | Failure:
    """Send *request* once more, exactly as it was sent; its body stays encoded."""
    started_s = time.time()
    headers = [(name, value) for name, value in request.headers.fields if name.lower() not in _SET]
    try:
        async with (
            httpx.AsyncClient(timeout=_TIMEOUT_S, trust_env=False) as client,
            client.stream(
                request.method, url_of(request), headers=headers, content=request.raw_content
            ) as answer,
        ):
            body = b"".join([piece async for piece in answer.aiter_raw()])
    except httpx.TimeoutException:
        return Failure(kind="timeout", message="no whole answer in time")
    except httpx.HTTPError:
        return Failure(kind="aborted", message="the server broke off")
    return _response(answer, body, started_s)


_SET = frozenset({b"connection", b"content-length", b"transfer-encoding"})


def _response(answer: httpx.Response, body: bytes, started_s: float) -> http.Response:
    hop = {b"transfer-encoding", b"connection", b"keep-alive"}
    kept = [(name, value) for name, value in answer.headers.raw if name.lower() not in hop]
    headers = http.Headers(kept)
    if "Content-Length" not in headers:
        headers["Content-Length"] = str(len(body))
    return http.Response(
        http_version=b"HTTP/1.1",
        status_code=answer.status_code,
        reason=answer.reason_phrase.encode("latin-1", "replace"),
        headers=headers,
        content=body,
        trailers=None,
        timestamp_start=started_s,
        timestamp_end=time.time(),
    )
