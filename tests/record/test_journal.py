"""A killed recording loses at most the exchange in flight."""

import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envsvc.cassette.manifest import BrowserInfo, Dropped
from envsvc.exchange.message import Exchange, Failure, Request
from envsvc.record.journal import (
    BadJournalError,
    Event,
    Lost,
    Recorded,
    Recording,
    Started,
    StepDone,
    StepId,
    event_line,
    fold,
    read_events,
)
from tests.exchange.strategies import TEXTS, exchanges

BROWSER = BrowserInfo(build="Chromium 1", locale="en-US", timezone="UTC", viewport=(800, 600))
NEWER = BrowserInfo(build="Chromium 2", locale="en-US", timezone="UTC", viewport=(800, 600))
NUMBERS = st.integers(1, 3)
EVENTS: st.SearchStrategy[Event] = st.one_of(
    st.builds(Started, browser=st.just(BROWSER), tours=st.lists(TEXTS, max_size=2).map(tuple)),
    st.builds(Recorded, exchange=exchanges(), pass_number=NUMBERS),
    st.builds(Lost, dropped=st.builds(Dropped, method=TEXTS, url=TEXTS, reason=TEXTS)),
    st.builds(StepDone, tour=TEXTS, number=NUMBERS, label=TEXTS, pass_number=NUMBERS),
)


def exchange(name: str) -> Exchange:
    """Return an exchange that is told from others by its *name*."""
    return Exchange(
        started_us=0,
        duration_ms=0,
        request=Request(method="GET", url=f"http://shop.test/{name}"),
        answer=Failure(kind="dns", message=""),
        tour="full",
    )


def start() -> Started:
    """Return the event of a recorder that begins or resumes."""
    return Started(browser=BROWSER, tours=("full",))


def got(name: str, pass_number: int = 1) -> Recorded:
    """Return the event of the exchange called *name*."""
    return Recorded(exchange=exchange(name), pass_number=pass_number)


def done(number: int, pass_number: int = 1) -> StepDone:
    """Return the event of a finished step."""
    return StepDone(tour="full", number=number, label=f"step {number}", pass_number=pass_number)


def kept(recording: Recording) -> dict[int, list[str]]:
    """Return the names of the exchanges of each pass."""
    return {
        number: [e.request.url.rpartition("/")[2] for e in exchanges_]
        for number, exchanges_ in recording.passes.items()
    }


# The lines


@given(st.lists(EVENTS, max_size=4))
def test_events_survive_the_journal(events: list[Event]) -> None:
    """D8: what is written is what is read, in order."""
    assert list(read_events(map(event_line, events))) == events


@given(EVENTS)
def test_an_event_is_one_line(event: Event) -> None:
    """A line feed ends an event and stands nowhere else."""
    assert event_line(event).index(b"\n") == len(event_line(event)) - 1


def test_a_cut_last_line_is_passed_over() -> None:
    """D8: wherever the crash cut it, all events before it are there and it is not."""
    first, last = event_line(got("first")), event_line(got("last"))
    read = [list(read_events([first, last[:cut]])) for cut in range(len(last))]

    assert read == [[got("first")]] * len(last)


@given(st.data())
def test_a_flipped_bit_is_noticed(data: st.DataObject) -> None:
    """The checksum is over every byte."""
    line = bytearray(event_line(got("x")))
    line[data.draw(st.integers(0, len(line) - 1))] ^= 1 << data.draw(st.integers(0, 7))

    assert list(read_events([bytes(line)])) == []


def test_a_damaged_line_in_the_middle_is_refused() -> None:
    """That was no crash of ours: the error names the line and what to do."""
    lines = [event_line(got("a")), event_line(got("b"))[:-5] + b"\n", event_line(got("c"))]

    with pytest.raises(BadJournalError, match=r"line 2 .*without --resume"):
        list(read_events(lines))


def test_an_event_of_another_version_is_refused() -> None:
    """A whole line that is not understood must not be taken for a cut one and lost."""
    text = b'{"event":"Paused"}'
    line = b"%08x %s\n" % (zlib.crc32(text), text)

    with pytest.raises(BadJournalError, match=r"another version .*without --resume"):
        list(read_events([line]))


def test_an_empty_journal_has_no_events() -> None:
    """A recorder that was killed before it began."""
    assert list(read_events([])) == []


# What they add up to


def test_nothing_adds_up_to_nothing() -> None:
    """The state before the first event."""
    assert fold([]) == Recording()


def test_a_recording_is_its_exchanges_in_order() -> None:
    """D2: recorded order is the order of the cassette."""
    recording = fold([start(), got("a"), got("b"), done(1), got("c"), done(2)])

    assert kept(recording) == {1: ["a", "b", "c"]}
    assert recording.done == {StepId(1, "full", 1): "step 1", StepId(1, "full", 2): "step 2"}
    assert (recording.browser, recording.tours) == (BROWSER, ("full",))


def test_what_follows_the_last_step_is_kept() -> None:
    """A page may still load something after the tour is over."""
    assert kept(fold([start(), got("a"), done(1), got("late")])) == {1: ["a", "late"]}


def test_a_step_that_was_cut_is_recorded_anew() -> None:
    """D8: after a crash in step 2, the resumed recorder does step 2 again, and it counts once."""
    recording = fold([start(), got("a"), done(1), got("b"), start(), got("b"), got("c"), done(2)])

    assert kept(recording) == {1: ["a", "b", "c"]}


def test_a_crash_right_after_a_step_loses_nothing() -> None:
    """D8: what a finished step recorded stays."""
    assert kept(fold([start(), got("a"), done(1), start(), got("b"), done(2)])) == {1: ["a", "b"]}


def test_passes_are_kept_apart() -> None:
    """D8: two recordings of one tour are compared, not mixed."""
    recording = fold([start(), got("a", 1), done(1, 1), got("a", 2), done(1, 2)])

    assert kept(recording) == {1: ["a"], 2: ["a"]}
    assert list(recording.done) == [StepId(1, "full", 1), StepId(2, "full", 1)]


def test_what_was_dropped_is_listed() -> None:
    """D8: left out of the recording, with its reason."""
    lost = Dropped(method="GET", url="http://shop.test/x", reason="status 502, 3 attempts")
    recording = fold([start(), Lost(dropped=lost), done(1)])

    assert recording.dropped == [lost]
    assert kept(recording) == {}


def test_the_browser_that_resumed_counts() -> None:
    """The manifest names the one that finished."""
    recording = fold([start(), done(1), Started(browser=NEWER, tours=("short",))])

    assert (recording.browser, recording.tours) == (NEWER, ("short",))


@given(st.lists(EVENTS, max_size=8), st.integers(0, 8))
def test_finished_steps_stay_finished(events: list[Event], end: int) -> None:
    """D8: whatever happens later, no step and no dropped exchange of a prefix is lost."""
    before, after = fold(events[:end]), fold(events)

    assert before.done.keys() <= after.done.keys()
    assert before.dropped == after.dropped[: len(before.dropped)]
