"""``envsvc diff``: what two cassettes answer differently."""

from collections import Counter
from typing import Annotated

import typer

from envsvc.cli import output
from envsvc.cli.options import JsonOption, workspace_of


def command(
    context: typer.Context,
    before: Annotated[str, typer.Argument(metavar="A/V|PATH", help="The earlier cassette.")],
    after: Annotated[str, typer.Argument(metavar="B/V|PATH", help="The later one.")],
    *,
    everything: Annotated[bool, typer.Option("--all", help="List keys that are the same too.")] = (
        False
    ),
    as_json: JsonOption = False,
) -> None:
    """Compare two cassettes key by key: new, gone, changed, same.

    Exit code 0: nothing differs. 1: something does.

    \b
    Example:
      envsvc diff shop/v1 shop/v2
      envsvc diff /tmp/before/shop/v1 shop/v1 --json
    """  # noqa: D301  (Typer's mark for text that is not to be wrapped)
    from envsvc.adapters.cassette_source import find_cassette
    from envsvc.app.diff_cassettes import Change, differences

    start = workspace_of(context)
    one, other = (find_cassette(start, name).read() for name in (before, after))
    found = list(differences(one.exchanges, other.exchanges))
    counts = Counter(change.change for change in found)
    shown = [change for change in found if everything or change.change is not Change.SAME]
    if as_json:
        output.json_line(
            {
                "before": {"name": before, "digest": one.manifest.digest},
                "after": {"name": after, "digest": other.manifest.digest},
                "counts": {change.value: counts[change] for change in Change},
                "keys": shown,
            }
        )
    else:
        rows = [
            [
                key.change.value,
                f"{key.method} {key.url}",
                "\n".join(key.before),
                "\n".join(key.after),
            ]
            for key in shown
        ]
        if rows:
            output.table(f"{before} against {after}", ["", "key", "before", "after"], rows)
        output.line(", ".join(f"{counts[change]} {change.value}" for change in Change))
    raise typer.Exit(0 if counts[Change.SAME] == len(found) else 1)
