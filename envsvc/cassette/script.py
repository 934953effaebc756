"""A recorded web socket as a script: what was said, and the writes in between (D4)."""

from collections.abc import Iterable

import msgspec

from envsvc.cassette.stored import Entry, StoredResponse
from envsvc.cassette.writes import Write
from envsvc.exchange.key import CanonicalKey
from envsvc.exchange.message import WebSocketMessage


class Wrote(msgspec.Struct, frozen=True):
    """A write that was made while the socket was open: the server may tell of it next."""

    key: CanonicalKey


type Script = tuple[WebSocketMessage | Wrote, ...]


def script(entry: Entry, writes: Iterable[Write]) -> Script:
    """Return the messages of *entry* in order, each write where it began.

    A server may push before it has answered the write, so the beginning counts. *writes* are
    sorted by it. () for an entry that is no socket.
    """
    if not isinstance(entry.answer, StoredResponse):
        return ()
    lines: list[WebSocketMessage | Wrote] = []
    ours = (write for write in writes if write.run == entry.run)
    waiting = [write for write in ours if write.started_us >= entry.started_us]
    for message in entry.answer.messages:
        moment_us = entry.started_us + message.t_ms * 1000
        while waiting and waiting[0].started_us <= moment_us:
            lines.append(Wrote(waiting.pop(0).key))
        lines.append(message)
    return tuple(lines)
