"""``envsvc snapshot``: freeze a container, and give every episode a copy of its own."""

from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from envsvc.cli import output
from envsvc.cli.options import AppOption, JsonOption, workspace_of

if TYPE_CHECKING:
    from envsvc.app.snapshot_copies import HandedOut

commands = typer.Typer(
    no_args_is_help=True,
    help="Freeze an app that runs in a container, and give every episode a copy of its own.",
)

CopyArgument = Annotated[str, typer.Argument(metavar="COPY", help="The id that `up` gave.")]
WarmOption = Annotated[
    int, typer.Option(min=0, help="How many started copies shall wait for the next reset.")
]


@commands.command("freeze")
def freeze_command(
    context: typer.Context,
    container: Annotated[str, typer.Argument(metavar="CONTAINER", help="Its name or id.")],
    app: AppOption,
    drop_env: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Leave this variable out of the image; repeat."),
    ] = None,
    leave_out: Annotated[
        list[str] | None,
        typer.Option(metavar="FOLDER", help="Do without what is mounted there; repeat."),
    ] = None,
    *,
    as_json: JsonOption = False,
) -> None:
    """Make an image of a container with its volumes, and note its digest beside app.yaml.

    The container is paused while it is copied. Two copies are started to prove the snapshot.
    Nothing is frozen if data would be missing or a credential would be in the image config.

    \b
    Example:
      envsvc snapshot freeze shop-container --app shop/v1
    """  # noqa: D301  (Typer's mark for text that is not to be wrapped)
    from envsvc.adapters.snapshots import freeze

    with output.progress(f"freezing {container}"):
        frozen = freeze(workspace_of(context), app, container, leave_out or (), drop_env or ())
    told = {"app": frozen.app, **msgspec.to_builtins(frozen.snapshot), "lock": str(frozen.path)}
    shown = {name: value for name, value in told.items() if value not in ({}, (), [])}
    output.fields(told if as_json else shown, as_json=as_json)


@commands.command("up")
def up_command(
    context: typer.Context,
    app: AppOption,
    warm: WarmOption = 1,
    at: Annotated[
        str, typer.Option(metavar="DATE", help="Judge what has ended by this date, not by now.")
    ] = "",
    *,
    as_json: JsonOption = False,
) -> None:
    """Hand out a fresh copy of a snapshot, once it is ready and shows what was frozen.

    It has no way out and no port of this host. Exit code 1: something in it has ended, such as a
    certificate; it is handed out and what has ended is listed.

    \b
    Example:
      envsvc snapshot up --app shop/v1
    """  # noqa: D301  (Typer's mark for text that is not to be wrapped)
    from envsvc.adapters.snapshots import copies_of

    at_us = _moment_us(at)
    with copies_of(workspace_of(context), app) as copies:
        handed_out = copies.up(warm=warm)
        findings = copies.findings(at_us if at else copies.clock.now_us())
    _tell(handed_out, findings, as_json=as_json)


@commands.command("reset")
def reset_command(
    context: typer.Context,
    copy: CopyArgument,
    app: AppOption,
    warm: WarmOption = 1,
    *,
    skip: Annotated[
        bool, typer.Option("--skip", help="Go on with the used copy: not isolated, exit code 1.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Replace a used copy by a fresh one, and say how long that took.

    \b
    Example:
      envsvc snapshot reset 0123456789ab --app shop/v1
    """  # noqa: D301  (Typer's mark for text that is not to be wrapped)
    from envsvc.adapters.snapshots import copies_of

    with copies_of(workspace_of(context), app) as copies:
        handed_out = copies.go_on(copy) if skip else copies.reset(copy, warm=warm)
    _tell(handed_out, _not_isolated(handed_out), as_json=as_json)


@commands.command("ls")
def ls_command(context: typer.Context, app: AppOption, *, as_json: JsonOption = False) -> None:
    """List the copies of a snapshot, also those that wait for an episode.

    \b
    Example:
      envsvc snapshot ls --app shop/v1
    """  # noqa: D301  (Typer's mark for text that is not to be wrapped)
    from envsvc.adapters.snapshots import copies_of

    with copies_of(workspace_of(context), app) as copies:
        listed = [
            {
                "copy": copy.name.id,
                "url": copies.url(copy) if copy.host else "",
                "image": copy.image,
                "episodes": copy.name.episodes,
                "is_isolated": copy.name.episodes <= 1,
                "has_ended": copy.has_ended,
            }
            for copy in copies.all()
        ]
    if as_json:
        output.json_line(listed)
        return
    columns = list(listed[0]) if listed else ["copy"]
    output.table("copies", columns, [[str(cell) for cell in row.values()] for row in listed])


@commands.command("down")
def down_command(
    context: typer.Context,
    app: AppOption,
    copy: Annotated[
        str, typer.Argument(metavar="[COPY]", help="One copy; without it all of them go.")
    ] = "",
    *,
    as_json: JsonOption = False,
) -> None:
    """Remove one copy of a snapshot, or all with whatever else was made for them. The image stays.

    \b
    Example:
      envsvc snapshot down --app shop/v1
    """  # noqa: D301  (Typer's mark for text that is not to be wrapped)
    from envsvc.adapters.snapshots import copies_of

    with copies_of(workspace_of(context), app) as copies:
        gone = [one.name.id for one in copies.all() if copy in {"", one.name.id}]
        if copy:
            copies.down(copy)
        else:
            copies.engine.remove_all(copies.labels)
    output.fields({"removed": gone}, as_json=as_json)


def _moment_us(text: str) -> int:
    from envsvc.exchange.moment import moment_us

    moment = moment_us(f"{text}T00:00" if len(text) == len("2026-01-01") else text)
    if text and moment is None:
        raise typer.BadParameter(f"{text!r} is no date, such as 2027-12-01")
    return moment or 0


def _not_isolated(handed_out: "HandedOut") -> list[str]:
    if handed_out.is_isolated:
        return []
    return [f"Not isolated: episode {handed_out.episode} of a copy that was not reset"]


def _tell(handed_out: "HandedOut", findings: list[str], *, as_json: bool) -> None:
    told = msgspec.to_builtins(handed_out)
    output.fields({**told, "findings": findings} if as_json else told, as_json=as_json)
    for finding in () if as_json else findings:
        output.note(f"[bold]{output.plain(finding)}[/]")
    if findings:
        raise typer.Exit(1)
