"""Write a cassette folder so that a crash leaves a whole cassette or none (D2)."""

import hashlib
import os
import shutil
from collections.abc import Iterable, Iterator
from io import BufferedWriter
from pathlib import Path

import msgspec

from envsvc import __version__
from envsvc.adapters.cassette_reading import MANIFEST_FILE, TRAFFIC_FILE
from envsvc.adapters.yaml_text import write_yaml
from envsvc.cassette.bodies import BODIES_FOLDER, body_path, digest_in
from envsvc.cassette.entry import entry_of
from envsvc.cassette.har import traffic_end, traffic_head, traffic_line
from envsvc.cassette.manifest import FileDigest, Manifest, cassette_digest
from envsvc.exchange.message import Exchange


class CassetteWriter:
    """Writes a cassette into one folder: the traffic first, then the seal. Raises OSError."""

    def __init__(self, folder: Path) -> None:
        """Make *folder*, which must not exist."""
        self._folder = folder
        self._sizes: dict[str, int] = {}
        self._entries = 0
        self._traffic_hash = hashlib.sha256()
        (folder / BODIES_FOLDER).mkdir(parents=True)

    def write_traffic(self, exchanges: Iterable[Exchange]) -> None:
        """Write *exchanges*, one in memory at a time, and each body once."""
        with (self._folder / TRAFFIC_FILE).open("xb") as file:
            for line in self._lines(exchanges):
                self._traffic_hash.update(line)
                file.write(line)
            _sync(file)

    def seal(self, manifest: Manifest) -> Manifest:
        """Write *manifest* with counts and digest filled in, and return it."""
        counted = msgspec.structs.replace(
            manifest, entries=self._entries, body_bytes=sum(self._sizes.values())
        )
        files = [FileDigest(path, digest_in(path)) for path in self._sizes]
        files.append(FileDigest(TRAFFIC_FILE, self._traffic_hash.hexdigest()))
        sealed = msgspec.structs.replace(counted, digest=cassette_digest(counted, files))
        self._write(MANIFEST_FILE, write_yaml(msgspec.to_builtins(sealed)).encode())
        _sync_folder(self._folder / BODIES_FOLDER)
        _sync_folder(self._folder)
        return sealed

    def _lines(self, exchanges: Iterable[Exchange]) -> Iterator[bytes]:
        yield traffic_head(__version__)
        entry = None
        for exchange in exchanges:
            if entry is not None:
                yield traffic_line(entry, is_last=False)
            entry = entry_of(exchange, self._store)
            self._entries += 1
        if entry is not None:
            yield traffic_line(entry, is_last=True)
        yield traffic_end()

    def _store(self, body: bytes, kind: str) -> str:
        path = body_path(body, kind)
        if path not in self._sizes:
            self._write(path, body)
            self._sizes[path] = len(body)
        return path

    def _write(self, path: str, content: bytes) -> None:
        with (self._folder / path).open("xb") as file:
            file.write(content)
            _sync(file)


def replace_folder(final: Path, complete: Path) -> None:
    """Put the folder *complete* in the place of *final*, which may be missing. Raises OSError.

    At every moment one of them lies there whole under a name that ``set_aside`` or *final* gives.
    """
    earlier = set_aside(final)
    if final.exists():
        shutil.rmtree(earlier, ignore_errors=True)
        final.rename(earlier)
    try:
        complete.rename(final)
    except OSError:
        earlier.rename(final)
        raise
    _sync_folder(final.parent)
    shutil.rmtree(earlier, ignore_errors=True)


def set_aside(final: Path) -> Path:
    """Return where the folder that is being replaced at *final* lies for that moment."""
    return final.with_name(f".{final.name}.replaced")


def partial_folder(final: Path) -> Path:
    """Return where this process builds what will be *final*; what killed ones left is removed."""
    for leftover in final.parent.glob(f".{final.name}.partial-*"):
        shutil.rmtree(leftover)
    return final.with_name(f".{final.name}.partial-{os.getpid()}")


def _sync(file: BufferedWriter) -> None:
    file.flush()
    os.fsync(file.fileno())


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
