"""Find a cassette by what people call it: an app version, or the path of its folder."""

from collections.abc import Iterator
from pathlib import Path

import msgspec

from envsvc.adapters.cassette_files import CassetteFiles
from envsvc.adapters.cassette_reading import MANIFEST_FILE
from envsvc.adapters.workspace import Workspace, secrets
from envsvc.app.edit_cassette import Edited
from envsvc.app.merge_cassettes import Part
from envsvc.cassette.manifest import Manifest
from envsvc.exchange.message import Exchange
from envsvc.exchange.redact import Redactor


class CassetteSource(msgspec.Struct, frozen=True, kw_only=True):
    """Where a cassette lies, and the secrets by which its requests are read."""

    store: CassetteFiles
    app: str
    version: str
    secrets: dict[str, str] = {}

    @property
    def folder(self) -> Path:
        """Return the folder of the cassette."""
        return self.store.folder(self.app, self.version)

    def manifest(self) -> Manifest:
        """Return the manifest alone, unverified. Raises: CassetteNotFoundError."""
        return self.store.manifest(self.app, self.version)

    def read(self) -> Part:
        """Return manifest and exchanges, every byte verified.

        Raises: CassetteNotFoundError, BadTrafficError, TamperedCassetteError.
        """
        manifest = self.store.load(self.app, self.version, Redactor(self.secrets)).manifest
        entries = self.store.entries(self.app, self.version)
        return Part(manifest, [exchange for _, exchange in entries])

    def exchanges(self) -> Iterator[Exchange]:
        """Yield the exchanges, one at a time in memory, once every byte is verified.

        Raises: as read.
        """
        self.store.load(self.app, self.version, Redactor(self.secrets))
        for _, exchange in self.store.entries(self.app, self.version):
            yield exchange

    def write(self, edited: Edited) -> Manifest:
        """Put *edited* in the place of the cassette. Raises: CassetteWriteError."""
        here = msgspec.structs.replace(edited.manifest, app=self.app, version=self.version)
        return self.store.write(here, edited.exchanges)


def find_cassette(start: Path, name: str) -> CassetteSource:
    """Return the cassette at path *name*, or of app version *name* in the workspace at *start*.

    A path ends in app and version. Raises: what Workspace raises.
    """
    folder = Path(name).absolute()
    if (folder / MANIFEST_FILE).is_file():
        return CassetteSource(
            store=CassetteFiles(folder.parent.parent), app=folder.parent.name, version=folder.name
        )
    workspace = Workspace.find(start)
    chosen = workspace.resolve(name)
    return CassetteSource(
        store=CassetteFiles(workspace.har),
        app=chosen.spec.app,
        version=chosen.version,
        secrets=secrets(chosen.spec),
    )
