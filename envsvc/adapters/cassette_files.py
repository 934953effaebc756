"""Cassettes as folders: ``<root>/<app>/<version>/`` with manifest, traffic and bodies (D2)."""

import itertools
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from envsvc import __version__
from envsvc.adapters.cassette_reading import MANIFEST_FILE, RESTORE, CassetteReader
from envsvc.adapters.cassette_writing import (
    CassetteWriter,
    partial_folder,
    replace_folder,
    set_aside,
)
from envsvc.adapters.config_file import BadConfigError, read_config
from envsvc.adapters.yaml_text import parse_yaml
from envsvc.cassette.entry import exchange_of, request_of
from envsvc.cassette.har import BadTrafficError, HarEntry
from envsvc.cassette.index import Index
from envsvc.cassette.manifest import FORMAT_VERSION, Manifest
from envsvc.errors import EnvsvcError
from envsvc.exchange.message import Exchange
from envsvc.exchange.redact import Redactor
from envsvc.playback.indexing import empty_index, refuse_conflicts
from envsvc.ports import Cassette


class CassetteNotFoundError(EnvsvcError):
    """Nothing was recorded of this app version."""

    code = "E201"


class NewerCassetteError(EnvsvcError):
    """A cassette was made by an envsvc that knows more than this one."""

    code = "E209"


class CassetteWriteError(EnvsvcError):
    """A cassette could not be written; one that was there before is untouched."""

    code = "E205"


class CassetteFiles:
    """The cassettes under ``root``, which is the ``har`` folder of a workspace.

    A CassetteStore (envsvc.ports). Links are not followed, and no byte is handed out that does
    not have the digest under which it was sealed.
    """

    def __init__(self, root: Path) -> None:
        """Look at *root*, which need not exist yet."""
        self._root = root

    def folder(self, app: str, version: str) -> Path:
        """Return where the cassette of an app version lies, or would lie."""
        return self._root / app / version

    def load(self, app: str, version: str, redactor: Redactor) -> Cassette:
        """Return the cassette, every byte verified; see ports.CassetteStore."""
        manifest = self.manifest(app, version)
        reader = CassetteReader(self.folder(app, version))
        with _readable(reader):
            bodies = reader.bodies()
            index, used = _indexed(reader, manifest, redactor)
        reader.check(manifest, bodies, used)
        refuse_conflicts(index)
        if len(index.entries) != manifest.entries:
            raise BadTrafficError(
                f"{manifest.entries} entries were sealed, {len(index.entries)} are there",
                where=reader.traffic_place,
                fix=RESTORE,
            )
        return Cassette(manifest=manifest, index=index, read_body=reader.read_body)

    def manifest(self, app: str, version: str) -> Manifest:
        """Return the manifest alone, unverified; see ports.CassetteStore."""
        path = self.folder(app, version) / MANIFEST_FILE
        if not path.is_file():
            raise self._not_found(app, version)
        try:
            return self._manifest(path, app, version)
        except BadConfigError as error:
            _refuse_newer(path, error)
            raise

    def _manifest(self, path: Path, app: str, version: str) -> Manifest:
        manifest = read_config(path, Manifest)
        problem = _mislabelled(manifest, app, version)
        if problem:
            raise BadConfigError(problem, where=str(path), fix="Record it again")
        return manifest

    def entries(self, app: str, version: str) -> Iterator[tuple[HarEntry, Exchange]]:
        """Yield every recorded exchange with its bodies, in order; one at a time in memory.

        Raises: CassetteNotFoundError, BadTrafficError, TamperedCassetteError.
        """
        self.manifest(app, version)
        reader = CassetteReader(self.folder(app, version))
        with _readable(reader):
            for entry in reader.entries():
                yield entry, exchange_of(entry, reader.read_body)

    def write(self, manifest: Manifest, exchanges: Iterable[Exchange]) -> Manifest:
        """Write a whole cassette and return its manifest; see ports.CassetteStore.

        The count of entries and of body bytes and the digest are filled in here. *exchanges* may
        come from the cassette that is replaced. Raises: CassetteWriteError.
        """
        final = self.folder(manifest.app, manifest.version)
        try:
            partial = partial_folder(final)
            try:
                writer = CassetteWriter(partial)
                writer.write_traffic(exchanges)
                sealed = writer.seal(manifest)
                replace_folder(final, partial)
            finally:
                shutil.rmtree(partial, ignore_errors=True)
        except OSError as error:
            raise CassetteWriteError(
                f"the cassette cannot be written: {error.strerror}",
                where=str(error.filename or final),
                fix="Make room, or make the folder writable; what was there is untouched",
            ) from error
        return sealed

    def _not_found(self, app: str, version: str) -> CassetteNotFoundError:
        folder = self.folder(app, version)
        earlier = set_aside(folder)
        record = f"Record it: envsvc record --app {app}/{version}"
        found = f"A write was interrupted; rename {earlier} to {folder.name}. Or: "
        return CassetteNotFoundError(
            f"there is no cassette of {app}/{version}",
            where=str(folder),
            fix=f"{found}{record}" if earlier.exists() else record,
        )


def _refuse_newer(path: Path, error: BadConfigError) -> None:
    """Raise NewerCassetteError if a manifest that cannot be read says a newer envsvc wrote it."""
    raw = parse_yaml(path.read_text(encoding="utf-8"), str(path))
    wrote = raw.get("envsvc_version") if isinstance(raw, dict) else None
    if isinstance(wrote, str) and _release(wrote) > _release(__version__):
        raise NewerCassetteError(
            f"this cassette was made by a newer envsvc, {wrote}; this one is {__version__}: "
            f"{error.what}",
            where=error.where,
            fix=f"Install envsvc {wrote} or later",
        ) from error


def _release(version: str) -> tuple[int, ...]:
    """Return the numbers that a version begins with; () if it begins with none."""
    numbers = itertools.takewhile(str.isdecimal, version.split("."))
    return tuple(map(int, numbers))


def _mislabelled(manifest: Manifest, app: str, version: str) -> str:
    """Return why *manifest* cannot be the one of this app version, or ""."""
    if manifest.format != FORMAT_VERSION:
        return f"format {manifest.format} is not known, this envsvc reads format {FORMAT_VERSION}"
    if (manifest.app, manifest.version) != (app, version):
        return f"this is the cassette of {manifest.app}/{manifest.version}, not of {app}/{version}"
    return ""


def _indexed(
    reader: CassetteReader, manifest: Manifest, redactor: Redactor
) -> tuple[Index, set[str]]:
    """Return the index of the traffic and the paths of all bodies that it uses."""
    index, used = empty_index(manifest), set[str]()

    def load(path: str) -> bytes:
        used.add(path)
        return reader.read_body(path)

    for entry in reader.entries():
        index.add(entry, redactor.request(request_of(entry, load)))
        if isinstance(entry.response.content.file, str):
            used.add(entry.response.content.file)
    return index, used


@contextmanager
def _readable(reader: CassetteReader) -> Iterator[None]:
    """Turn what is said of a value that cannot be one, such as a date, into BadTrafficError."""
    try:
        yield
    except ValueError as error:
        raise BadTrafficError(
            f"an entry cannot be read: {error}", where=reader.traffic_place, fix=RESTORE
        ) from error
