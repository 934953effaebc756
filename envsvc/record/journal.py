"""The journal of a recording: one line per event, each whole or not there at all.

A line is the CRC-32 of its JSON in hexadecimal, a space, the JSON, a line feed. A line that was
cut by a crash fails its checksum and ends the journal.
"""

import zlib
from collections.abc import Iterable
from typing import assert_never

import msgspec

from envsvc.cassette.manifest import BrowserInfo, Dropped
from envsvc.errors import EnvsvcError
from envsvc.exchange.message import Exchange


class BadJournalError(EnvsvcError):
    """A line in the middle of a journal is damaged, or is of another version of envsvc."""

    code = "E306"


class _Event(msgspec.Struct, frozen=True, kw_only=True, tag=True, tag_field="event"):
    """Something that happened while recording."""


class Started(_Event, frozen=True):
    """A recorder began or resumed; what was unfinished before counts no more."""

    browser: BrowserInfo
    tours: tuple[str, ...]


class Recorded(_Event, frozen=True):
    """An exchange was kept, in the pass with this number (from 1)."""

    exchange: Exchange
    pass_number: int = 1


class Lost(_Event, frozen=True):
    """An exchange was dropped."""

    dropped: Dropped


class StepDone(_Event, frozen=True):
    """A step of a tour passed; ``label`` names it, ``number`` counts from 1."""

    tour: str
    number: int
    label: str
    pass_number: int = 1


type Event = Started | Recorded | Lost | StepDone

_DECODER: msgspec.json.Decoder[Event] = msgspec.json.Decoder(Started | Recorded | Lost | StepDone)


def event_line(event: Event) -> bytes:
    """Return the journal line of *event*."""
    text = msgspec.json.encode(event)
    return b"%08x %s\n" % (zlib.crc32(text), text)


def read_events(lines: Iterable[bytes]) -> Iterable[Event]:
    """Yield the events of a journal; a last line that was cut off is passed over.

    Raises: BadJournalError for a damaged line that others follow, and for a whole line that is no
    event.
    """
    damaged = 0
    for number, line in enumerate(lines, 1):
        if damaged:
            raise BadJournalError(
                f"line {damaged} of the journal is damaged",
                fix=_FIX,
            )
        event = _event(line)
        if event is None:
            damaged = number
        else:
            yield event


def _event(line: bytes) -> Event | None:
    checksum, _, text = line.removesuffix(b"\n").partition(b" ")
    if not line.endswith(b"\n") or checksum != b"%08x" % zlib.crc32(text):
        return None
    try:
        return _DECODER.decode(text)
    except msgspec.DecodeError as error:
        what = f"a line of the journal is of another version of envsvc: {error}"
        raise BadJournalError(what, fix=_FIX) from error


_FIX = "Record again without --resume"


class StepId(msgspec.Struct, frozen=True, order=True):
    """Which step of which tour in which pass."""

    pass_number: int
    tour: str
    number: int


class Recording(msgspec.Struct, kw_only=True):
    """What a journal adds up to; see ``fold``."""

    browser: BrowserInfo | None = None
    tours: tuple[str, ...] = ()
    passes: dict[int, list[Exchange]] = msgspec.field(default_factory=dict)
    dropped: list[Dropped] = msgspec.field(default_factory=list)
    done: dict[StepId, str] = msgspec.field(default_factory=dict)


def fold(events: Iterable[Event]) -> Recording:
    """Return the state of a recording after *events*.

    Exchanges of a step that did not finish before a resume are left out: the resumed recorder
    does that step again.
    """
    recording = Recording()
    unfinished: list[Recorded] = []
    for event in events:
        match event:
            case Started():
                unfinished.clear()
                recording.browser = event.browser
                recording.tours = event.tours
            case Recorded():
                unfinished.append(event)
            case Lost():
                recording.dropped.append(event.dropped)
            case StepDone():
                step = StepId(event.pass_number, event.tour, event.number)
                recording.done[step] = event.label
                _keep(recording, unfinished)
            case _:
                assert_never(event)
    _keep(recording, unfinished)
    return recording


def _keep(recording: Recording, unfinished: list[Recorded]) -> None:
    for kept in unfinished:
        recording.passes.setdefault(kept.pass_number, []).append(kept.exchange)
    unfinished.clear()
