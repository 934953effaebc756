"""``envsvc trim``: leave exchanges out of a cassette."""

from pathlib import Path
from typing import Annotated

import typer

from envsvc.cli import output
from envsvc.cli.options import AppOption, DryRunOption, JsonOption, YesOption, workspace_of
from envsvc.cli.rewriting import Consent, rewrite

_MAX_LISTED = 20  # exchanges that go, listed in a terminal; JSON has all


def command(  # noqa: PLR0913  (one parameter per option)
    context: typer.Context,
    app: AppOption,
    keep: Annotated[
        list[str] | None,
        typer.Option("--keep", metavar="PATTERN", help="Keep only such host/path; repeat."),
    ] = None,
    drop: Annotated[
        list[str] | None,
        typer.Option("--drop", metavar="PATTERN", help="Leave out such host/path; repeat."),
    ] = None,
    unused_by: Annotated[
        list[Path] | None,
        typer.Option(metavar="REPORT", help="Leave out what none of these sessions used; repeat."),
    ] = None,
    *,
    dry_run: DryRunOption = False,
    yes: YesOption = False,
    as_json: JsonOption = False,
) -> None:
    """Leave exchanges out of a cassette. It gets a new digest and loses its certificate.

    Answers that a write changed are told apart by that write: what is left out takes that with it.

    \b
    Example:
      envsvc trim --app shop/v1 --drop "stats.example/*" --dry-run
      envsvc trim --app shop/v1 --unused-by session.json --yes
    """  # noqa: D301  (Typer's mark for text that is not to be wrapped)
    from envsvc.adapters.cassette_source import find_cassette
    from envsvc.adapters.recording import read_reports
    from envsvc.app.edit_cassette import with_traffic
    from envsvc.app.trim_cassette import Cut, divided, used_entries

    if not (keep or drop or unused_by):
        raise typer.BadParameter("say what goes: --keep, --drop or --unused-by")
    source = find_cassette(workspace_of(context), app)
    part = source.read()
    reports = read_reports(unused_by or [], source.app, source.version)
    used = used_entries(reports, part.manifest) if reports else None
    parts = divided(part.exchanges, Cut(keep=tuple(keep or ()), drop=tuple(drop or ()), used=used))
    edited = with_traffic(part.manifest, parts.kept)
    gone = [f"{one.request.method} {one.request.url}" for one in parts.dropped]
    if not as_json:
        for line in gone[:_MAX_LISTED]:
            output.line(f"drop {output.plain(line)}")
        if len(gone) > _MAX_LISTED:
            output.line(f"drop {len(gone) - _MAX_LISTED} more")
    rewrite(
        source,
        edited,
        {"kept": len(parts.kept), "dropped": len(gone), "dropped_requests": gone},
        Consent(yes=yes, dry_run=dry_run),
        as_json=as_json,
    )
