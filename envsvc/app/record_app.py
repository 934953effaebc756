"""Record an app: start it, follow its tours through the recorder, journal what crosses the wire."""

import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

import msgspec

from envsvc.cassette.manifest import Dropped
from envsvc.errors import EnvsvcError
from envsvc.exchange.message import Exchange, Request, Response
from envsvc.exchange.placeholder import numbers_in
from envsvc.exchange.redact import Redactor
from envsvc.playback.noise import is_browser_chatter
from envsvc.ports import (
    Address,
    AppRuntime,
    Browser,
    Journal,
    RunningApp,
    StepResult,
    TourSource,
)
from envsvc.record.app_spec import AppSpec
from envsvc.record.journal import Event, Lost, Recorded, Recording, Started, StepDone, StepId, fold

ATTACHED = "attached"  # stands where a tour would, when there is none


class TourStepFailedError(EnvsvcError):
    """A step of a tour failed while recording."""

    code = "E303"
    exit_code = 1


class OtherToursError(EnvsvcError):
    """A recording is resumed with other tours than it was begun with."""

    code = "E312"


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """Where a recording stands; a step that is driven again after a resume is not recorded."""

    tour: str = ""
    step: str = ""
    pass_number: int = 1
    is_recorded: bool = True


class Sink(Protocol):
    """Takes what a recorder saw, from the recorder's own thread."""

    def kept(self, exchange: Exchange, pass_number: int) -> None:
        """Take an exchange that goes into the recording. Raises: EnvsvcError."""
        ...

    def lost(self, dropped: Dropped) -> None:
        """Take the word of an exchange that does not. Raises: EnvsvcError."""
        ...


class Recorder(Protocol):
    """A recording proxy that is running."""

    @property
    def proxy_url(self) -> str:
        """Return where clients find it."""
        ...

    def set_place(self, place: Place) -> None:
        """Say where the recording stands from now on."""
        ...

    def check(self) -> None:
        """Raise what went wrong in the recorder's own thread, if anything did."""
        ...


class RecorderRuntime(Protocol):
    """Starts recording proxies."""

    def start(
        self, spec: AppSpec, address: Address, sink: Sink
    ) -> AbstractContextManager[Recorder]:
        """Record traffic of *spec*'s virtual host, led to *address*, and of any other host.

        What is still open on leaving is handed over then. Raises: PortTakenError.
        """
        ...


class Watcher(Protocol):
    """Is told how a recording goes on; may be called from any thread."""

    def step(self, tour: str, result: StepResult) -> None:
        """Hear of a finished step."""
        ...

    def exchange(self, size: int) -> None:
        """Hear of a kept exchange whose answer has *size* bytes."""
        ...


class Task(msgspec.Struct, frozen=True, kw_only=True):
    """What to record."""

    spec: AppSpec
    version: str
    tours: tuple[TourSource, ...]
    passes: int = 1

    @property
    def name(self) -> str:
        """Return the app version as ``--app`` takes it."""
        return f"{self.spec.app}/{self.version}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tools:
    """What a recording is made with."""

    apps: AppRuntime
    recorders: RecorderRuntime
    browser: Browser
    journal: Journal
    redactor: Redactor
    watcher: Watcher


class JournalSink:
    """Redacts each exchange in memory and journals it; safe to use from several threads."""

    def __init__(self, tools: Tools, run: int = 0) -> None:
        """Write to the journal of *tools* what happens in *run*; see Exchange."""
        self._run = run
        self._journal = tools.journal
        self._redactor = tools.redactor
        self._watcher = tools.watcher
        self._lock = threading.Lock()

    def kept(self, exchange: Exchange, pass_number: int) -> None:
        """Journal *exchange* without its credentials. Raises: JournalWriteError.

        What the browser asked for itself is only listed, without its query.
        """
        if is_browser_chatter(exchange.request.url):
            self.lost(_chatter(exchange.request))
            return
        with self._lock:
            numbered = msgspec.structs.replace(exchange, run=self._run)
            redacted = self._redactor.exchange(numbered)
            self._journal.append(Recorded(exchange=redacted, pass_number=pass_number))
        answer = redacted.answer
        self._watcher.exchange(len(answer.body) if isinstance(answer, Response) else 0)

    def lost(self, dropped: Dropped) -> None:
        """Journal that an exchange was dropped. Raises: JournalWriteError."""
        with self._lock:
            url = self._redactor.request(Request(method=dropped.method, url=dropped.url)).url
            self._journal.append(Lost(dropped=msgspec.structs.replace(dropped, url=url)))

    def event(self, event: Event) -> None:
        """Journal any other *event*. Raises: JournalWriteError."""
        with self._lock:
            self._journal.append(event)


