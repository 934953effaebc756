"""Ask a replay server over a bare socket, so that every byte of framing can be seen."""

import socket
from typing import Self

import h11
import msgspec

from envsvc.exchange.message import Headers, Request, header


class Seen(msgspec.Struct, frozen=True, kw_only=True):
    """An answer as it came over the wire; ``pieces`` are its bytes as they arrived."""

    status: int
    headers: Headers
    body: bytes
    pieces: int


class Wire:
    """One connection to a proxy."""

    def __init__(self, port: int) -> None:
        """Connect."""
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=10)
        self._connection = h11.Connection(h11.CLIENT)

    def __enter__(self) -> Self:
        """Use it in a with statement."""
        return self

    def __exit__(self, *_: object) -> None:
        """Hang up."""
        self._socket.close()

    def ask(self, request: Request) -> Seen:
        """Send *request* in absolute form, and read its whole answer."""
        headers = list(request.headers)
        if not header(request.headers, "host"):
            headers.append(("Host", request.url.split("/")[2]))
        if request.body and not header(request.headers, "content-length"):
            headers.append(("Content-Length", str(len(request.body))))
        head = h11.Request(method=request.method, target=request.url.encode(), headers=headers)
        data = self._connection.send(head) or b""
        if request.body:
            data += self._connection.send(h11.Data(data=request.body)) or b""
        data += self._connection.send(h11.EndOfMessage()) or b""
        self._socket.sendall(data)
        return self._answer()

    def _answer(self) -> Seen:
        response: h11.Response | None = None
        content: list[bytes] = []
        while True:
            event = self._connection.next_event()
            if event is h11.NEED_DATA:
                self._connection.receive_data(self._socket.recv(65536))
            elif isinstance(event, h11.Response):
                response = event
            elif isinstance(event, h11.Data):
                content.append(bytes(event.data))
            elif isinstance(event, h11.EndOfMessage):
                break
        if self._connection.our_state is h11.DONE and self._connection.their_state is h11.DONE:
            self._connection.start_next_cycle()
        assert response is not None
        pairs = tuple((n.decode(), v.decode("latin-1")) for n, v in response.headers.raw_items())
        return Seen(
            status=response.status_code,
            headers=pairs,
            body=b"".join(content),
            pieces=len(content),
        )
