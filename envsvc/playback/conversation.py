"""Replay a web socket as a conversation: each server message follows what it answered."""

from collections.abc import Sequence

from envsvc.exchange.message import WebSocketMessage


class Conversation:
    """The recorded messages of one web socket, by the client message that they followed.

    A client message that was recorded several times gets its recorded answers in turn and keeps
    the last; that order is within one socket, which is a conversation, not the order of a run.
    """

    def __init__(self, messages: Sequence[WebSocketMessage]) -> None:
        """Take the *messages* of a recorded socket in order."""
        self.greeting: list[WebSocketMessage] = []
        self._answers: dict[tuple[bool, bytes], list[list[WebSocketMessage]]] = {}
        self._asked: dict[tuple[bool, bytes], int] = {}
        following = self.greeting
        for message in messages:
            if message.from_client:
                following = []
                key = (message.text, message.content)
                self._answers.setdefault(key, []).append(following)
            else:
                following.append(message)

    def answer(self, *, text: bool, content: bytes) -> list[WebSocketMessage] | None:
        """Return what the server said after this client message, or None if never recorded."""
        key = (text, content)
        recorded = self._answers.get(key)
        if recorded is None:
            return None
        turn = self._asked.get(key, 0)
        self._asked[key] = turn + 1
        return recorded[min(turn, len(recorded) - 1)]
