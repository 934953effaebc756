"""A recorded web socket: what its client said, and the writes that were made meanwhile (D4)."""

from collections.abc import Iterable, Iterator

import msgspec

from envsvc.cassette.stored import Entry, StoredResponse
from envsvc.cassette.writes import Write
from envsvc.exchange.key import CanonicalKey, message_key
from envsvc.exchange.message import WebSocketMessage


class Wrote(msgspec.Struct, frozen=True):
    """A write that was made while the socket was open: the server may tell of it next."""

    key: CanonicalKey


class Said(msgspec.Struct, frozen=True, kw_only=True):
    """What a client said on a socket, as a write that other answers may depend on."""

    message: WebSocketMessage
    write: Write


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


def said(entry: Entry, socket: CanonicalKey) -> Iterator[Said]:
    """Yield what the client said on *entry*, whose key is *socket*; nothing if it is no socket."""
    messages = entry.answer.messages if isinstance(entry.answer, StoredResponse) else ()
    for message in messages:
        if message.from_client:
            moment_us = entry.started_us + message.t_ms * 1000
            key = message_key(socket, text=message.text, content=message.content)
            yield Said(
                message=message,
                write=Write(
                    number=entry.number,
                    started_us=moment_us,
                    ended_us=moment_us,
                    key=key,
                    run=entry.run,
                ),
            )
