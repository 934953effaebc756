"""Everything that envsvc prints: results to stdout, what people read beside JSON to stderr."""

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

import msgspec
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn
from rich.table import Table
from rich.text import Text

from envsvc.errors import EnvsvcError

_PIPE_WIDTH = 200  # a table in a file or a pipe is not cut at the 80 columns of old terminals
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")

type Advance = Callable[[str], None]
"""Count one more thing done; the text says what comes next."""


def plain(text: str) -> str:
    """Return *text* so that ``line`` shows it as it is: no markup, control characters visible."""
    return escape(_visible(text))


def line(text: str, *, as_json: bool = False) -> None:
    """Print a line with Rich markup for people; on stderr if stdout is for JSON."""
    _console(to_stderr=as_json).print(text)


def note(text: str) -> None:
    """Print a line with Rich markup on stderr: a warning, or what is going on."""
    _console(to_stderr=True).print(text)


def fields(values: Mapping[str, object], *, as_json: bool) -> None:
    """Print named values: one JSON object, or a line each."""
    if as_json:
        json_line(values)
        return
    width = max((len(name) for name in values), default=0)
    for name, value in values.items():
        line(f"[bold]{plain(name):<{width}}[/]  {plain(str(value))}")


def table(
    title: str,
    columns: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    to_stderr: bool = False,
) -> None:
    """Print a table, to stdout unless that belongs to others; cells are shown as they are."""
    made = Table(title=Text(title), title_justify="left", box=SIMPLE_HEAD)
    for column in columns:
        made.add_column(column, overflow="fold")
    for row in rows:
        made.add_row(*(Text(_visible(cell)) for cell in row))
    file = sys.stderr if to_stderr else sys.stdout
    width = None if file.isatty() else _PIPE_WIDTH
    Console(file=file, highlight=False, emoji=False, width=width).print(made)


def json_line(value: object) -> None:
    """Print *value* as one line of JSON to stdout, at once."""
    print(msgspec.json.encode(value).decode(), flush=True)


def error(problem: EnvsvcError, *, as_json: bool) -> None:
    """Print *problem* to stderr, and as a JSON object to stdout if that is what is read there."""
    note(f"[bold red]error {problem.code}[/]: {plain(str(problem))}")
    if as_json:
        said = {"what": problem.what, "where": problem.where, "fix": problem.fix}
        json_line({"error": {"code": problem.code, **said}})


@contextmanager
def progress(title: str, total: int | None = None) -> Iterator[Advance]:
    """Show on a terminal how far a job of *total* things is; print nothing anywhere else."""
    console = _console(to_stderr=True)
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as shown:
        task = shown.add_task(plain(title), total=total)

        def advance(text: str) -> None:
            shown.update(task, advance=1, description=f"{plain(title)}: {plain(text)}")

        yield advance


def _console(*, to_stderr: bool) -> Console:
    # Made for each use: what stdout is may change, and a console remembers it.
    file = sys.stderr if to_stderr else sys.stdout
    return Console(file=file, highlight=False, soft_wrap=True, emoji=False)


def _visible(text: str) -> str:
    return _CONTROL.sub(lambda match: f"\\x{ord(match[0]):02x}", text)
