"""Speak a recorded web socket to a client (RFC 6455), with wsproto."""

from collections.abc import Sequence
from typing import Protocol

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
from envsvc.exchange.key import CanonicalKey, message_key
from envsvc.exchange.message import Headers, WebSocketMessage, header
from envsvc.playback.conversation import Conversation


class Account(Protocol):
    """Counts what a client says on its socket."""

    def redacted(self, content: bytes) -> bytes:
        """Return a message of the client as a recording keeps it."""
        ...

    def told(self, message: CanonicalKey) -> None:
        """Count a message that was recorded."""
        ...

    def missed(self, content: bytes) -> None:
        """Count a message that was not."""
        ...


class SocketReplay:
    """One client's replay of one recorded web socket."""

    def __init__(
        self,
        key: CanonicalKey,
        scripts: Sequence[Script],
        headers: Headers,
        account: Account,
    ) -> None:
        """Replay *scripts* of the sockets with *key*; *headers* answered the recorded handshake."""
        self._key = key
        self._conversation = Conversation(key, scripts)
        self._account = account
        self._subprotocol = header(headers, "sec-websocket-protocol") or None
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
        message = message_key(self._key, text=text, content=self._account.redacted(content))
        answer = self._conversation.answer(message)
        if answer is None:
            self._account.missed(content)
            return b""
        self._account.told(message)
        return self._sent(answer)

    def _sent(self, messages: list[WebSocketMessage]) -> bytes:
        events = (
            TextMessage(data=m.content.decode()) if m.text else BytesMessage(data=m.content)
            for m in messages
        )
        return b"".join(self._connection.send(event) for event in events)
