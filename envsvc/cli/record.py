"""``envsvc record``: freeze an app version's web traffic into a cassette."""

import signal
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from envsvc.cli import output
from envsvc.cli.match_rules import print_proposed
from envsvc.cli.options import AppOption, JsonOption, workspace_of
from envsvc.cli.session_text import note_bypassed_hosts
from envsvc.errors import EnvsvcError
from envsvc.ports import StepResult

if TYPE_CHECKING:
    from envsvc.adapters.recording import Setup
    from envsvc.app.record_app import Recorder
    from envsvc.app.seal import Sealed
    from envsvc.ports import RunningApp

_CHECK_S = 0.2  # how soon a dead app is noticed while nobody asks anything
_MAX_LISTED = 20  # rows of a table in a terminal; the manifest holds all


class AttachedToursError(EnvsvcError):
    """Tours were named for a recording that follows none."""

    code = "E313"


class _Flags(msgspec.Struct, frozen=True, kw_only=True):
    """The options that only say how."""

    attach: bool
    dry_run: bool
    as_json: bool


def command(  # noqa: PLR0913  (one parameter per option)
    context: typer.Context,
    app: AppOption,
    tour: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="A tour to follow; the default one if none is named."),
    ] = None,
    passes: Annotated[
        int, typer.Option(min=1, help="Follow the tours this often, to see what is volatile.")
    ] = 1,
    port: Annotated[int, typer.Option(help="Port of the recording proxy; 0 is any free one.")] = 0,
    from_misses: Annotated[
        list[Path] | None,
        typer.Option(metavar="REPORT", help="Add what this session report lists as missed."),
    ] = None,
    *,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with a recording that was cut off.")
    ] = False,
    discard: Annotated[
        bool, typer.Option("--discard", help="Delete what a cut-off recording left, start anew.")
    ] = False,
    attach: Annotated[
        bool, typer.Option("--attach", help="Follow no tour: record who uses the proxy.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be done; start and write nothing.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Start an app version, follow its tours in a browser, and write what crosses the wire.

    The new cassette is replayed offline by the same tours at once. Exit code 0: it is certified.
    1: it is written but not certified, or a step failed. 3: no app or no browser.

    \b
    Example:
      envsvc record --app shop/v1
      envsvc record --app shop/v1 --tour default-views --passes 2
      envsvc record --app shop/v1 --attach --port 8080
      envsvc record --app shop/v1 --from-misses session.json
    """  # noqa: D301  (Typer's mark for text that is not to be wrapped)
    from envsvc.adapters.recording import Plan, plan_misses, plan_recording, prepared

    flags = _Flags(attach=attach, dry_run=dry_run, as_json=as_json)
    if (attach or from_misses) and tour:
        option = "--attach" if attach else "--from-misses"
        raise AttachedToursError(f"{option} follows no tour", fix=f"Leave out --tour or {option}")
    start = workspace_of(context)
    if from_misses:
        plan: Plan = plan_misses(start, app, reports=from_misses, port=port)
    else:
        plan = plan_recording(start, app, tours=tour or [], passes=passes, port=port, attach=attach)
    if flags.dry_run:
        output.fields(plan.description(), as_json=as_json)
        return
    with prepared(plan, resume=resume, discard=discard) as setup:
        sealed = _record(setup, flags)
        setup.journal.discard()
    _print_sealed(sealed, plan.folder, flags)
    if resume:
        output.note(_RESUMED)
    certificate = sealed.manifest.certificate
    raise typer.Exit(0 if certificate is not None and certificate.is_clean else 1)


_RESUMED = (
    "Resumed: no credential is kept on disk, so the last scan knows only those seen since then. "
    "Before you publish this cassette, record it in one go."
)


def _record(setup: "Setup", flags: _Flags) -> "Sealed":
    from envsvc.adapters.cassette_files import CassetteFiles
    from envsvc.adapters.http_asker import HttpAsker
    from envsvc.app.record_app import record_app, record_attached
    from envsvc.app.record_misses import record_misses
    from envsvc.app.seal import seal

    plan = setup.plan
    with output.progress(f"recording {plan.task.name}", plan.steps) as advance:
        tools = setup.tools(_Progress(advance))
        if plan.missed:
            store = CassetteFiles(plan.har)
            asker = HttpAsker(setup.authority)
            record_misses(plan.task, tools, list(plan.missed), asker, store)
        elif flags.attach:
            record_attached(plan.task, tools, lambda *running: _wait(setup, flags, *running))
        else:
            record_app(plan.task, tools)
    with output.progress(f"replaying {plan.task.name} offline"):
        return seal(plan.task, setup.seal_tools(), answer_table_version=plan.answers)


def _wait(setup: "Setup", flags: _Flags, recorder: "Recorder", app: "RunningApp") -> None:
    """Tell where the proxy is, and wait for Ctrl-C or SIGTERM while app and recorder live."""
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    started = {
        "app": setup.plan.task.name,
        "proxy": recorder.proxy_url,
        "ca": str(setup.authority.certificate_path),
        "url": f"http://{setup.plan.task.spec.virtual_host}/",
    }
    output.fields(started, as_json=flags.as_json)
    note_bypassed_hosts()
    output.note("Recording every client of this proxy. Ctrl-C ends it and writes the cassette.")
    while not stop.wait(_CHECK_S):
        recorder.check()
        app.check_alive()


class _Progress:
    """record_app.Watcher that counts for a progress bar."""

    def __init__(self, advance: output.Advance) -> None:
        self._advance = advance
        self._exchanges = 0
        self._bytes = 0

    def step(self, tour: str, result: StepResult) -> None:
        """Show the finished step and what was recorded so far."""
        so_far = f"{self._exchanges} exchanges, {size(self._bytes)}"
        self._advance(f"{tour} {result.number} {result.label} ({so_far})")

    def exchange(self, size: int) -> None:
        """Count an exchange."""
        self._exchanges += 1
        self._bytes += size


def _print_sealed(sealed: "Sealed", folder: Path, flags: _Flags) -> None:
    manifest = sealed.manifest
    certificate = manifest.certificate
    if flags.as_json:
        summary = msgspec.structs.asdict(manifest)
        more = {"difference": sealed.difference, "worker_scripts": sealed.worker_scripts}
        output.json_line({**summary, "folder": str(folder), **more})
    else:
        output.table(
            f"recorded {manifest.app}/{manifest.version}", ["what", "value"], _rows(sealed)
        )
        _print_lists(sealed)
    if certificate is None or not certificate.is_clean:
        output.note(
            "[bold red]NOT CERTIFIED[/]: the tours do not pass against this cassette. "
            f"It is written and marked so: {output.plain(str(folder))}"
        )
        for problem in certificate.problems if certificate else ():
            output.note(f"  {output.plain(problem)}")


def _rows(sealed: "Sealed") -> list[list[str]]:
    manifest, difference = sealed.manifest, sealed.difference
    certificate = manifest.certificate
    rows = [
        ["entries", str(manifest.entries)],
        ["bytes", size(manifest.body_bytes)],
        ["redacted", str(sum(manifest.redaction.values()))],
        ["dropped", str(len(manifest.dropped))],
        ["ambiguous keys", str(len(manifest.ambiguous))],
        ["changed between passes", str(len(manifest.changed_between_passes))],
        ["digest", manifest.digest],
    ]
    if difference is not None:
        counts = f"{difference.new} new, {difference.changed} changed, {difference.gone} gone"
        rows.append(["against the cassette before", counts])
    if certificate is not None:
        counts = (
            f"{certificate.requests} requests, {certificate.task_misses} task misses, "
            f"{certificate.outbound_connections} outbound connections"
        )
        verdict = "certified" if certificate.is_clean else "NOT CERTIFIED"
        rows.append(["self-replay", f"{verdict}: {counts}"])
    return rows


def _print_lists(sealed: "Sealed") -> None:
    dropped = [[d.method, d.url, d.reason] for d in sealed.manifest.dropped]
    if dropped:
        output.table(
            f"dropped ({len(dropped)})", ["method", "url", "reason"], dropped[:_MAX_LISTED]
        )
    keys = [[key.method, key.url, str(key.answers)] for key in sealed.manifest.ambiguous]
    if keys:
        output.table(f"ambiguous ({len(keys)})", ["method", "url", "answers"], keys[:_MAX_LISTED])

    if sealed.worker_scripts:
        scripts = [[script] for script in sealed.worker_scripts]
        output.table("service workers that did not run", ["script"], scripts)
    print_proposed("proposed match rules, none of them in force", sealed.manifest.proposed_rules)


def size(count: int) -> str:
    """Return *count* bytes for people: in steps of 1,000, with one decimal."""
    value = float(count)
    for unit in ("B", "kB", "MB"):
        if value < _STEP:
            return f"{value:.0f} {unit}" if unit == "B" else f"{value:.1f} {unit}"
        value /= _STEP
    return f"{value:.1f} GB"


_STEP = 1000
