"""What was missed is recorded beside what a cassette holds, as a run of its own."""

import msgspec

from envsvc.app.record_app import Tools
from envsvc.app.record_misses import record_misses
from envsvc.exchange.message import Request
from envsvc.exchange.redact import Redactor
from envsvc.record.journal import fold
from tests.app.fakes import (
    FakeApps,
    FakeBrowser,
    FakeRecorders,
    MemoryCassettes,
    MemoryJournal,
    Silent,
    exchange,
    task,
)
from tests.contracts.samples import manifest


class Asker:
    """record_misses.Asker whose answers the recorder sees at once."""

    def __init__(self, recorders: FakeRecorders) -> None:
        """Ask through the running one of *recorders*."""
        self._recorders = recorders

    def ask(self, request: Request, proxy_url: str) -> None:  # noqa: ARG002  (the port's)
        """Record an answer."""
        asked = msgspec.structs.replace(exchange(), request=request, step="")
        self._recorders.running.record(asked)


def runs(first_run: int) -> list[int]:
    """Return the runs of a recording that goes on from a cassette of *first_run*."""
    cassettes, journal, recorders = MemoryCassettes(), MemoryJournal(), FakeRecorders()
    cassettes.write(manifest(), [exchange("/", run=first_run)])
    tools = Tools(
        apps=FakeApps(),
        recorders=recorders,
        browser=FakeBrowser(),
        journal=journal,
        redactor=Redactor({}),
        watcher=Silent(),
    )
    missed = [Request(method="GET", url="http://shop.test/missed")]
    record_misses(task(), tools, missed, Asker(recorders), cassettes)
    return [one.run for one in fold(journal.events()).passes[1]]


def test_what_was_missed_is_a_run_of_its_own() -> None:
    """D4: the app that answers it is fresh, whatever the cassette's tours have written."""
    assert runs(0) == [0, 1]


def test_runs_are_counted_on() -> None:
    """A cassette may have been added to before."""
    assert runs(3) == [3, 4]
