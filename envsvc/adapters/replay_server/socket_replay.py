"""Speak a recorded web socket to a client (RFC 6455), with wsproto."""

from collections.abc import Callable

from wsproto import ConnectionType, WSConnection
from wsproto.events import (
    AcceptConnection,
    BytesMessage,
    CloseConnection,
    Ping,
    Request,
    TextMessage,
)
from wsproto.utilities import RemoteProtocolError

from envsvc.exchange.message import Headers, WebSocketMessage, header
from envsvc.playback.conversation import Conversation


class SocketReplay:
    """One client's replay of one recorded web socket."""

    def __init__(
        self,
        messages: tuple[WebSocketMessage, ...],
        headers: Headers,
        on_miss: Callable[[bytes], None],
    ) -> None:
        """Replay *messages*; *headers* are those of the recorded handshake's answer."""
        self._conversation = Conversation(messages)
        self._subprotocol = header(headers, "sec-websocket-protocol") or None
        self._on_miss = on_miss
        self._connection = WSConnection(ConnectionType.SERVER)
        self._text = ""
        self._binary = b""
        self.is_closed = False

    def receive(self, data: bytes) -> bytes:
        """Return what goes back to the client after *data*, the handshake included."""
        try:
            self._connection.receive_data(data)
            return b"".join(self._react(event) for event in self._connection.events())
        except RemoteProtocolError:
            self.is_closed = True
            return b""

    def _react(self, event: object) -> bytes:
        match event:
            case Request():
                accept = AcceptConnection(subprotocol=self._subprotocol)
                return self._connection.send(accept) + self._sent(self._conversation.greeting)
            case TextMessage():
                self._text += event.data
                return self._complete(text=True) if event.message_finished else b""
            case BytesMessage():
                self._binary += event.data
                return self._complete(text=False) if event.message_finished else b""
            case Ping():
                return self._connection.send(event.response())
            case CloseConnection():
                self.is_closed = True
                return self._connection.send(event.response())
            case _:
                return b""

    def _complete(self, *, text: bool) -> bytes:
        content = self._text.encode() if text else self._binary
        self._text, self._binary = "", b""
        answer = self._conversation.answer(text=text, content=content)
        if answer is None:
            self._on_miss(content)
            return b""
        return self._sent(answer)

    def _sent(self, messages: list[WebSocketMessage]) -> bytes:
        events = (
            TextMessage(data=m.content.decode()) if m.text else BytesMessage(data=m.content)
            for m in messages
        )
        return b"".join(self._connection.send(event) for event in events)
