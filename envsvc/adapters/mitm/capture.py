"""Turn what mitmproxy saw of a flow into our own values."""

from dataclasses import dataclass

from mitmproxy import http
from mitmproxy.websocket import WebSocketData

from envsvc.adapters.mitm.route import EVENT_STREAM
from envsvc.adapters.mitm.tee import Tee
from envsvc.app.record_app import Place
from envsvc.exchange.content import BadEncodingError, decode
from envsvc.exchange.message import (
    Chunk,
    Exchange,
    Failure,
    Headers,
    Request,
    Response,
    WebSocketMessage,
    header,
    media_type,
    without_headers,
)

# Of one connection or for the proxy (RFC 9110 7.6.1), or answered by the recorder itself.
_NOT_RECORDED = frozenset(
    {
        "connection",
        "proxy-connection",
        "proxy-authorization",
        "keep-alive",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
        "sec-websocket-key",
    }
)
_NOT_RECORDED_OF_READS = frozenset({"range", "if-range", "if-none-match", "if-modified-since"})
_READS = frozenset({"GET", "HEAD"})


@dataclass(slots=True, kw_only=True)
class Capture:
    """A request on its way: as the client sent it, where in the tour, and its answer so far."""

    request: Request
    place: Place
    started_s: float
    asked_range: str = ""
    tee: Tee | None = None

    def exchange(self, answer: Response | Failure, ended_s: float) -> Exchange:
        """Return the exchange with *answer*."""
        return Exchange(
            started_us=round(self.started_s * 1_000_000),
            duration_ms=max(0.0, round((ended_s - self.started_s) * 1000, 3)),
            request=self.request,
            answer=answer,
            chunks=self._chunks(answer),
            tour=self.place.tour,
            step=self.place.step,
        )

    def _chunks(self, answer: Response | Failure) -> tuple[Chunk, ...]:
        """Return the pieces of an event stream; none where compression hides their ends."""
        if self.tee is None or not isinstance(answer, Response):
            return ()
        is_stream = media_type(answer.headers) == EVENT_STREAM
        is_coded = header(answer.headers, "content-encoding")
        return self.tee.chunks if is_stream and not is_coded else ()


def captured(flow: http.HTTPFlow, place: Place) -> Capture:
    """Return the capture of a request that was just received whole, before it is changed."""
    request = flow.request
    left_out = _NOT_RECORDED | (_NOT_RECORDED_OF_READS if request.method in _READS else set())
    return Capture(
        request=Request(
            method=request.method,
            url=client_url(request),
            headers=without_headers(plain(request.headers), left_out),
            body=request.raw_content or b"",
        ),
        place=place,
        started_s=request.timestamp_start,
        asked_range=request.headers.get("Range", "") if request.method == "GET" else "",
    )


def client_url(request: http.Request) -> str:
    """Return the URL as the client asked it; that of a web socket begins with ws."""
    is_socket = request.headers.get("Upgrade", "").lower() == "websocket"
    url = url_of(request)
    return "ws" + url.removeprefix("http") if is_socket else url


def url_of(request: http.Request) -> str:
    """Return the URL of *request*; mitmproxy forgets the brackets of an IPv6 address."""
    host = request.host
    return request.url.replace(f"://{host}", f"://[{host}]", 1) if ":" in host else request.url


def response_of(response: http.Response, body: bytes) -> Response:
    """Return *response* with *body* (as sent) decoded, if it can be."""
    headers = plain(response.headers)
    try:
        # No body at all is not a broken one: HEAD names the coding of what GET would get.
        decoded = decode(body, header(headers, "content-encoding")) if body else b""
    except BadEncodingError:
        decoded = None
    return Response(
        status=response.status_code,
        reason=response.reason,
        http_version=response.http_version,
        headers=headers,
        body=body if decoded is None else decoded,
        encoded=decoded is None,
    )


def messages_of(socket: WebSocketData, started_s: float) -> tuple[WebSocketMessage, ...]:
    """Return the messages of a web socket so far."""
    return tuple(
        WebSocketMessage(
            from_client=message.from_client,
            text=message.is_text,
            content=message.content,
            t_ms=max(0, round((message.timestamp - started_s) * 1000)),
        )
        for message in socket.messages
    )


def plain(headers: http.Headers) -> Headers:
    """Return header lines as pairs of text, in wire order."""
    return tuple(
        (name.decode("latin-1"), value.decode("latin-1")) for name, value in headers.fields
    )
