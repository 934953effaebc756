"""``envsvc inspect``: what tells recorded answers apart, and how a request would be answered."""

from typing import Annotated

import typer

from envsvc.cassette.manifest import SeveralAnswers
from envsvc.cassette.writes import Made
from envsvc.cli import output
from envsvc.cli.options import AppOption, JsonOption, workspace_of
from envsvc.errors import EnvsvcError
from envsvc.exchange.message import Headers, Request
from envsvc.playback.explain import Explanation
from envsvc.playback.inspect import Inspection, inspect, recorded_write
from envsvc.ports import Cassette


class NoSuchWriteError(EnvsvcError):
    """A write that should come before a request was never recorded."""

    code = "E010"


def command(  # noqa: PLR0913  (the parts of a request)
    context: typer.Context,
    app: AppOption,
    *,
    key: Annotated[
        str, typer.Option("--key", metavar="URL", help="Explain how this request is answered.")
    ] = "",
    method: Annotated[str, typer.Option("--method", metavar="METHOD")] = "GET",
    header: Annotated[
        list[str] | None,
        typer.Option("--header", metavar="'NAME: VALUE'", help="A header of the request; repeat."),
    ] = None,
    body: Annotated[str, typer.Option("--body", metavar="TEXT")] = "",
    after: Annotated[
        list[str] | None,
        typer.Option("--after", metavar="'METHOD URL'", help="A write made before; repeat."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Show every key with several answers and what tells them apart, or explain one request.

    \b
    Example:
      envsvc inspect --app shop/v1
      envsvc inspect --app shop/v1 --key http://shop.test/cart
      envsvc inspect --app shop/v1 --key http://shop.test/cart --after "POST http://shop.test/cart/add"
    """  # noqa: D301  (Typer's mark for text that is not to be wrapped)
    from envsvc.adapters.cassette_files import CassetteFiles
    from envsvc.adapters.workspace import Workspace, redactor_of
    from envsvc.playback.indexing import several_answers
    from envsvc.playback.noise import MissClassifier

    workspace = Workspace.find(workspace_of(context))
    chosen = workspace.resolve(app)
    redactor = redactor_of(chosen.spec)
    cassette = CassetteFiles(workspace.har).load(chosen.spec.app, chosen.version, redactor)
    if not key:
        found = list(several_answers(cassette.index))
        if as_json:
            output.json_line({"app": str(chosen), "several_answers": found})
        else:
            _show_several(str(chosen), found)
        return
    request = Request(
        method=method.upper(), url=key, headers=_headers(header or []), body=body.encode()
    )
    manifest = cassette.manifest
    classifier = MissClassifier(manifest.task_hosts, manifest.noise)
    made = _made(after or [], cassette)
    inspection = inspect(redactor.request(request), cassette.index, classifier, made)
    if as_json:
        output.json_line(inspection)
    else:
        _show(inspection)


def _headers(lines: list[str]) -> Headers:
    pairs = (line.partition(":") for line in lines)
    return tuple((name.strip(), value.strip()) for name, _, value in pairs)


def _made(writes: list[str], cassette: Cassette) -> Made:
    made = Made()
    for write in writes:
        method, _, url = write.partition(" ")
        key = recorded_write(method.upper(), url, cassette.index)
        if key is None:
            raise NoSuchWriteError(
                f"{write!r} is no write that was recorded",
                fix="Name one as METHOD URL; envsvc inspect without --key lists those that matter",
            )
        made.wrote(key)
    return made


def _show_several(app: str, found: list[SeveralAnswers]) -> None:
    if not found:
        output.line(f"{output.plain(app)}: every key has one answer")
        return
    for several in found:
        _show_answers(f"{several.method} {several.url}", several)


def _show_answers(title: str, several: SeveralAnswers) -> None:
    told = ", ".join(several.told_apart_by)
    rows = [
        [
            str(answer.status or "failure"),
            str(answer.times),
            "\n".join(answer.after) or "(nothing written)",
            "\n".join(answer.asked_with),
        ]
        for answer in several.answers
    ]
    columns = ["status", "times", "after", "asked with"]
    output.table(f"{title}  told apart by: {told}", columns, rows)


def _show(inspection: Inspection) -> None:
    served = "nothing" if inspection.entry is None else f"entry {inspection.entry}"
    fields: dict[str, object] = {
        "request": f"{inspection.method} {inspection.url}",
        "outcome": inspection.outcome.value,
        "served": f"{served}, status {inspection.status}" if inspection.status else served,
        "after": ", ".join(inspection.after) or "(nothing written)",
    }
    if inspection.is_assumed:
        fields["state assumed"] = "the session wrote something after which this was not recorded"
    output.fields(fields, as_json=False)
    if inspection.miss is not None:
        _show_miss(inspection.miss)
    if inspection.several is not None:
        _show_answers("recorded answers", inspection.several)


def _show_miss(miss: Explanation) -> None:
    output.line(f"[bold]reason[/]   {output.plain(miss.reason.value)}")
    rows = [
        [f"{near.method} {near.url}", part.field, part.asked, part.recorded]
        for near in miss.nearest
        for part in near.differences
    ]
    if rows:
        output.table("nearest", ["recorded", "differs in", "asked", "recorded"], rows)
