"""Read a cassette folder and believe none of it: every file against its digest (D2)."""

import hashlib
import os
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import batched
from pathlib import Path

from envsvc.cassette.bodies import BODIES_FOLDER, digest_in, is_body_path
from envsvc.cassette.har import BadTrafficError, HarEntry, read_line, traffic_end
from envsvc.cassette.manifest import FileDigest, Manifest, cassette_digest
from envsvc.errors import EnvsvcError

MANIFEST_FILE = "cassette.yaml"
TRAFFIC_FILE = "traffic.har"

RESTORE = "Restore the cassette from version control, or record it again"
_PIECE_BYTES = 1 << 20
_WORKERS = 2  # the cores that the budget counts on (D20); hashing leaves the interpreter's lock
_FILES_PER_TASK = 64  # enough to be worth the making of a buffer


class TamperedCassetteError(EnvsvcError):
    """A file of a cassette is not what was sealed: changed, missing, added, or a link."""

    code = "E203"

    def __init__(self, what: str, where: str) -> None:
        """Say *what* is wrong with the file at *where*."""
        super().__init__(what, where=where, fix=RESTORE)


class CassetteReader:
    """Reads the cassette in one folder."""

    def __init__(self, folder: Path) -> None:
        """Look at *folder*; nothing is read yet."""
        self._folder = str(folder)
        self._traffic_hash = hashlib.sha256()
        self.traffic_place = self._at(TRAFFIC_FILE)

    def read_body(self, path: str) -> bytes:
        """Return the bytes at a body path, verified. Raises: TamperedCassetteError."""
        if not is_body_path(path):
            raise TamperedCassetteError(f"{path!r} names no body file", self.traffic_place)
        place = self._at(path)
        try:
            with open(place, "rb", opener=_open_no_link) as file:
                body = file.read()
        except OSError as error:
            raise _unreadable(place, error) from error
        _compare(place, digest_in(path), hashlib.sha256(body).hexdigest())
        return body

    def entries(self) -> Iterator[HarEntry]:
        """Yield the entries of the traffic file, one line in memory at a time.

        Raises: BadTrafficError, TamperedCassetteError.
        """
        self._traffic_hash = hashlib.sha256()
        try:
            yield from self._entries()
        except BadTrafficError as error:
            error.where = self.traffic_place
            raise

    def bodies(self) -> set[str]:
        """Return the paths of all body files, each verified against the digest in its name.

        Raises: TamperedCassetteError, also for a link and for a file that does not belong here.
        """
        self._refuse_strangers()
        names = _listed(self._at(BODIES_FOLDER)) if BODIES_FOLDER in _listed(self._folder) else []
        paths = [f"{BODIES_FOLDER}/{name}" for name in names]
        with ThreadPoolExecutor(_WORKERS) as pool:
            list(pool.map(self._verify, batched(paths, _FILES_PER_TASK)))
        return set(paths)

    def check(self, manifest: Manifest, bodies: set[str], used: set[str]) -> None:
        """Check that *bodies* are exactly those *used*, and that all adds up to the digest.

        ``entries`` must have been read to the end. Raises: TamperedCassetteError.
        """
        for path in sorted(used - bodies):
            raise TamperedCassetteError("this file of the cassette is missing", self._at(path))
        for path in sorted(bodies - used):
            raise TamperedCassetteError("this file is not part of the cassette", self._at(path))
        files = [FileDigest(path, digest_in(path)) for path in bodies]
        files.append(FileDigest(TRAFFIC_FILE, self._traffic_hash.hexdigest()))
        place = f"{self._at(MANIFEST_FILE)} or {TRAFFIC_FILE} beside it"
        _compare(place, manifest.digest, cassette_digest(manifest, files))

    def _at(self, path: str) -> str:
        return f"{self._folder}/{path}"

    def _entries(self) -> Iterator[HarEntry]:
        line = b""
        for number, line in enumerate(self._traffic_lines(), 1):
            entry = read_line(line, number)
            if entry is not None:
                yield entry
        if line != traffic_end():
            raise BadTrafficError("the traffic was cut off", fix=RESTORE)

    def _traffic_lines(self) -> Iterator[bytes]:
        try:
            with open(self.traffic_place, "rb", opener=_open_no_link) as file:
                for line in file:
                    self._traffic_hash.update(line)
                    yield line
        except OSError as error:
            raise _unreadable(self.traffic_place, error) from error

    def _refuse_strangers(self) -> None:
        for name in _listed(self._folder):
            if name not in {MANIFEST_FILE, TRAFFIC_FILE, BODIES_FOLDER}:
                place = self._at(name)
                raise TamperedCassetteError("this file is not part of the cassette", place)

    def _verify(self, paths: Iterable[str]) -> None:
        buffer = bytearray(_PIECE_BYTES)
        for path in paths:
            place = self._at(path)
            if not is_body_path(path):
                raise TamperedCassetteError("this file is not part of the cassette", place)
            _compare(place, digest_in(path), _file_digest(place, buffer))


def _listed(folder: str) -> list[str]:
    """Return the names in *folder*, sorted. Raises: TamperedCassetteError for a link."""
    with os.scandir(folder) as found:
        entries = sorted(found, key=lambda entry: entry.name)
    for entry in entries:
        if entry.is_symlink():
            raise TamperedCassetteError("a cassette holds no links", entry.path)
    return [entry.name for entry in entries]


def _open_no_link(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NOFOLLOW)


def _file_digest(place: str, buffer: bytearray) -> str:
    digest, view = hashlib.sha256(), memoryview(buffer)
    try:
        descriptor = os.open(place, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            while length := os.readv(descriptor, [buffer]):
                digest.update(view[:length])
        finally:
            os.close(descriptor)
    except OSError as error:
        raise _unreadable(place, error) from error
    return digest.hexdigest()


def _compare(place: str, expected: str, found: str) -> None:
    if expected != found:
        raise TamperedCassetteError(
            f"the content was changed: expected sha256 {expected or 'none'}, found {found}", place
        )


def _unreadable(place: str, error: OSError) -> TamperedCassetteError:
    if isinstance(error, FileNotFoundError):
        return TamperedCassetteError("this file of the cassette is missing", place)
    return TamperedCassetteError(f"this file cannot be read: {error.strerror}", place)
