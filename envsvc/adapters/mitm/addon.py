"""The addon that turns flows into exchanges: what is kept, asked again, or lost (D8)."""

import asyncio
import time
from collections.abc import Iterator
from contextlib import contextmanager

import msgspec
from mitmproxy import http

from envsvc.adapters.mitm.capture import (
    Capture,
    captured,
    messages_of,
    response_of,
)
from envsvc.adapters.mitm.reach import Reach
from envsvc.adapters.mitm.refetch import fetch_again
from envsvc.adapters.mitm.route import EVENT_STREAM, Route, ask_for_all_of_it
from envsvc.adapters.mitm.tee import MAX_KEPT_BYTES, Tee
from envsvc.app.record_app import Place, Sink
from envsvc.cassette.manifest import Dropped
from envsvc.exchange.message import Exchange, Failure, Request, Response
from envsvc.playback.byte_range import Unsatisfiable, asked_range
from envsvc.record.quality import Drop, Keep, Retry, judge

_STREAMED_ABOVE_BYTES = 1024 * 1024
_CLIENT_LEFT = "Client disconnected."  # mitmproxy's words, in proxy/layers/http/_http1.py
_OK, _SWITCHING = 200, 101


class RecordingAddon:
    """Watches flows of one recorder and hands exchanges to its sink."""

    def __init__(self, route: Route, intended_statuses: frozenset[int], sink: Sink) -> None:
        """Lead requests by *route*; statuses in *intended_statuses* are no faults."""
        self.place = Place()
        self.problem: Exception | None = None
        self._route = route
        self._intended = intended_statuses
        self._sink = sink
        self._reach = Reach()
        self._open: dict[str, tuple[http.HTTPFlow, Capture]] = {}
        self._unreachable: set[tuple[str, str]] = set()

    # Hooks, called by mitmproxy.

    async def http_connect(self, flow: http.HTTPFlow) -> None:
        """Refuse a tunnel to a host that cannot be reached, as the network does."""
        with self._carrying():
            host, port = flow.request.host, flow.request.port
            failure = await self._failure(host, port)
            if failure is not None:
                flow.response = http.Response.make(502)
                self._keep_failure(_tunnel_request(host, port), failure, flow)

    async def request(self, flow: http.HTTPFlow) -> None:
        """Note the request as the client sent it, then lead it to its server."""
        with self._carrying():
            capture = captured(flow, self.place)
            failure = await self._failure(flow.request.host, flow.request.port)
            if failure is not None:
                self._keep_failure(capture.request, failure, flow)
                flow.kill()  # type: ignore[no-untyped-call]
                return
            self._open[flow.id] = (flow, capture)
            ask_for_all_of_it(flow.request)
            self._route.apply(flow.request)

    def responseheaders(self, flow: http.HTTPFlow) -> None:
        """Let streams and large bodies pass through while they are kept."""
        with self._carrying():
            _, capture = self._open.get(flow.id, (flow, None))
            if capture is not None and flow.response and self._is_streamed(flow.response, capture):
                capture.tee = Tee()
                flow.response.stream = capture.tee

    async def response(self, flow: http.HTTPFlow) -> None:
        """Keep a whole answer, asking again if it is a fault; cut the range that was asked."""
        with self._carrying():
            if flow.websocket is not None:
                return  # kept when it ends
            _, capture = self._open.get(flow.id, (flow, None))
            if capture is not None and flow.response is not None:
                body = capture.tee.content if capture.tee else flow.response.raw_content or b""
                await self._finish(flow, capture, response_of(flow.response, body))
                _cut_range(flow.response, capture.asked_range)

    async def error(self, flow: http.HTTPFlow) -> None:
        """Ask again where the server broke off; note where the client did."""
        with self._carrying():
            _, capture = self._open.get(flow.id, (flow, None))
            if capture is None or flow.error is None:
                return
            if flow.error.msg == _CLIENT_LEFT:
                self._end(flow, capture, "aborted by the client")
            else:
                broken = Failure(kind="aborted", message="the server broke off")
                await self._finish(flow, capture, broken)

    def websocket_end(self, flow: http.HTTPFlow) -> None:
        """Keep a web socket with everything that was said."""
        with self._carrying():
            _, capture = self._open.get(flow.id, (flow, None))
            if capture is not None:
                self._end(flow, capture, "")

    def done(self) -> None:
        """Hand over what is still open when the recording ends."""
        with self._carrying():
            for flow, capture in list(self._open.values()):
                self._end(flow, capture, "unfinished when the recording ended")

    # How an exchange ends.

    async def _finish(
        self, flow: http.HTTPFlow, capture: Capture, answer: Response | Failure
    ) -> None:
        """Keep *answer*, or the good one that asking again brings, or drop the exchange."""
        exchange = capture.exchange(answer, time.time())
        verdict = judge(exchange, 1, self._intended)
        attempt = 1
        while isinstance(verdict, Retry):
            await asyncio.sleep(verdict.delay_s)
            attempt += 1
            exchange = capture.exchange(await _asked_again(flow, capture), time.time())
            verdict = judge(exchange, attempt, self._intended)
        if self._open.pop(flow.id, None) is None:
            return  # the recording ended meanwhile and has listed it
        if capture.tee is not None and capture.tee.is_too_large:
            self._lose(capture.request, "the body is larger than a recording keeps")
        elif isinstance(verdict, Drop):
            self._lose(capture.request, verdict.reason)
        else:
            self._keep(exchange)

    def _end(self, flow: http.HTTPFlow, capture: Capture, reason: str) -> None:
        """Keep a web socket or an event stream as far as it came; anything else is lost."""
        del self._open[flow.id]
        exchange = _so_far(flow, capture)
        if exchange is None:
            self._lose(capture.request, reason)
        else:
            self._keep(exchange)

    def _keep(self, exchange: Exchange) -> None:
        # Where the recording stands now counts, not where the request began: the journal's steps
        # are cut at this moment too, so a resume records exactly what it lacks.
        if self.place.is_recorded:
            self._sink.kept(exchange, self.place.pass_number)

    def _lose(self, request: Request, reason: str) -> None:
        if self.place.is_recorded:
            self._sink.lost(Dropped(method=request.method, url=request.url, reason=reason))

    def _keep_failure(self, request: Request, failure: Failure, flow: http.HTTPFlow) -> None:
        """Keep once that *request* cannot be answered by anyone."""
        asked = (request.method, request.url)
        if asked in self._unreachable or not self.place.is_recorded:
            return
        self._unreachable.add(asked)
        started_s = flow.request.timestamp_start
        capture = Capture(request=request, place=self.place, started_s=started_s)
        self._keep(capture.exchange(failure, time.time()))

    # Small decisions.

    async def _failure(self, host: str, port: int) -> Failure | None:
        if self._route.is_for(host, port):
            return None
        return await self._reach.failure(host, port)

    def _is_streamed(self, response: http.Response, capture: Capture) -> bool:
        """Say whether to pass *response* on piece by piece: not if it may be asked again."""
        if response.status_code == _SWITCHING or self._is_fault(response.status_code):
            return False
        if _is_event_stream(response):
            return True
        length = response.headers.get("Content-Length", "")
        # A range is cut out of the whole body, which has to be here for that.
        limit = MAX_KEPT_BYTES if capture.asked_range else _STREAMED_ABOVE_BYTES
        return not length.isdigit() or int(length) > limit

    def _is_fault(self, status: int) -> bool:
        empty = Exchange(
            started_us=0,
            duration_ms=0,
            request=Request(method="GET", url=""),
            answer=Response(status=status),
        )
        return not isinstance(judge(empty, 1, self._intended), Keep)

    @contextmanager
    def _carrying(self) -> Iterator[None]:
        """Carry what goes wrong in here to the thread that waits for the recording."""
        try:
            yield
        except Exception as problem:  # noqa: BLE001 - mitmproxy would only log it
            self.problem = self.problem or problem


