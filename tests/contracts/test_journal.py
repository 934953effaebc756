"""What every Journal promises (envsvc.ports), and how it is opened."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from envsvc.adapters.journal_file import open_journal
from envsvc.errors import EnvsvcError
from envsvc.ports import Journal
from tests.app.fakes import MemoryJournal
from tests.contracts.samples import EVENTS, RECORDED, STARTED

pytestmark = pytest.mark.contract

type Open = Callable[..., Journal]


@pytest.fixture(params=["file"])
def open_it(tmp_path: Path) -> Open:
    """Give what opens the journal of one recording, of each kind there is."""
    return lambda **how: open_journal(tmp_path / "v1.recording", **{"resume": False, **how})


def filled(open_it: Open) -> None:
    """Leave a journal behind as a recorder that was ended does."""
    journal = open_it()
    for event in EVENTS:
        journal.append(event)
    journal.close()


@pytest.fixture(params=["file", "memory"])
def journal(request: pytest.FixtureRequest, open_it: Open) -> Journal:
    """Give an empty journal, of each kind there is."""
    return MemoryJournal() if request.param == "memory" else open_it()


def test_events_are_read_in_the_order_they_came(journal: Journal) -> None:
    """D8: the journal is what happened, in order."""
    for event in EVENTS:
        journal.append(event)

    assert tuple(journal.events()) == EVENTS


def test_a_resumed_recording_has_its_events(open_it: Open) -> None:
    """D8: --resume goes on from what was recorded."""
    filled(open_it)

    assert tuple(open_it(resume=True).events()) == EVENTS


def test_a_resumed_recording_goes_on(open_it: Open) -> None:
    """D8: new events come after those of before."""
    filled(open_it)
    journal = open_it(resume=True)
    journal.append(RECORDED)

    assert tuple(journal.events()) == (*EVENTS, RECORDED)


def test_an_unfinished_recording_is_not_thrown_away(open_it: Open) -> None:
    """D8: recording anew over it needs a word; the error says which."""
    filled(open_it)

    with pytest.raises(EnvsvcError, match=r"--resume.*--discard") as caught:
        open_it()

    assert caught.value.code == "E307"


def test_an_unfinished_recording_can_be_discarded(open_it: Open) -> None:
    """D8: --discard begins again from nothing."""
    filled(open_it)

    assert list(open_it(discard=True).events()) == []


def test_a_recording_without_exchanges_holds_nobody_up(open_it: Open) -> None:
    """A recorder that failed before the first answer left nothing to lose."""
    journal = open_it()
    journal.append(STARTED)
    journal.close()

    assert list(open_it().events()) == []


def test_nothing_is_resumed_where_nothing_was_recorded(open_it: Open) -> None:
    """D8: --resume without an unfinished recording is an error."""
    with pytest.raises(EnvsvcError) as caught:
        open_it(resume=True)

    assert caught.value.code == "E308"


def test_a_discarded_journal_is_gone(open_it: Open) -> None:
    """D8: a sealed recording leaves no journal."""
    journal = open_it()
    journal.append(RECORDED)
    journal.discard()

    with pytest.raises(EnvsvcError) as caught:
        open_it(resume=True)

    assert caught.value.code == "E308"


@pytest.mark.parametrize("how", [{}, {"resume": True}, {"discard": True}])
def test_a_second_recorder_is_refused(open_it: Open, how: dict[str, bool]) -> None:
    """D8: two recorders on one cassette; the second learns which process the first is."""
    filled(open_it)
    first = open_it(resume=True)

    with pytest.raises(EnvsvcError, match=f"process {os.getpid()}") as caught:
        open_it(**how)

    assert caught.value.code == "E204"
    assert tuple(first.events()) == EVENTS


def test_a_closed_journal_is_free(open_it: Open) -> None:
    """D8: the next recorder needs no clean-up."""
    open_it().close()

    open_it().close()


@pytest.mark.parametrize("end", ["close", "discard"])
def test_closing_again_is_harmless(open_it: Open, end: str) -> None:
    """A recorder may close in its error path what it has closed already."""
    journal = open_it()
    getattr(journal, end)()

    journal.close()


def test_threads_share_a_journal(open_it: Open) -> None:
    """D8: the proxy and the tour append at the same time, and every event is whole."""
    journal = open_it()
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(journal.append, [RECORDED] * 200))

    assert list(journal.events()) == [RECORDED] * 200
