"""Speak a recorded web socket to a client (RFC 6455), with wsproto."""

from collections.abc import Callable, Sequence

from wsproto import ConnectionType, WSConnection
from wsproto.connection import ConnectionState
from wsproto.events import (
    AcceptConnection,
    BytesMessage,
    CloseConnection,
    Ping,
    Request,
    TextMessage,
)
from wsproto.utilities import RemoteProtocolError

from envsvc.cassette.script import Script
from envsvc.exchange.key import CanonicalKey
from envsvc.exchange.message import Headers, WebSocketMessage, header
from envsvc.playback.conversation import Conversation


class SocketReplay:
    """One client's replay of one recorded web socket."""

    def __init__(
        self,
        scripts: Sequence[Script],
        headers: Headers,
        *,
        redacted: Callable[[bytes], bytes],
        on_miss: Callable[[bytes], None],
    ) -> None:
        """Replay *scripts*; *headers* are those of the recorded handshake's answer."""
        self._conversation = Conversation(scripts)
        self._redacted = redacted
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

    def push(self, write: CanonicalKey) -> bytes:
        """Return what goes to the client because its session has made this write."""
        if self._connection.state is not ConnectionState.OPEN:
            return b""
        return self._sent(self._conversation.push(write))

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
        answer = self._conversation.answer(text=text, content=self._redacted(content))
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
