"""The command ``envsvc``: choose a command, run it, turn what goes wrong into words and a code."""

import os
import sys
import traceback
from pathlib import Path
from typing import Annotated

import typer

from envsvc import __version__
from envsvc.cli import (
    cat,
    certify,
    diff,
    export,
    import_file,
    init,
    inspect,
    ls,
    match_rules,
    merge,
    output,
    record,
    report,
    serve,
    snapshot,
    trim,
    verify,
)
from envsvc.cli import exec as exec_command
from envsvc.cli.options import Invocation
from envsvc.errors import EnvsvcError

_EXIT_BUG = 70  # EX_SOFTWARE of sysexits.h
_EXIT_INTERRUPTED = 130


class SystemRefusedError(EnvsvcError):
    """The operating system refused something that envsvc did not expect it to refuse."""

    code = "E310"


app = typer.Typer(
    name="envsvc",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("init")(init.command)
app.command("record")(record.command)
app.command("serve")(serve.command)
# What follows the agent's command belongs to it, also what looks like an option of ours.
app.command("exec", context_settings={"allow_interspersed_args": False})(exec_command.command)
app.command("report")(report.command)
app.command("ls")(ls.command)
app.command("inspect")(inspect.command)
app.command("import")(import_file.command)
app.command("export")(export.command)
app.command("verify")(verify.command)
app.command("certify")(certify.command)
app.command("cat")(cat.command)
app.command("diff")(diff.command)
app.command("trim")(trim.command)
app.command("merge")(merge.command)
app.add_typer(match_rules.commands, name="match-rules")
app.add_typer(snapshot.commands, name="snapshot")


def _print_version(value: bool) -> None:  # noqa: FBT001  (Typer's interface)
    if value:
        output.line(f"envsvc {__version__}")
        raise typer.Exit


@app.callback()
def options(
    context: typer.Context,
    workspace: Annotated[
        Path,
        typer.Option(
            "--workspace", "-C", metavar="DIR", help="Work in this folder instead of here."
        ),
    ] = Path(),
    *,
    version: Annotated[  # noqa: ARG001  (its callback does all)
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
) -> None:
    """Freeze the web that an agent is evaluated in, and say exactly what was answered."""
    context.ensure_object(Invocation).folder = workspace


def main() -> None:
    """Run the command of this process's arguments and exit with its code (D18)."""
    invocation = Invocation()
    sys.exit(_run(invocation))


def _run(invocation: Invocation) -> int:
    try:
        app(obj=invocation)
    except EnvsvcError as problem:
        return _failed(problem, invocation)
    except KeyboardInterrupt:
        return _EXIT_INTERRUPTED
    except OSError as problem:
        return _failed(_refused(problem), invocation)
    except Exception:  # noqa: BLE001  (the last place that can still say something useful)
        return _bug()
    return 0


def _failed(problem: EnvsvcError, invocation: Invocation) -> int:
    _print_traceback_if_asked()
    output.error(problem, as_json=invocation.as_json)
    return problem.exit_code


def _refused(problem: OSError) -> SystemRefusedError:
    return SystemRefusedError(
        f"the system says: {problem.strerror or problem}",
        where=str(problem.filename or ""),
        fix="Check free space and permissions there",
    )


def _bug() -> int:
    kind, value, _ = sys.exc_info()
    name = kind.__name__ if kind else "error"
    output.note(
        f"[bold red]error E000[/]: this is a bug in envsvc: {name}: {output.plain(str(value))}"
    )
    _print_traceback_if_asked()
    if not _is_debug():
        output.note("Run it again with ENVSVC_DEBUG=1 and report what it prints.")
    return _EXIT_BUG


def _print_traceback_if_asked() -> None:
    if _is_debug():
        output.note(output.plain(traceback.format_exc()))


def _is_debug() -> bool:
    return os.environ.get("ENVSVC_DEBUG", "") not in {"", "0"}


if __name__ == "__main__":
    main()
