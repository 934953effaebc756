"""``envsvc match-rules``: what does not count in a key, proposed by envsvc, accepted by people."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from envsvc.cassette.manifest import ProposedRule
from envsvc.cassette.rules import MatchRule
from envsvc.cli import output
from envsvc.cli.options import AppOption, JsonOption, workspace_of

if TYPE_CHECKING:
    from envsvc.adapters.cassette_source import CassetteSource
    from envsvc.adapters.workspace import AppVersion
    from envsvc.app.edit_cassette import Edited
    from envsvc.app.merge_cassettes import Part

commands = typer.Typer(
    no_args_is_help=True,
    help="Say which parts of requests do not count, since clients make them anew each time.",
)

ReportsOption = Annotated[
    list[Path] | None,
    typer.Option(
        "--from-report", metavar="REPORT", help="A session report whose misses count; repeat."
    ),
]


@commands.command("ls")
def ls(context: typer.Context, app: AppOption, *, as_json: JsonOption = False) -> None:
    """List the match rules of a cassette, of app.yaml, and those that are proposed.

    \b
    Example:
      envsvc match-rules ls --app shop/v1
    """  # noqa: D301  (Typer's mark for text that is not to be wrapped)
    opened = _opened(context, app)
    declared = opened.app_version.spec.match_rules
    manifest = opened.source.manifest()
    if as_json:
        output.json_line(
            {
                "cassette": manifest.match_rules,
                "declared": declared,
                "proposed": manifest.proposed_rules,
            }
        )
        return
    rows = [
        [name, _standing(name, manifest.match_rules, declared), words(rule)]
        for name, rule in {**declared, **manifest.match_rules}.items()
    ]
    rows += [[name, "proposed", words(one.rule)] for name, one in manifest.proposed_rules.items()]
    if rows:
        output.table(f"match rules of {app}", ["name", "where it stands", "rule"], rows)
    else:
        output.line(f"{output.plain(app)}: no match rules")


@commands.command("suggest")
def suggest(
    context: typer.Context,
    app: AppOption,
    from_report: ReportsOption = None,
    *,
    as_json: JsonOption = False,
) -> None:
    """Suggest rules from what was recorded, and from what a session missed. Writes nothing.

    \b
    Example:
      envsvc match-rules suggest --app shop/v1
      envsvc match-rules suggest --app shop/v1 --from-report session.json
    """  # noqa: D301  (Typer's mark for text that is not to be wrapped)
    opened = _opened(context, app)
    suggested = _suggested(opened, opened.source.read(), from_report or [])
    if as_json:
        output.json_line({"app": app, "suggested": suggested})
    elif suggested:
        print_proposed("suggested match rules", suggested)
        output.line(f"Take one: envsvc match-rules accept NAME --app {output.plain(app)}")
    else:
        output.line(f"{output.plain(app)}: nothing to suggest")


@commands.command("accept")
def accept(  # noqa: PLR0913  (one parameter per option)
    context: typer.Context,
    app: AppOption,
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME]...", help="Rules that are suggested.")
    ] = None,
    from_report: ReportsOption = None,
    *,
    everything: Annotated[
        bool, typer.Option("--all", help="Accept all that is suggested.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be done; write nothing.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Write suggested rules into app.yaml and into the cassette, which gets a new digest.

    The certificate stays if all that was recorded is still answered as before.

    \b
    Example:
      envsvc match-rules accept query-_ --app shop/v1
      envsvc match-rules accept --all --app shop/v1 --from-report session.json
    """  # noqa: D301  (Typer's mark for text that is not to be wrapped)
    from envsvc.adapters.rules_text import add_rules
    from envsvc.app.edit_cassette import with_rules
    from envsvc.app.suggest_rules import chosen

    opened = _opened(context, app)
    part = opened.source.read()
    suggested = _suggested(opened, part, from_report or [])
    rules = chosen(suggested, names or [], everything=everything)
    edited = with_rules(part.manifest, part.exchanges, {**part.manifest.match_rules, **rules})
    if not dry_run:
        add_rules(opened.app_version.app.path, rules)
    _finish(opened, edited, dry_run=dry_run, as_json=as_json)


