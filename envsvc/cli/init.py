"""``envsvc init``: begin a workspace for an app of one's own."""

import shlex
from pathlib import Path
from typing import Annotated

import typer

from envsvc.cli import output
from envsvc.cli.options import JsonOption, workspace_of


def command(
    context: typer.Context,
    app: Annotated[str, typer.Option("--app", metavar="NAME", help="What to call the app.")],
    folder: Annotated[
        Path | None, typer.Argument(metavar="[DIR]", help="Where; here if not given.")
    ] = None,
    url: Annotated[str, typer.Option(help="Where the app runs already.")] = "",
    start: Annotated[
        str,
        typer.Option("--command", help="What starts the app; {port} stands for its port."),
    ] = "",
    *,
    as_json: JsonOption = False,
) -> None:
    """Write the first files of a workspace for your own app; nothing is ever overwritten.

    \b
    Example:
      envsvc init evals --app blog --command "{python} -m http.server {port}"
      envsvc init evals --app wiki --url http://127.0.0.1:3000
    """  # noqa: D301  (Typer's mark for text that is not to be wrapped)
    from envsvc.adapters.starter import NewApp, write_starter
    from envsvc.adapters.workspace import Workspace

    root = folder or workspace_of(context)
    written = write_starter(root, NewApp(name=app, url=url, command=start))
    Workspace.find(root).app(app)
    if as_json:
        output.json_line({"app": app, "written": [str(path) for path in written]})
    for path in written:
        output.line(f"wrote {output.plain(str(path))}", as_json=as_json)
    place = "" if root.resolve() == Path.cwd() else f" -C {shlex.quote(str(root))}"
    output.line(
        f"Next: look through {output.plain(str(written[0]))}, then record what it says:\n"
        f"  envsvc{output.plain(place)} record --app {app}/v1",
        as_json=as_json,
    )
