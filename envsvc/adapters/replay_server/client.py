"""One client's connection: proxy requests, tunnels, TLS, answers (D10)."""

import asyncio
import base64
import binascii
import hmac
import ssl
from collections.abc import Callable, Coroutine
from typing import cast

import msgspec

from envsvc.adapters.certificates import CertificateAuthority
from envsvc.adapters.replay_server.engine import (
    Answer,
    Broken,
    Engine,
    Live,
    Socket,
    SocketAccount,
    Stream,
    Whole,
)
from envsvc.adapters.replay_server.live import LiveApp
from envsvc.adapters.replay_server.quick import Quick, QuickAnswers
from envsvc.adapters.replay_server.request_reader import (
    RawRequest,
    RefusedRequestError,
    RequestReader,
)
from envsvc.adapters.replay_server.socket_replay import SocketReplay
from envsvc.adapters.replay_server.tls import TlsEnd
from envsvc.exchange.key import CanonicalKey
from envsvc.exchange.message import Request, header
from envsvc.exchange.url import split_authority
from envsvc.playback.head import render_head
from envsvc.playback.pace import AS_RECORDED, Pace
from envsvc.playback.session import Session
from envsvc.playback.virtual_clock import unmarked

_TLS_HANDSHAKE = 0x16  # first byte of a ClientHello (RFC 8446 5.1)
# A client that sends more while its last answer is not finished has to wait.
_MAX_WAITING_BYTES = 1024 * 1024
# More than any browser opens for 16 episodes at once, less than the usual limit of open files.
MAX_CONNECTIONS = 900
DEFAULT_SESSION = "default"


class Listener(msgspec.Struct, kw_only=True):
    """What all connections of one listening port share.

    ``session`` is set where the port belongs to one session. With a ``token`` every client
    must give it as its proxy password.
    """

    name: str
    engine: Engine
    authority: CertificateAuthority
    quick: QuickAnswers
    session: Session | None = None
    token: str = ""
    live: LiveApp | None = None
    pace: Pace = AS_RECORDED
    clients: set["Client"] = msgspec.field(default_factory=set)


