"""``envsvc import``: make a cassette of what another program recorded."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from envsvc.cli import output
from envsvc.cli.options import AppOption, JsonOption, workspace_of

if TYPE_CHECKING:
    from envsvc.app.import_traffic import Imported

_MAX_LISTED = 20  # losses listed in a terminal; --json and the manifest hold all


def command(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(exists=True, dir_okay=False, help="What to import.")],
    app: AppOption,
    *,
    salvage: Annotated[
        bool, typer.Option("--salvage", help="Of a HAR that was cut off, keep the whole entries.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be kept; write nothing.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Import FILE: a HAR of any program, a Playwright .zip, mitmproxy flows, a WARC or a WACZ.

    What cannot be kept is listed with its reason. Credentials are taken out as in a recording.

    \b
    Example:
      envsvc import session.har --app blog/v1 --dry-run
      envsvc import crawl.wacz --app blog/v1
    """  # noqa: D301  (Typer's mark for text that is not to be wrapped)
    from envsvc import __version__
    from envsvc.adapters.cassette_files import CassetteFiles
    from envsvc.adapters.importing.sources import Source, readable
    from envsvc.adapters.workspace import Workspace, redactor_of
    from envsvc.app.import_traffic import Target, import_traffic

    workspace = Workspace.find(workspace_of(context))
    chosen = workspace.resolve(app)
    target = Target(
        spec=chosen.spec, version=chosen.version, name=file.name, envsvc_version=__version__
    )
    with readable(file):
        source = Source(file, salvage=salvage)
        imported = import_traffic(
            source.entries,
            target,
            redactor_of(chosen.spec),
            CassetteFiles(workspace.har),
            dry_run=dry_run,
        )
    if as_json:
        output.json_line(imported)
    else:
        _show(source.format, imported)
    if not imported.kept:
        output.note("[bold]nothing of this file can be kept; nothing was written[/]")
        raise typer.Exit(1)


def _show(source_format: str, imported: "Imported") -> None:
    summary: dict[str, object] = {
        "format": source_format,
        "kept": imported.kept,
        "dropped": sum(imported.reasons.values()),
        "ignored": f"{imported.ignored} (no web traffic)",
        "digest": imported.digest or "(nothing was written)",
    }
    output.fields(summary, as_json=False)
    for title, counts in (
        ("dropped, by reason", imported.reasons),
        ("bodies that are not in the file, by type", imported.lost_bodies),
        ("assumed", imported.warnings),
    ):
        if counts:
            rows = [[name, str(count)] for name, count in counts.items()]
            output.table(title, ["what", "entries"], rows)
    listed = [[d.method, d.url, d.reason] for d in imported.dropped[:_MAX_LISTED]]
    if listed:
        output.table(f"dropped ({len(imported.dropped)})", ["method", "url", "reason"], listed)
