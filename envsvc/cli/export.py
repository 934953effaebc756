"""``envsvc export``: give a cassette to other tools."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from envsvc.cli import output
from envsvc.cli.options import AppOption, JsonOption, workspace_of
from envsvc.errors import EnvsvcError
from envsvc.exchange.message import Exchange, Failure

if TYPE_CHECKING:
    from envsvc.adapters.cassette_source import CassetteSource

_STDOUT = Path("-")


class ExportExistsError(EnvsvcError):
    """A file would be overwritten."""

    code = "E219"


def command(
    context: typer.Context,
    app: AppOption,
    har: Annotated[Path, typer.Option("--har", metavar="FILE", help="Where to; - is stdout.")],
    *,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace the file if there is one.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Write a cassette as one plain HAR 1.2 with every body in it.

    Chrome, Firefox, Playwright and mitmproxy open it; so does envsvc import. Hosts that could not
    be reached are left out, since HAR has no word for them.

    \b
    Example:
      envsvc export --app shop/v1 --har shop.har
    """  # noqa: D301  (Typer's mark for text that is not to be wrapped)
    from envsvc import __version__
    from envsvc.adapters.cassette_source import find_cassette
    from envsvc.adapters.exporting import write_pieces
    from envsvc.cassette.plain_har import plain_har

    if har != _STDOUT and har.exists() and not overwrite:
        raise ExportExistsError(
            "there is a file already", where=str(har), fix="Name another one, or give --overwrite"
        )
    source = find_cassette(workspace_of(context), app)
    counts = {"entries": 0, "left_out": 0}
    with output.progress(f"exporting {app}", source.manifest().entries) as advance:
        pieces = plain_har(_counted(source, counts, advance), __version__)
        if har == _STDOUT:
            sys.stdout.buffer.writelines(pieces)
            return
        write_pieces(har, pieces)
    output.fields({"har": str(har), **counts}, as_json=as_json)


def _counted(
    source: "CassetteSource", counts: dict[str, int], advance: output.Advance
) -> Iterator[Exchange]:
    for exchange in source.exchanges():
        advance(exchange.request.url)
        counts["left_out" if isinstance(exchange.answer, Failure) else "entries"] += 1
        yield exchange
