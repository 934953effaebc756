"""The options that commands share, and what they set for the whole run."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from envsvc.playback.outcome import AmbiguityPolicy
from envsvc.playback.pace import Pace, parse_pace
from envsvc.playback.virtual_clock import ClockMode


@dataclass
class Invocation:
    """One run of the command: where it works, and whether stdout is for JSON."""

    folder: Path = Path()
    as_json: bool = False


def workspace_of(context: typer.Context) -> Path:
    """Return the folder in or above which the workspace lies."""
    return context.ensure_object(Invocation).folder


def _note_json(context: typer.Context, value: bool) -> bool:  # noqa: FBT001  (Typer's interface)
    # The error handler in main must know it too, outside of any command.
    context.ensure_object(Invocation).as_json = value
    return value


AppOption = Annotated[
    str,
    typer.Option(
        "--app",
        metavar="APP/VERSION",
        help="The app version, such as shop/v1; a name that is unique may stand alone.",
    ),
]
AmbiguityOption = Annotated[
    AmbiguityPolicy,
    typer.Option(
        "--ambiguity", help="What an answer is worth that nothing tells from others of its key."
    ),
]
ClockOption = Annotated[
    ClockMode, typer.Option("--clock", help="The time that pages read: the recording's, or now.")
]


def _pace(given: str | Pace) -> Pace:
    return given if isinstance(given, Pace) else parse_pace(given)  # Typer parses defaults too


PaceOption = Annotated[
    Pace,
    typer.Option(
        "--pace",
        parser=_pace,
        show_default="recorded",
        metavar="none|recorded|scaled:F",
        help="When the chunks of a stream come; scaled:F is F times as long as recorded.",
    ),
]
AllowEmptyOption = Annotated[
    bool, typer.Option("--allow-empty", help="Take a cassette that answers nothing.")
]
JsonOption = Annotated[
    bool,
    typer.Option(
        "--json",
        callback=_note_json,
        is_eager=True,
        help="Print JSON to stdout; what people read goes to stderr.",
    ),
]
DryRunOption = Annotated[
    bool, typer.Option("--dry-run", help="Say what would be done; write nothing.")
]
YesOption = Annotated[
    bool, typer.Option("--yes", help="Write it; without this nothing of a cassette is replaced.")
]
