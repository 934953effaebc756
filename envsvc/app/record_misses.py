"""Record exactly what sessions missed, beside what a cassette already holds (D8)."""

from collections.abc import Iterable
from typing import Protocol

import msgspec

from envsvc.app.record_app import JournalSink, Place, Task, Tools
from envsvc.exchange.message import Request
from envsvc.playback.outcome import MissClass
from envsvc.playback.session import MissRecord, SessionReport
from envsvc.ports import CassetteStore
from envsvc.record.journal import Recorded, Started, StepDone

PLACE = "misses"
"""Stands for the name of a tour in exchanges that were recorded from a report."""


class Asker(Protocol):
    """Asks single requests, without a browser."""

    def ask(self, request: Request, proxy_url: str) -> None:
        """Send *request* through the proxy and wait for its whole answer, whatever it is."""
        ...


def missed_requests(reports: Iterable[SessionReport]) -> list[Request]:
    """Return each request that is worth recording once; browser chatter is not."""
    misses = (miss for report in reports for miss in report.misses)
    asked = {_request(miss): None for miss in misses if miss.miss_class is not MissClass.NOISE}
    return [request for request in asked if request.method != "MESSAGE"]


def record_misses(
    task: Task, tools: Tools, requests: list[Request], asker: Asker, cassettes: CassetteStore
) -> None:
    """Journal what the cassette of *task* holds, then each of *requests* as a fresh app answers.

    Raises: CassetteNotFoundError, AppNotReadyError, AppDiedError, JournalWriteError.
    """
    run = 1 + _copy_cassette(task, tools, cassettes)
    sink = JournalSink(tools, run)
    with (
        tools.apps.start(task.spec, task.version) as app,
        tools.recorders.start(task.spec, app.address, sink) as recorder,
    ):
        recorder.set_place(Place(tour=PLACE))
        for request in requests:
            asker.ask(request, recorder.proxy_url)
            recorder.check()
            app.check_alive()


def _copy_cassette(task: Task, tools: Tools, cassettes: CassetteStore) -> int:
    """Journal all of the cassette and return its last run."""
    last = 0
    manifest = cassettes.manifest(task.spec.app, task.version)
    tours = tuple(tour.name for tour in manifest.tours)
    tools.journal.append(Started(browser=manifest.browser, tours=tours))
    for _, exchange in cassettes.entries(task.spec.app, task.version):
        last = max(last, exchange.run)
        number, _, label = exchange.step.partition(" ")
        numbered = msgspec.structs.replace(exchange, step=number)
        tools.journal.append(Recorded(exchange=numbered))
        if number:
            step = StepDone(tour=exchange.tour, number=int(number), label=label)
            tools.journal.append(step)
    return last


def _request(miss: MissRecord) -> Request:
    return Request(method=miss.method, url=miss.url, headers=miss.headers, body=miss.body)
