"""``envsvc report``: show sessions as one page of HTML."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from envsvc.cli import output
from envsvc.cli.options import JsonOption, workspace_of


def command(  # noqa: PLR0913  (one parameter per option)
    context: typer.Context,
    sessions: Annotated[
        list[Path],
        typer.Argument(metavar="SESSION.json...", help="Session reports, as exec writes them."),
    ],
    html: Annotated[Path, typer.Option("--html", metavar="OUT.html", help="Where to write.")],
    findings: Annotated[
        list[Path] | None,
        typer.Option(
            "--findings", help="What the agent found, to be scored; once per session, in order."
        ),
    ] = None,
    screenshots: Annotated[
        list[Path] | None,
        typer.Option("--screenshots", help="A folder of PNG; once per session, in order."),
    ] = None,
    title: Annotated[str, typer.Option(help="Heading of the page.")] = "Replay report",
    *,
    as_json: JsonOption = False,
) -> None:
    """Show what was answered, by which rule, and what was missed, as one self-contained page.

    The page asks for nothing from anywhere. Cassette and answer table come from the workspace,
    if it holds them.

    \b
    Example:
      envsvc report session.json --html report.html
      envsvc report a.json b.json --findings a.found --findings b.found --html report.html
    """  # noqa: D301  (Typer's mark for text that is not to be wrapped)
    from envsvc.adapters.html_report.loading import Sources, load_run, run_summary
    from envsvc.adapters.html_report.page import report_page
    from envsvc.adapters.html_report.score_sheet import score_sheet
    from envsvc.adapters.system_clock import SystemClock

    found = _one_each("--findings", findings, sessions)
    pictures = _one_each("--screenshots", screenshots, sessions)
    runs = [
        load_run(workspace_of(context), Sources(session=session, findings=file, screenshots=folder))
        for session, file, folder in zip(sessions, found, pictures, strict=True)
    ]
    page = report_page(runs, title=title, now_us=SystemClock().now_us())
    html.parent.mkdir(parents=True, exist_ok=True)
    html.write_text(page, encoding="utf-8")
    if as_json:
        output.json_line({"html": str(html), "runs": [run_summary(run) for run in runs]})
    else:
        rows = [[line.label, *line.cells] for group in score_sheet(runs) for line in group.lines]
        output.table(title, ["", *(run.name for run in runs)], rows)
    output.line(f"wrote {output.plain(str(html))}", as_json=as_json)


def _one_each(
    option: str, given: Sequence[Path] | None, sessions: Sequence[Path]
) -> Sequence[Path | None]:
    if not given:
        return [None] * len(sessions)
    if len(given) != len(sessions):
        raise typer.BadParameter(
            f"give {option} once for each of the {len(sessions)} sessions, in the same order"
        )
    return given
