"""Read runs from the files that ``envsvc exec --report`` and an agent leave behind."""

from pathlib import Path
from typing import Any

import msgspec

from envsvc.adapters.cassette_files import CassetteFiles, CassetteNotFoundError
from envsvc.adapters.html_report.runs import Run, Screenshot
from envsvc.adapters.workspace import (
    UnknownAppError,
    UnknownVersionError,
    Workspace,
    WorkspaceNotFoundError,
)
from envsvc.answers.table import AnswerTable, View, score
from envsvc.cassette.manifest import Manifest
from envsvc.errors import EnvsvcError
from envsvc.playback.session import SessionReport


class BadReportInputError(EnvsvcError):
    """A file that a report is to be made from cannot be read, or holds something else."""

    code = "E601"


class Sources(msgspec.Struct, frozen=True, kw_only=True):
    """The files of one run; findings and screenshots may be missing."""

    session: Path
    findings: Path | None = None
    screenshots: Path | None = None
    note: str = ""


class _Findings(msgspec.Struct, frozen=True):
    """What an agent reports; fields beside page and view are its own business."""

    findings: tuple[View, ...]


def read_session_report(path: Path) -> SessionReport:
    """Return the session report in a file. Raises: BadReportInputError."""
    return _read(path, SessionReport, "a session report")


def load_run(start: Path, sources: Sources) -> Run:
    """Return the run that *sources* tell of, with what the workspace around *start* knows.

    The manifest is added if the workspace still holds the very cassette that answered; the
    score, if there are findings and an answer table. Raises: BadReportInputError.
    """
    report = read_session_report(sources.session)
    manifest, table = _known(start, report)
    scored = None
    if sources.findings is not None and table is not None:
        found = _read(sources.findings, _Findings, "a list of findings").findings
        scored = score(table, found)
    return Run(
        report=report,
        manifest=manifest,
        table=table if scored is not None else None,
        score=scored,
        screenshots=_screenshots(sources.screenshots),
        note=sources.note,
    )


def _known(start: Path, report: SessionReport) -> tuple[Manifest | None, AnswerTable | None]:
    try:
        workspace = Workspace.find(start)
        chosen = workspace.resolve(f"{report.app}/{report.version}")
    except (WorkspaceNotFoundError, UnknownAppError, UnknownVersionError):
        return None, None
    app, version = chosen.spec.app, chosen.version
    table = workspace.answer_table(app, version)
    try:
        manifest = CassetteFiles(workspace.har).manifest(app, version)
    except CassetteNotFoundError:
        return None, table
    return manifest if manifest.digest == report.cassette_digest else None, table


def _read[T](path: Path, kind: type[T], what: str) -> T:
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except OSError as error:
        raise _bad(path, f"{what} cannot be read: {error.strerror}") from error
    except msgspec.DecodeError as error:
        raise _bad(path, f"this is not {what}: {error}") from error


def _screenshots(folder: Path | None) -> tuple[Screenshot, ...]:
    if folder is None:
        return ()
    if not folder.is_dir():
        raise _bad(folder, "this is no folder of screenshots")
    return tuple(
        Screenshot(caption=file.stem.replace("-", " "), png=file.read_bytes())
        for file in sorted(folder.glob("*.png"))
    )


def _bad(path: Path, problem: str) -> BadReportInputError:
    return BadReportInputError(
        problem, where=str(path), fix="Write one with: envsvc exec --report FILE"
    )


def run_summary(run: Run) -> dict[str, Any]:
    """Return the figures of *run* for programs; a figure that does not exist is None."""
    certificate = run.manifest.certificate if run.manifest else None
    return {
        "session": run.name,
        "app": f"{run.report.app}/{run.report.version}",
        "cassette_digest": run.report.cassette_digest,
        "verdict": run.report.verdict,
        "requests": run.report.requests,
        "outcomes": run.report.outcomes,
        "miss_rate": run.miss_rate,
        "outbound_connections": run.report.outbound_connections,
        "recall": run.score.recall if run.score else None,
        "precision": run.score.precision if run.score else None,
        "false_alarms": len(run.score.false_alarms) if run.score else None,
        "certified": certificate.is_clean if certificate else None,
    }
