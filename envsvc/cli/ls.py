"""``envsvc ls``: what a workspace holds."""

from pathlib import Path
from typing import Annotated

import msgspec
import typer

from envsvc.cassette.entry import microseconds
from envsvc.cassette.manifest import Manifest
from envsvc.cli import output
from envsvc.cli.options import JsonOption, workspace_of
from envsvc.exchange.key import canonical_key
from envsvc.exchange.message import Exchange, Response, media_type
from envsvc.ports import CassetteStore
from envsvc.record.app_spec import AppSpec

_SHOWN_DIGITS = 12
_UNITS_S = (("d", 86_400), ("h", 3_600), ("min", 60))


class CassetteRow(msgspec.Struct, frozen=True, kw_only=True):
    """A cassette at a glance; see Manifest."""

    entries: int
    body_bytes: int
    recorded_at: str
    age_s: int
    digest: str
    tours: tuple[str, ...]
    certificate: str


class VersionRow(msgspec.Struct, frozen=True, kw_only=True):
    """A version of an app and what was recorded of it; None if nothing was."""

    version: str
    cassette: CassetteRow | None


class AppRow(msgspec.Struct, frozen=True, kw_only=True):
    """An app at a glance."""

    app: str
    virtual_host: str
    tours: tuple[str, ...]
    versions: tuple[VersionRow, ...]


class EntryRow(msgspec.Struct, frozen=True, kw_only=True):
    """An exchange at a glance; ``status`` is 0 for a failure, ``key`` its canonical key."""

    number: int
    key: str
    method: str
    url: str
    status: int
    media_type: str
    size: int


def command(
    context: typer.Context,
    app: Annotated[
        str, typer.Option("--app", metavar="APP/VERSION", help="List only this app version.")
    ] = "",
    *,
    entries: Annotated[
        bool, typer.Option("--entries", help="List every exchange of its cassette.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """List the apps of the workspace, their versions and tours, and what was recorded.

    \b
    Example:
      envsvc ls
      envsvc ls --app shop/v1 --entries
      envsvc ls --json
    """  # noqa: D301  (Typer's mark for text that is not to be wrapped)
    if entries:
        if not app:
            raise typer.BadParameter("--entries needs --app")
        _list_entries(workspace_of(context), app, as_json=as_json)
    else:
        _list_apps(workspace_of(context), app, as_json=as_json)


def _list_entries(start: Path, app: str, *, as_json: bool) -> None:
    from envsvc.adapters.cassette_source import find_cassette

    part = find_cassette(start, app).read()
    rows = [_entry_row(number, exchange) for number, exchange in enumerate(part.exchanges)]
    if as_json:
        output.json_line({"app": app, "digest": part.manifest.digest, "entries": rows})
        return
    columns = ["number", "key", "request", "status", "type", "bytes"]
    cells = [
        [
            str(row.number),
            row.key[:_SHOWN_DIGITS],
            f"{row.method} {row.url}",
            str(row.status or "failure"),
            row.media_type,
            str(row.size),
        ]
        for row in rows
    ]
    output.table(f"{app} {part.manifest.digest[:_SHOWN_DIGITS]}", columns, cells)


def _entry_row(number: int, exchange: Exchange) -> EntryRow:
    answer = exchange.answer
    answered = answer if isinstance(answer, Response) else Response(status=0)
    return EntryRow(
        number=number,
        key=canonical_key(exchange.request).hex(),
        method=exchange.request.method,
        url=exchange.request.url,
        status=answered.status,
        media_type=media_type(answered.headers),
        size=len(answered.body),
    )


def _list_apps(start: Path, only: str, *, as_json: bool) -> None:
    from envsvc.adapters.cassette_files import CassetteFiles
    from envsvc.adapters.system_clock import SystemClock
    from envsvc.adapters.workspace import Workspace

    workspace = Workspace.find(start)
    chosen = workspace.resolve(only) if only else None
    store, now_us = CassetteFiles(workspace.har), SystemClock().now_us()
    names = workspace.app_names() if chosen is None else [chosen.spec.app]
    apps = [
        _app_row(workspace.app(name).spec, store, now_us, chosen.version if chosen else "")
        for name in names
    ]
    if as_json:
        output.json_line({"workspace": str(workspace.root), "apps": apps})
        return
    columns = ["app", "tours", "entries", "recorded", "digest", "certificate"]
    output.table(str(workspace.root), columns, [row for app in apps for row in _cells(app)])


def _app_row(spec: AppSpec, store: CassetteStore, now_us: int, only: str) -> AppRow:
    versions = (
        VersionRow(version=version, cassette=_cassette_row(spec.app, version, store, now_us))
        for version in spec.versions
        if only in {"", version}
    )
    return AppRow(
        app=spec.app,
        virtual_host=spec.virtual_host,
        tours=tuple(spec.tours),
        versions=tuple(versions),
    )


def _cassette_row(app: str, version: str, store: CassetteStore, now_us: int) -> CassetteRow | None:
    from envsvc.adapters.cassette_files import CassetteNotFoundError

    try:
        manifest = store.manifest(app, version)
    except CassetteNotFoundError:
        return None
    return CassetteRow(
        entries=manifest.entries,
        body_bytes=manifest.body_bytes,
        recorded_at=manifest.recorded_at,
        age_s=(now_us - microseconds(manifest.recorded_at)) // 1_000_000,
        digest=manifest.digest,
        tours=tuple(tour.name for tour in manifest.tours),
        certificate=_certificate(manifest),
    )


def _certificate(manifest: Manifest) -> str:
    if manifest.certificate is None:
        return "none"
    return "clean" if manifest.certificate.is_clean else "failed"


def _cells(app: AppRow) -> list[list[str]]:
    tours = ", ".join(app.tours)
    return [
        [f"{app.app}/{row.version}", tours, *_recorded_cells(row.cassette)] for row in app.versions
    ]


def _recorded_cells(cassette: CassetteRow | None) -> list[str]:
    if cassette is None:
        return ["-", "not recorded", "-", "-"]
    return [
        str(cassette.entries),
        f"{age(cassette.age_s)} ago",
        cassette.digest[:_SHOWN_DIGITS],
        cassette.certificate,
    ]


def age(seconds: int) -> str:
    """Return a span of time in its largest whole unit, such as ``3 d``."""
    for unit, length_s in _UNITS_S:
        if seconds >= length_s:
            return f"{seconds // length_s} {unit}"
    return f"{max(seconds, 0)} s"
