"""Ask a replay server over bare sockets, so that every byte of framing can be seen."""

import base64
import socket
import ssl
from pathlib import Path
from typing import Self
from urllib.parse import quote, unquote, urlsplit

import h11
import msgspec

from envsvc.exchange.message import Headers, Request, header
from envsvc.exchange.url import canonical_url

_TIMEOUT_S = 10
# What may stand in a request line; a client escapes all else.
_SENT_AS_IS = "".join(map(chr, range(0x21, 0x7F)))


class Seen(msgspec.Struct, frozen=True, kw_only=True):
    """An answer as it came over the wire; ``pieces`` are its bytes as they arrived."""

    status: int
    headers: Headers
    body: bytes
    pieces: int


class _Connection:
    """One connection with the state of its protocol."""

    def __init__(self, opened: socket.socket) -> None:
        self.socket = opened
        self.state = h11.Connection(h11.CLIENT)


class Wire:
    """A client of a proxy that keeps its connections: one in plain, one for each TLS origin."""

    def __init__(self, port: int, ca_certificate: Path | None = None) -> None:
        """Connect to nothing yet; *ca_certificate* is whom to trust, in PEM."""
        self._port = port
        self._ca_certificate = ca_certificate
        self._connections: dict[str, _Connection] = {}

    def __enter__(self) -> Self:
        """Use it in a with statement."""
        return self

    def __exit__(self, *_: object) -> None:
        """Hang up."""
        for connection in self._connections.values():
            connection.socket.close()
        self._connections.clear()

    def ask(self, request: Request) -> Seen:
        """Send *request*, in absolute form or within a tunnel of its TLS origin, as a client does.

        The fragment stays at home, and user and password become a header.
        """
        url = urlsplit(request.url)
        host = url.netloc.rpartition("@")[2]
        is_secure = url.scheme == "https"
        path = request.url.partition("#")[0].partition("://")[2].partition("/")[2]
        own = f"/{path}" if "/" in request.url.partition("://")[2] else _without_path(request.url)
        target = own if is_secure else f"{url.scheme}://{host}{own}"
        headers = list(request.headers)
        if not header(request.headers, "host"):
            headers.append(("Host", host))
        if "@" in url.netloc:
            pair = f"{unquote(url.username or '')}:{unquote(url.password or '')}"
            headers.append(("Authorization", f"Basic {base64.b64encode(pair.encode()).decode()}"))
        is_framed = header(request.headers, "content-length") or header(
            request.headers, "transfer-encoding"
        )
        if request.body and not is_framed:
            headers.append(("Content-Length", str(len(request.body))))
        connection = self._connection(request.url if is_secure else "")
        return _asked(connection, request, quote(target, safe=_SENT_AS_IS), headers)

    def _connection(self, secure_url: str) -> _Connection:
        """Return the connection for *secure_url*, or the plain one for ""."""
        parts = canonical_url(secure_url)
        origin = f"{parts.host}:{parts.port}" if parts else ""
        if origin not in self._connections:
            opened = socket.socket()  # asks no resolver, which a case may have turned elsewhere
            opened.settimeout(_TIMEOUT_S)
            opened.connect(("127.0.0.1", self._port))
            if parts:
                opened = self._tunnel(opened, origin, parts.host.strip("[]"))
            self._connections[origin] = _Connection(opened)
        return self._connections[origin]

    def _tunnel(self, opened: socket.socket, origin: str, name: str) -> ssl.SSLSocket:
        assert self._ca_certificate, "TLS needs an authority to trust"
        opened.sendall(f"CONNECT {origin} HTTP/1.1\r\nHost: {origin}\r\n\r\n".encode())
        head = b""
        while b"\r\n\r\n" not in head:
            piece = opened.recv(1)
            assert piece, f"no tunnel to {origin}: {head!r}"
            head += piece
        assert b" 200 " in head.partition(b"\r\n")[0], head
        context = ssl.create_default_context(cafile=str(self._ca_certificate))
        return context.wrap_socket(opened, server_hostname=name)


def _without_path(url: str) -> str:
    """Return the target of a *url* without a path: "/" and its query, if there is one."""
    query = url.partition("#")[0].partition("?")[2]
    return f"/?{query}" if query else "/"


def _asked(
    connection: _Connection, request: Request, target: str, headers: list[tuple[str, str]]
) -> Seen:
    state = connection.state
    head = h11.Request(method=request.method, target=target.encode(), headers=headers)
    data = state.send(head) or b""
    if request.body:
        data += state.send(h11.Data(data=request.body)) or b""
    data += state.send(h11.EndOfMessage()) or b""
    connection.socket.sendall(data)
    response, content = _answer(connection)
    if state.our_state is h11.DONE and state.their_state is h11.DONE:
        state.start_next_cycle()
    pairs = tuple((n.decode(), v.decode("latin-1")) for n, v in response.headers.raw_items())
    return Seen(
        status=response.status_code,
        headers=pairs,
        body=b"".join(content),
        pieces=len(content),
    )


def _answer(connection: _Connection) -> tuple[h11.Response, list[bytes]]:
    response: h11.Response | None = None
    content: list[bytes] = []
    while True:
        event = connection.state.next_event()
        if event is h11.NEED_DATA:
            connection.state.receive_data(connection.socket.recv(65536))
        elif isinstance(event, h11.Response):
            response = event
        elif isinstance(event, h11.Data):
            content.append(bytes(event.data))
        elif isinstance(event, h11.EndOfMessage):
            break
    assert response is not None
    return response, content