@commands.command("apply")
def apply(
    context: typer.Context,
    app: AppOption,
    *,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be done; write nothing.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Give the cassette the rules that app.yaml has now, without recording again.

    \b
    Example:
      envsvc match-rules apply --app shop/v1
    """  # noqa: D301  (Typer's mark for text that is not to be wrapped)
    from envsvc.app.edit_cassette import with_rules

    opened = _opened(context, app)
    part = opened.source.read()
    edited = with_rules(part.manifest, part.exchanges, opened.app_version.spec.match_rules)
    _finish(opened, edited, dry_run=dry_run, as_json=as_json)


def print_proposed(title: str, proposed: Mapping[str, ProposedRule]) -> None:
    """Print proposed rules as a table; nothing if there are none."""
    rows = [
        [name, words(one.rule), one.because, ", ".join(one.seen)] for name, one in proposed.items()
    ]
    if rows:
        output.table(title, ["name", "rule", "because", "seen"], rows)


def words(rule: MatchRule) -> str:
    """Return *rule* in one line, as app.yaml may have it."""
    return ", ".join(
        f"{name}: {_value(value)}" for name, value in msgspec.to_builtins(rule).items()
    )


def _value(value: object) -> str:
    if isinstance(value, list | tuple):
        return f"[{', '.join(value)}]"
    if isinstance(value, dict):
        return ", ".join(f"{name} is {target}" for name, target in value.items())
    return str(value)


class _Opened(msgspec.Struct, frozen=True):
    """An app version and its cassette."""

    app_version: "AppVersion"
    source: "CassetteSource"


def _opened(context: typer.Context, app: str) -> _Opened:
    from envsvc.adapters.cassette_source import find_cassette
    from envsvc.adapters.workspace import Workspace

    start = workspace_of(context)
    chosen = Workspace.find(start).resolve(app)
    return _Opened(chosen, find_cassette(start, str(chosen)))


def _suggested(opened: _Opened, part: "Part", reports: Iterable[Path]) -> dict[str, ProposedRule]:
    from envsvc.adapters.recording import read_reports
    from envsvc.app.record_misses import missed_requests
    from envsvc.app.suggest_rules import suggestions

    source, declared = opened.source, opened.app_version.spec.match_rules
    missed = missed_requests(read_reports(reports, source.app, source.version))
    return suggestions(part.manifest, part.exchanges, missed, declared)


def _standing(name: str, sealed: Mapping[str, MatchRule], declared: Mapping[str, MatchRule]) -> str:
    if name not in sealed:
        return "app.yaml only: envsvc match-rules apply"
    if name not in declared:
        return "cassette only"
    return "both" if sealed[name] == declared[name] else "both, but not the same"


def _finish(opened: _Opened, edited: "Edited", *, dry_run: bool, as_json: bool) -> None:
    manifest = edited.manifest if dry_run else opened.source.write(edited)
    done = {
        "app": str(opened.app_version),
        "match_rules": manifest.match_rules,
        "digest": manifest.digest,
        "certified": manifest.certificate is not None and manifest.certificate.is_clean,
        "written": not dry_run,
    }
    if as_json:
        output.json_line(done)
        return
    rows = [[name, words(rule)] for name, rule in manifest.match_rules.items()]
    output.table("match rules now" if not dry_run else "match rules then", ["name", "rule"], rows)
    if dry_run:
        output.line("Nothing was written.")
    else:
        output.line(f"digest {manifest.digest}")
    if manifest.certificate is None or not manifest.certificate.is_clean:
        output.note(
            f"[bold]Not certified.[/] To try again: envsvc certify --app {opened.app_version}"
        )
