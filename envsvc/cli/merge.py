"""``envsvc merge``: put recordings of one app together."""

from typing import Annotated

import typer

from envsvc.cli.options import DryRunOption, JsonOption, YesOption, workspace_of
from envsvc.cli.rewriting import Consent, rewrite


def command(  # noqa: PLR0913  (one parameter per option)
    context: typer.Context,
    base: Annotated[
        str, typer.Argument(metavar="A/V|PATH", help="The cassette that the others go into.")
    ],
    others: Annotated[
        list[str], typer.Argument(metavar="FROM...", help="App versions or folders of cassettes.")
    ],
    into: Annotated[
        str, typer.Option(metavar="A/V", help="Write it as this app version instead.")
    ] = "",
    *,
    allow_ambiguous: Annotated[
        bool,
        typer.Option("--allow-ambiguous", help="Take contradicting answers too, flagged."),
    ] = False,
    dry_run: DryRunOption = False,
    yes: YesOption = False,
    as_json: JsonOption = False,
) -> None:
    """Put into a cassette what others have and it has not. It loses its certificate.

    Each recording stays a run of its own that began with a fresh app. Exit code 1: they were
    answered differently where nothing tells when; nothing is written.

    \b
    Example:
      envsvc merge shop/v1 /tmp/elsewhere/har/shop/v1 --dry-run
      envsvc merge shop/v1 /tmp/elsewhere/har/shop/v1 --yes
    """  # noqa: D301  (Typer's mark for text that is not to be wrapped)
    from envsvc.adapters.cassette_source import find_cassette
    from envsvc.app.merge_cassettes import merged

    start = workspace_of(context)
    source = find_cassette(start, base)
    parts = [source.read(), *(find_cassette(start, name).read() for name in others)]
    whole = merged(parts, allow_ambiguous=allow_ambiguous)
    rewrite(
        find_cassette(start, into) if into else source,
        whole.edited,
        {
            "exchanges": len(whole.edited.exchanges),
            "added": whole.added,
            "already_there": whole.same,
        },
        Consent(yes=yes, dry_run=dry_run),
        as_json=as_json,
    )
