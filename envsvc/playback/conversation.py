"""Replay a web socket as a conversation: each server message follows what caused it."""

from collections import Counter
from collections.abc import Sequence

import msgspec

from envsvc.cassette.script import Script, Wrote
from envsvc.exchange.key import CanonicalKey, message_key
from envsvc.exchange.message import WebSocketMessage

type _Said = list[WebSocketMessage]


class _Followed(msgspec.Struct):
    """What the server said after each cause, once for each time that it happened."""

    greeting: _Said
    after: dict[CanonicalKey, list[_Said]]


class Conversation:
    """The recorded messages of one key's sockets, by the message or the write they followed.

    A cause that was recorded several times brings its answers in turn. A client message keeps the
    last one; a write that is made more often than it was recorded brings nothing more, since its
    push was the news of just that write. The order is within one socket, which is a conversation,
    not the order of a run. What the first script does not know, the others may.
    """

    def __init__(self, socket: CanonicalKey, scripts: Sequence[Script]) -> None:
        """Take the recorded sockets with this key, the one to be replayed first."""
        self._followed = [_followed(socket, script) for script in scripts]
        self._happened: Counter[CanonicalKey] = Counter()
        self.greeting = self._followed[0].greeting if scripts else []

    def answer(self, message: CanonicalKey) -> _Said | None:
        """Return what the server said after this client message, or None if never recorded."""
        recorded = self._recorded(message)
        if recorded is None:
            return None
        turn = self._happened[message]
        self._happened[message] += 1
        return recorded[min(turn, len(recorded) - 1)]

    def push(self, write: CanonicalKey) -> _Said:
        """Return what the server said after this write; [] if nothing."""
        recorded = self._recorded(write) or []
        turn = self._happened[write]
        self._happened[write] += 1
        return recorded[turn] if turn < len(recorded) else []

    def _recorded(self, cause: CanonicalKey) -> list[_Said] | None:
        return next((f.after[cause] for f in self._followed if cause in f.after), None)


def _followed(socket: CanonicalKey, script: Script) -> _Followed:
    followed = _Followed([], {})
    following = followed.greeting
    for line in script:
        if isinstance(line, WebSocketMessage) and not line.from_client:
            following.append(line)
            continue
        following = []
        if isinstance(line, Wrote):
            cause = line.key
        else:
            cause = message_key(socket, text=line.text, content=line.content)
        followed.after.setdefault(cause, []).append(following)
    return followed
