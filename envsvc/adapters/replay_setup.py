"""Load what a replay needs from a workspace: the cassette and the secrets known here."""

from pathlib import Path

import msgspec

from envsvc.adapters.cassette_files import CassetteFiles
from envsvc.adapters.workspace import AppVersion, Workspace, redactor_of
from envsvc.errors import EnvsvcError
from envsvc.exchange.redact import Redactor
from envsvc.ports import Cassette


class LoadedApp(msgspec.Struct, frozen=True, kw_only=True):
    """An app version with its verified cassette, and the redactor its requests pass through."""

    app_version: AppVersion
    cassette: Cassette
    redactor: Redactor


class EmptyCassetteError(EnvsvcError):
    """A cassette holds nothing, so every request would miss."""

    code = "E216"


def load_app(start: Path, name: str, *, allow_empty: bool = False) -> LoadedApp:
    """Load the cassette of app version *name* from the workspace around *start*.

    Raises: EmptyCassetteError unless *allow_empty*, and what Workspace and CassetteFiles raise.
    """
    workspace = Workspace.find(start)
    app_version = workspace.resolve(name)
    redactor = redactor_of(app_version.spec)
    store = CassetteFiles(workspace.har)
    cassette = store.load(app_version.spec.app, app_version.version, redactor)
    if not cassette.index.entries and not allow_empty:
        raise EmptyCassetteError(
            f"the cassette of {name} is empty: every request would miss",
            where=str(store.folder(app_version.spec.app, app_version.version)),
            fix="Record it again, or say --allow-empty if nothing is meant to be answered",
        )
    return LoadedApp(app_version=app_version, cassette=cassette, redactor=redactor)
