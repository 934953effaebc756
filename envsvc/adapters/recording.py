"""Join the parts of a recording: what is asked for, then everything that it is made with."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import msgspec

from envsvc import __version__
from envsvc.adapters.app_process import LocalApps
from envsvc.adapters.browser.driver import OFFLINE_TIMEOUT_MS, PlaywrightBrowser
from envsvc.adapters.cassette_files import CassetteFiles
from envsvc.adapters.certificates import CertificateAuthority, home_folder
from envsvc.adapters.html_report.loading import read_session_report
from envsvc.adapters.http_asker import HttpAsker
from envsvc.adapters.journal_file import JournalFile, open_journal
from envsvc.adapters.mitm.recorder import MitmRecorders
from envsvc.adapters.replay_server.thread import ReplayThread
from envsvc.adapters.resend import Resend
from envsvc.adapters.system_clock import SystemClock
from envsvc.adapters.workspace import Workspace, load_tour, redactor_of
from envsvc.app.record_app import ATTACHED, Task, Tools, Watcher, next_placeholder_number
from envsvc.app.record_misses import missed_requests
from envsvc.app.seal import SealTools
from envsvc.cassette.manifest import Manifest
from envsvc.errors import EnvsvcError
from envsvc.exchange.message import Exchange, Request
from envsvc.exchange.redact import Redactor
from envsvc.playback.session import SessionReport
from envsvc.ports import Browser, TourSource
from envsvc.record.journal import Recorded, fold

# Stands in the workspace's place of a tour where none is followed.
_NO_TOUR = TourSource(name=ATTACHED, path="", sha256="")


class OtherAppError(EnvsvcError):
    """A report of another app version was given."""

    code = "E315"


class NothingMissedError(EnvsvcError):
    """A report lists nothing that can be recorded."""

    code = "E316"


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """A recording that was asked for; nothing has begun."""

    task: Task
    app_folder: Path
    har: Path
    port: int
    is_attached: bool
    answers: str | None
    steps: int | None
    missed: tuple[Request, ...] = ()

    @property
    def folder(self) -> Path:
        """Return where the cassette will lie."""
        return CassetteFiles(self.har).folder(self.task.spec.app, self.task.version)

    @property
    def journal_folder(self) -> Path:
        """Return where the journal lies until the cassette is written."""
        return self.folder.with_name(f"{self.task.version}.recording")

    def description(self) -> dict[str, object]:
        """Return what would be done, for people and programs."""
        return {
            "app": self.task.name,
            "tours": [tour.name for tour in self.task.tours],
            "steps": self.steps,
            "missed_requests": len(self.missed),
            "passes": self.task.passes,
            "cassette": str(self.folder),
            "replaces": self.folder.exists(),
            "unfinished": self.journal_folder.exists(),
        }


@dataclass(frozen=True, slots=True)
class Setup:
    """What a recording is made with, ready to begin."""

    plan: Plan
    journal: JournalFile
    authority: CertificateAuthority
    redactor: Redactor

    def tools(self, watcher: Watcher) -> Tools:
        """Return the tools of recording."""
        log = home_folder() / "logs" / f"{self.plan.task.name.replace('/', '-')}.log"
        return Tools(
            apps=LocalApps(self.plan.app_folder, log),
            recorders=MitmRecorders(self.authority, self.plan.port),
            browser=self._resend() if self.plan.is_attached else PlaywrightBrowser(),
            journal=self.journal,
            redactor=self.redactor,
            watcher=watcher,
        )

    def seal_tools(self) -> SealTools:
        """Return the tools of sealing."""
        fresh = redactor_of(self.plan.task.spec)
        offline = PlaywrightBrowser(OFFLINE_TIMEOUT_MS)
        return SealTools(
            journal=self.journal,
            staging=CassetteFiles(self.plan.journal_folder / "staging"),
            cassettes=CassetteFiles(self.plan.har),
            replays=ReplayThread(fresh),
            browser=self._resend() if self.plan.is_attached else offline,
            clock=SystemClock(),
            redactor=self.redactor,
            replay_redactor=fresh,
            envsvc_version=__version__,
        )

    def _resend(self) -> Browser:
        return Resend(
            HttpAsker(self.authority), lambda: fold(self.journal.events()).passes.get(1, [])
        )


def plan_recording(
    start: Path, name: str, *, tours: Sequence[str], passes: int, port: int, attach: bool
) -> Plan:
    """Return the recording of app version *name* in the workspace around *start*.

    Raises: what Workspace raises.
    """
    workspace = Workspace.find(start)
    chosen = workspace.resolve(name)
    named = tours or [chosen.spec.default_tour]
    followed = [workspace.tour(chosen.app, tour) for tour in named]
    table = workspace.answer_table(chosen.spec.app, chosen.version)
    return Plan(
        task=Task(
            spec=chosen.spec,
            version=chosen.version,
            tours=(_NO_TOUR,) if attach else tuple(followed),
            passes=1 if attach else passes,
        ),
        app_folder=chosen.folder,
        har=workspace.har,
        port=port,
        is_attached=attach,
        answers=f"{table.version}@{table.cut_off}" if table else None,
        steps=None if attach else _steps(followed, passes),
    )


def plan_misses(start: Path, name: str, *, reports: Sequence[Path], port: int) -> Plan:
    """Return the recording of what *reports* missed, beside what the cassette of *name* holds.

    Its tours are followed again only to certify the result. Raises: OtherAppError,
    NothingMissedError, CassetteNotFoundError, and what Workspace raises.
    """
    workspace = Workspace.find(start)
    chosen = workspace.resolve(name)
    missed = missed_requests(read_reports(reports, chosen.spec.app, chosen.version))
    if not missed:
        raise NothingMissedError(
            f"nothing that could be recorded was missed of {chosen}",
            fix="Only requests to hosts that are no noise are recorded from a report",
        )
    manifest = CassetteFiles(workspace.har).manifest(chosen.spec.app, chosen.version)
    plan = plan_again(start, name, manifest, port=port)
    return msgspec.structs.replace(plan, missed=tuple(missed), steps=None)


def plan_again(start: Path, name: str, manifest: Manifest, *, port: int = 0) -> Plan:
    """Return a recording of *name* by the tours of *manifest*, or attached if it has none.

    Raises: what Workspace raises.
    """
    tours = [tour.name for tour in manifest.tours if tour.name != ATTACHED]
    return plan_recording(start, name, tours=tours, passes=1, port=port, attach=not tours)


def read_reports(paths: Iterable[Path], app: str, version: str) -> list[SessionReport]:
    """Return the session reports at *paths*. Raises: OtherAppError, BadReportError."""
    reports = [read_session_report(path) for path in paths]
    for report in reports:
        if (report.app, report.version) != (app, version):
            raise OtherAppError(
                f"the report is of {report.app}/{report.version}, not of {app}/{version}",
                fix=f"Name that version: --app {report.app}/{report.version}",
            )
    return reports


@contextmanager
def prepared(plan: Plan, *, resume: bool, discard: bool) -> Iterator[Setup]:
    """Open the journal of *plan* and close it on leaving; what it holds stays.

    Raises: CassetteLockedError, UnfinishedRecordingError, NothingToResumeError.
    """
    journal = open_journal(plan.journal_folder, resume=resume, discard=discard)
    with closing(journal):
        first_number = next_placeholder_number(_before(plan, journal))
        redactor = redactor_of(plan.task.spec, first_number)
        yield Setup(plan, journal, CertificateAuthority(), redactor)


def _before(plan: Plan, journal: JournalFile) -> Iterator[Exchange]:
    """Yield what the new recording goes on from: placeholders must not be numbered twice."""
    for event in journal.events():
        if isinstance(event, Recorded):
            yield event.exchange
    if plan.missed:
        store, spec = CassetteFiles(plan.har), plan.task.spec
        yield from (exchange for _, exchange in store.entries(spec.app, plan.task.version))


def _steps(tours: Iterable[TourSource], passes: int) -> int | None:
    """Return how many steps there are to go, or None where a Python tour decides."""
    paths = list(tours)
    if any(Path(tour.path).suffix == ".py" for tour in paths):
        return None
    return passes * sum(len(load_tour(tour).steps) for tour in paths)