class Client(asyncio.Protocol):
    """The state of one connection. Requests are answered one after the other, in order."""

    def __init__(self, listener: Listener) -> None:
        """Belong to *listener*."""
        self._listener = listener
        self._engine = listener.engine
        self._session = listener.session
        self._is_admitted = not listener.token
        self._reader = RequestReader()
        self._quick = listener.quick.place(listener.name, "")
        self._scheme, self._authority = "http", ""
        self._is_tunnel_new = False
        self._tls: TlsEnd | None = None
        self._socket: SocketReplay | None = None
        self._on_lost: Callable[[], None] = lambda: None
        self._busy: asyncio.Task[None] | None = None
        self._waiting = b""
        self._queue: list[RawRequest] = []
        self.last_heard = 0.0

    # Called by the event loop.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Start."""
        self._transport = cast("asyncio.Transport", transport)
        self._loop = asyncio.get_running_loop()
        self.last_heard = self._loop.time()
        if len(self._listener.clients) >= MAX_CONNECTIONS:
            self._transport.abort()
        self._listener.clients.add(self)

    def connection_lost(self, _: Exception | None) -> None:
        """End, and stop what is still being sent."""
        self._listener.clients.discard(self)
        self._on_lost()
        if self._busy is not None:
            self._busy.cancel()

    def data_received(self, data: bytes) -> None:
        """Take bytes of the wire."""
        self.last_heard = self._loop.time()
        if self._is_tunnel_new:
            self._open_tunnel(data[0])
        if self._tls is not None:
            try:
                data = self._tls.receive(data)
            except ssl.SSLError:
                self._transport.write(self._tls.to_send())
                self._end()
                return
            pending = self._tls.to_send()
            if pending:
                self._transport.write(pending)
            if not data:
                return
        quick = self._quick.get(data)
        if quick is not None and quick.holds and self._reader.is_idle and self._busy is None:
            quick.count()
            self._write(quick.content)
            return
        self._take(data)

    def eof_received(self) -> bool:
        """Close when the client stops sending."""
        return False

    def pause_writing(self) -> None:
        """Read no more requests while the client does not take its answers."""
        self._transport.pause_reading()

    def resume_writing(self) -> None:
        """Go on reading."""
        self._transport.resume_reading()

    def close_if_idle(self, before: float) -> None:
        """Close if nothing was heard since *before* (loop time) and nothing is being sent."""
        if self.last_heard < before and self._busy is None:
            self._end()

    def close(self) -> None:
        """Close once everything was sent."""
        self._end()

    # Requests.

    def _take(self, data: bytes) -> None:
        if self._socket is not None:
            self._converse(self._socket, data)
        elif self._busy is not None:
            self._waiting += data
            if len(self._waiting) > _MAX_WAITING_BYTES:
                self._transport.pause_reading()
        else:
            self._read(data)

    def _read(self, data: bytes) -> None:
        is_whole = self._reader.is_idle
        try:
            requests, rest = self._reader.feed(data)
        except RefusedRequestError as refused:
            self._refuse(refused.status, refused.reason)
            return
        if self._reader.wants_continue:
            self._reader.wants_continue = False
            self._write(b"HTTP/1.1 100 Continue\r\n\r\n")
        self._queue += requests
        self._waiting = rest
        key = data if is_whole and self._reader.is_idle and len(requests) == 1 else b""
        self._next(key)

    def _next(self, key: bytes = b"") -> None:
        """Answer what is queued until one answer takes time or the connection ends."""
        while self._queue and self._busy is None and not self._transport.is_closing():
            self._handle(self._queue.pop(0), key)
        if self._busy is None and self._waiting and not self._is_tunnel_new:
            data, self._waiting = self._waiting, b""
            self._transport.resume_reading()
            self._take(data)

    def _handle(self, raw: RawRequest, key: bytes) -> None:
        session = self._session_of(raw)
        if session is None:
            self._challenge()
        elif raw.method == "CONNECT":
            self._tunnel(raw, session)
        else:
            request = self._request(raw)
            answer = self._engine.answer(request, session)
            if isinstance(answer, Whole) and answer.outcome and key and raw.keep_alive:
                quick = Quick(
                    answer.content,
                    answer.outcome,
                    answer.entry_number,
                    session,
                    session.epoch,
                    answer.is_assumed,
                )
                if not raw.body:
                    self._listener.quick.keep(self._listener.name, self._quick, key, quick)
            self._send(request, answer, raw, session)

    def _request(self, raw: RawRequest) -> Request:
        if "://" in raw.target.partition("?")[0]:
            url = raw.target
        else:
            # Outside a tunnel an origin-form target is for the host named (reverse mode).
            authority = header(raw.headers, "host") or self._authority
            if not self._authority and _is_address(authority):
                authority = self._engine.virtual_host
            url = f"{self._scheme}://{authority}{raw.target}"
        if raw.is_web_socket:
            url = "ws" + url.removeprefix("http")
        return Request(method=raw.method, url=url, headers=raw.headers, body=raw.body)

    def _session_of(self, raw: RawRequest) -> Session | None:
        """Return whose request this is, or None if it lacks the token.

        A tunnel was asked for once, and belongs to who asked; a port may belong to a session.
        """
        if self._session is not None and self._is_admitted:
            return self._session
        name, password = _credentials(header(raw.headers, "proxy-authorization"))
        token = self._listener.token
        if token and not hmac.compare_digest(password.encode(), token.encode()):
            return None
        return self._session or self._engine.session(name or DEFAULT_SESSION)

    # Tunnels.

    def _tunnel(self, raw: RawRequest, session: Session) -> None:
        host, port = split_authority(raw.target)
        if not host:
            self._refuse(400, "Bad Request")
            return
        if self._engine.refuses_tunnel(host, session):
            self._refuse(502, "Bad Gateway")
            return
        self._session, self._is_admitted = session, True
        self._authority = host if port in {"80", "443"} else raw.target
        self._reader = RequestReader()
        self._is_tunnel_new = True
        self._write(b"HTTP/1.1 200 Connection Established\r\n\r\n")
        if self._waiting:
            data, self._waiting = self._waiting, b""
            self.data_received(data)

    def _open_tunnel(self, first_byte: int) -> None:
        self._is_tunnel_new = False
        if first_byte == _TLS_HANDSHAKE:
            self._scheme = "https"
            host = split_authority(self._authority)[0]
            self._tls = TlsEnd(self._listener.authority.server_context(host))
        origin = f"{self._scheme}://{self._authority}"
        session_id = self._session.session_id if self._session else ""
        self._quick = self._listener.quick.place(self._listener.name, f"{session_id} {origin}")

    # Answers.

    def _send(self, request: Request, answer: Answer, raw: RawRequest, session: Session) -> None:
        match answer:
            case Whole():
                self._write(answer.content)
                self._finish(raw)
            case Stream():
                self._write(answer.head)
                self._work(self._send_pieces(answer))
            case Socket():
                self._open_socket(answer, raw, session)
            case Broken():
                self._transport.abort()
            case Live():
                self._work(self._send_live(request, raw, session))

    def _finish(self, raw: RawRequest) -> None:
        if not raw.keep_alive:
            self._end()

    def _work(self, sending: Coroutine[None, None, None]) -> None:
        self._busy = self._loop.create_task(sending)
        self._busy.add_done_callback(self._worked)

    def _worked(self, task: asyncio.Task[None]) -> None:
        self._busy = None
        if not task.cancelled() and task.exception() is not None:
            self._transport.abort()
        elif not task.cancelled():
            self._next()

    async def _send_pieces(self, stream: Stream) -> None:
        start = self._loop.time()
        for t_ms, piece in stream.pieces:
            due = start + self._listener.pace.delay_ms(t_ms) / 1000
            await asyncio.sleep(max(0.0, due - self._loop.time()))
            self.last_heard = self._loop.time()
            self._write(piece)
        if stream.stays_open:
            await asyncio.Event().wait()
        self._end()

    async def _send_live(self, request: Request, raw: RawRequest, session: Session) -> None:
        app = self._listener.live
        if app is None:  # the policy was chosen without an app: start-up refuses that
            self._refuse(502, "Bad Gateway")
            return
        live = await app.fetch(unmarked(request))
        self._engine.went_live(request, session, live.status, app.version)
        self._write(live.content)
        self._finish(raw)

    def _open_socket(self, answer: Socket, raw: RawRequest, session: Session) -> None:
        account = SocketAccount(self._engine, session, answer.url)
        socket = SocketReplay(answer.key, answer.scripts, answer.headers, account)

        def push(write: CanonicalKey) -> None:
            pushed = socket.push(write)
            if pushed:
                self._write(pushed)

        self._socket = socket
        session.on_write.append(push)
        self._on_lost = lambda: session.on_write.remove(push)
        head = [f"GET {raw.target} HTTP/1.1"] + [f"{n}: {v}" for n, v in raw.headers]
        handshake = "\r\n".join([*head, "", ""]).encode("latin-1")
        data, self._waiting = self._waiting, b""
        self._converse(socket, handshake + data)

    def _converse(self, replayed: SocketReplay, data: bytes) -> None:
        self._write(replayed.receive(data))
        if replayed.is_closed:
            self._end()

    def _challenge(self) -> None:
        headers = (("Proxy-Authenticate", 'Basic realm="proxy"'),)
        self._write(render_head(407, "Proxy Authentication Required", headers, 0))

    def _refuse(self, status: int, reason: str) -> None:
        text = reason.encode()
        headers = (("Content-Type", "text/plain"), ("Connection", "close"))
        self._write(render_head(status, reason, headers, len(text)) + text)
        self._end()

    def _end(self) -> None:
        if self._transport.is_closing():
            return
        if self._tls is not None:
            self._transport.write(self._tls.finish())
        self._transport.close()

    def _write(self, plain: bytes) -> None:
        self._transport.write(self._tls.send(plain) if self._tls is not None else plain)


def _credentials(value: str) -> tuple[str, str]:
    scheme, _, encoded = value.partition(" ")
    if scheme.lower() != "basic":
        return "", ""
    try:
        name, _, password = base64.b64decode(encoded, validate=True).decode().partition(":")
    except (binascii.Error, UnicodeDecodeError):
        return "", ""
    return name, password


def _is_address(authority: str) -> bool:
    host = split_authority(authority)[0]
    return host in {"", "localhost", "[::1]"} or host.replace(".", "").isdigit()