def _so_far(flow: http.HTTPFlow, capture: Capture) -> Exchange | None:
    """Return the exchange of a web socket or an event stream as far as it came."""
    if flow.response is None:
        return None
    if flow.websocket is not None:
        messages = messages_of(flow.websocket, capture.started_s)
        exchange = capture.exchange(response_of(flow.response, b""), time.time())
        return msgspec.structs.replace(exchange, messages=messages)
    if capture.tee is None or not _is_event_stream(flow.response):
        return None
    exchange = capture.exchange(response_of(flow.response, capture.tee.content), time.time())
    return msgspec.structs.replace(exchange, stream_open=True)


async def _asked_again(flow: http.HTTPFlow, capture: Capture) -> Response | Failure:
    """Ask once more; a client that has nothing yet gets the new answer."""
    fresh = await fetch_again(flow.request)
    capture.started_s = time.time()
    if isinstance(fresh, Failure):
        return fresh
    capture.started_s = fresh.timestamp_start
    if capture.tee is None:
        flow.response = fresh
    return response_of(fresh, fresh.raw_content or b"")


def _tunnel_request(host: str, port: int) -> Request:
    scheme = {80: "http"}.get(port, "https")
    shown = f":{port}" if port not in {80, 443} else ""
    return Request(method="CONNECT", url=f"{scheme}://{host}{shown}/")


def _is_event_stream(response: http.Response) -> bool:
    kind = str(response.headers.get("Content-Type", ""))
    return kind.partition(";")[0].strip().lower() == EVENT_STREAM


def _cut_range(response: http.Response, wanted: str) -> None:
    """Give the client the range it asked for, out of the whole answer that was recorded."""
    if not wanted or response.status_code != _OK or response.stream:
        return
    content = response.content or b""
    cut = asked_range(wanted, len(content))
    if cut is None:
        return
    response.headers.pop("Content-Encoding", None)
    if isinstance(cut, Unsatisfiable):
        response.status_code, response.reason = 416, "Range Not Satisfiable"
        response.headers["Content-Range"] = f"bytes */{cut.size}"
        response.content = b""
        return
    response.status_code, response.reason = 206, "Partial Content"
    response.headers["Content-Range"] = cut.content_range
    response.content = content[cut.start : cut.end]
