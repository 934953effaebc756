"""Turn an exchange into its HAR entry and back."""

import base64
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qsl

import msgspec

from envsvc.cassette.har import (
    TEXT_OPCODE,
    Content,
    Extra,
    HarEntry,
    HarRequest,
    HarResponse,
    NameValue,
    PostData,
    SocketMessage,
    Timings,
)
from envsvc.cassette.stored import StoredResponse
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
)

type Store = Callable[[bytes, str], str]
"""Keep a body of a media type and return its path in the cassette."""
type Load = Callable[[str], bytes]
"""Return the body at a path in the cassette."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def entry_of(exchange: Exchange, store: Store) -> HarEntry:
    """Return *exchange* as a HAR entry, its bodies handed to *store*."""
    answer = exchange.answer
    return HarEntry(
        started=timestamp(exchange.started_us),
        time=exchange.duration_ms,
        request=_har_request(exchange.request, store),
        response=_har_response(answer, store) if isinstance(answer, Response) else _NO_RESPONSE,
        timings=Timings(wait=exchange.duration_ms),
        socket_messages=_socket_messages(exchange) or msgspec.UNSET,
        extra=Extra(
            tour=exchange.tour,
            step=exchange.step,
            encoded=isinstance(answer, Response) and answer.encoded,
            stream_open=exchange.stream_open,
            chunks=tuple((chunk.t_ms, chunk.length) for chunk in exchange.chunks),
            failure=answer if isinstance(answer, Failure) else None,
            fingerprint=exchange.fingerprint,
            run=exchange.run,
        ),
    )


def exchange_of(entry: HarEntry, load: Load) -> Exchange:
    """Return the exchange that *entry* was made from. Raises: ValueError for a bad date."""
    started_us = microseconds(entry.started)
    return Exchange(
        started_us=started_us,
        duration_ms=entry.time,
        request=request_of(entry, load),
        answer=entry.extra.failure or _response_of(entry, load),
        chunks=tuple(Chunk(t_ms=t_ms, length=length) for t_ms, length in entry.extra.chunks),
        stream_open=entry.extra.stream_open,
        messages=socket_messages_of(entry),
        tour=entry.extra.tour,
        step=entry.extra.step,
        fingerprint=entry.extra.fingerprint,
        run=entry.extra.run,
    )


def request_of(entry: HarEntry, load: Load) -> Request:
    """Return the request of *entry* with its body."""
    post_data = entry.request.post_data
    return Request(
        method=entry.request.method,
        url=entry.request.url,
        headers=plain_headers(entry.request.headers),
        body=load(post_data.file) if isinstance(post_data, PostData) else b"",
    )


def stored_response(recorded: HarEntry) -> StoredResponse:
    """Return the answer of *recorded*, its body where it lies."""
    response = recorded.response
    path = response.content.file
    return StoredResponse(
        status=response.status,
        reason=response.status_text,
        headers=plain_headers(response.headers),
        body_path=path if isinstance(path, str) else "",
        body_size=response.content.size,
        encoded=recorded.extra.encoded,
        stream_open=recorded.extra.stream_open,
        chunks=recorded.extra.chunks,
        messages=socket_messages_of(recorded),
    )


def socket_messages_of(entry: HarEntry) -> tuple[WebSocketMessage, ...]:
    """Return the web socket messages of *entry*; () if it was no web socket."""
    if isinstance(entry.socket_messages, msgspec.UnsetType):
        return ()
    started_ms = microseconds(entry.started) / 1000
    return tuple(
        WebSocketMessage(
            from_client=message.type == "send",
            text=message.opcode == TEXT_OPCODE,
            content=message.content(),
            t_ms=round(message.time * 1000 - started_ms),
        )
        for message in entry.socket_messages
    )


def plain_headers(pairs: tuple[NameValue, ...]) -> Headers:
    """Return HAR header objects as plain pairs."""
    return tuple((pair.name, pair.value) for pair in pairs)


def timestamp(microseconds_since_epoch: int) -> str:
    """Return the moment as RFC 3339 in UTC with microseconds and Z."""
    moment = _EPOCH + timedelta(microseconds=microseconds_since_epoch)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def microseconds(text: str) -> int:
    """Return microseconds since the epoch of an RFC 3339 *text*. Raises: ValueError."""
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError(f"{text} names no time zone")
    return (moment - _EPOCH) // _MICROSECOND


def _har_request(request: Request, store: Store) -> HarRequest:
    post_data: PostData | msgspec.UnsetType = msgspec.UNSET
    if request.body:
        path = store(request.body, media_type(request.headers))
        kind = header(request.headers, "content-type") or "application/octet-stream"
        post_data = PostData(media_type=kind, file=path, text=_text(request.body))
    query = parse_qsl(request.url.partition("#")[0].partition("?")[2], keep_blank_values=True)
    return HarRequest(
        method=request.method,
        url=request.url,
        headers=_har_headers(request.headers),
        query_string=_har_headers(tuple(query)),
        post_data=post_data,
        body_size=len(request.body),
    )


def _text(body: bytes) -> str:
    try:
        return body.decode()
    except UnicodeDecodeError:
        return ""


def _har_response(response: Response, store: Store) -> HarResponse:
    kind = media_type(response.headers)
    return HarResponse(
        status=response.status,
        status_text=response.reason,
        http_version=response.http_version,
        headers=_har_headers(response.headers),
        content=Content(
            size=len(response.body),
            media_type=header(response.headers, "content-type"),
            file=store(response.body, kind) if response.body else msgspec.UNSET,
        ),
        redirect_url=header(response.headers, "location"),
    )


_NO_RESPONSE = HarResponse(
    status=0,
    status_text="",
    http_version="",
    headers=(),
    content=Content(size=0, media_type=""),
    redirect_url="",
)


def _response_of(entry: HarEntry, load: Load) -> Response:
    response = entry.response
    path = response.content.file
    return Response(
        status=response.status,
        reason=response.status_text,
        http_version=response.http_version,
        headers=plain_headers(response.headers),
        body=load(path) if isinstance(path, str) else b"",
        encoded=entry.extra.encoded,
    )


def _socket_messages(exchange: Exchange) -> tuple[SocketMessage, ...]:
    return tuple(
        SocketMessage(
            type="send" if message.from_client else "receive",
            time=(exchange.started_us / 1000 + message.t_ms) / 1000,
            opcode=TEXT_OPCODE if message.text else 2,
            data=message.content.decode()
            if message.text
            else base64.b64encode(message.content).decode(),
        )
        for message in exchange.messages
    )


def _har_headers(headers: Headers) -> tuple[NameValue, ...]:
    return tuple(NameValue(name=name, value=value) for name, value in headers)