def _chatter(request: Request) -> Dropped:
    url = request.url.partition("?")[0]
    return Dropped(method=request.method, url=url, reason="browser chatter")


def record_app(task: Task, tools: Tools) -> None:
    """Record *task* into the journal; steps that the journal has as done are driven only.

    Raises: TourStepFailedError, AppDiedError, AppNotReadyError, BrowserMissingError,
    JournalWriteError, OtherToursError. Whatever happens, what was journalled stays.
    """
    before = fold(tools.journal.events())
    sink = begin(task, tools, before)
    for pass_number in range(1, task.passes + 1):
        with (
            tools.apps.start(task.spec, task.version) as app,
            tools.recorders.start(task.spec, app.address, sink) as recorder,
        ):
            for tour in task.tours:
                drive = _Drive(task, tour, pass_number, before, app, recorder, sink, tools.watcher)
                drive.follow(tools.browser)


def record_attached(task: Task, tools: Tools, wait: Callable[[Recorder, RunningApp], None]) -> None:
    """Record whoever uses the proxy until *wait* returns; the journal then holds all of it.

    Raises: as record_app, except for steps, of which there are none.
    """
    before = fold(tools.journal.events())
    if before.browser is not None:
        # Nothing of it can be done again, so all that was recorded before counts.
        tools.journal.append(StepDone(tour=ATTACHED, number=0, label=""))
    sink = begin(task, tools, before)
    with (
        tools.apps.start(task.spec, task.version) as app,
        tools.recorders.start(task.spec, app.address, sink) as recorder,
    ):
        recorder.set_place(Place(tour=ATTACHED))
        wait(recorder, app)


def begin(task: Task, tools: Tools, before: Recording) -> JournalSink:
    """Note the start in the journal and return the sink. Raises: OtherToursError."""
    names = tuple(tour.name for tour in task.tours)
    if before.browser is not None and before.tours != names:
        raise OtherToursError(
            f"{task.name} was begun with the tours {', '.join(before.tours)}",
            fix="Name the same tours, or start anew with --discard",
        )
    browser = tools.browser.info(task.spec.browser)
    sink = JournalSink(tools)
    sink.event(Started(browser=browser, tours=names))
    return sink


@dataclass(frozen=True, slots=True)
class _Drive:
    """One tour in one pass."""

    task: Task
    tour: TourSource
    pass_number: int
    before: Recording
    app: RunningApp
    recorder: Recorder
    sink: JournalSink
    watcher: Watcher

    def follow(self, browser: Browser) -> None:
        self._go_to_step(1)
        results = browser.tour(
            self.tour,
            spec=self.task.spec,
            version=self.task.version,
            proxy_url=self.recorder.proxy_url,
            on_step=self._on_step,
        )
        # A Python tour may swallow what on_step raises; its results still tell.
        self._refuse_failures(results)
        self.recorder.check()

    def _on_step(self, result: StepResult) -> None:
        self.watcher.step(self.tour.name, result)
        self.recorder.check()
        self._refuse_failures([result])
        if not self._is_done(result.number):
            self.sink.event(
                StepDone(
                    tour=self.tour.name,
                    number=result.number,
                    label=result.label,
                    pass_number=self.pass_number,
                )
            )
        self._go_to_step(result.number + 1)

    def _refuse_failures(self, results: Sequence[StepResult]) -> None:
        for result in results:
            if result.problem:
                self.app.check_alive()
                raise TourStepFailedError(
                    f"step {result.number} ({result.label}) of tour {self.tour.name} failed: "
                    f"{result.problem}",
                    where=self.tour.path,
                    fix="What was recorded is kept. Correct the tour or the app, then go on: "
                    f"envsvc record --app {self.task.name} --resume",
                )

    def _go_to_step(self, number: int) -> None:
        self.recorder.set_place(
            Place(
                tour=self.tour.name,
                step=str(number),
                pass_number=self.pass_number,
                is_recorded=not self._is_done(number),
            )
        )

    def _is_done(self, number: int) -> bool:
        return StepId(self.pass_number, self.tour.name, number) in self.before.done


def next_placeholder_number(exchanges: Iterable[Exchange]) -> int:
    """Return the first number that no placeholder in *exchanges* has: a resume goes on there."""
    numbers = (n for exchange in exchanges for text in _texts(exchange) for n in numbers_in(text))
    return max(numbers, default=0) + 1


def _texts(exchange: Exchange) -> Iterable[bytes]:
    request, answer = exchange.request, exchange.answer
    yield from (request.url.encode(), request.body)
    yield from (message.content for message in exchange.messages)
    headers = request.headers
    if isinstance(answer, Response):
        headers += answer.headers
        yield answer.body
    yield from (value.encode() for _, value in headers)
