"""Read the tar streams in which an engine gives files away."""

import hashlib
import tarfile
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import IO

from envsvc.snapshot.expiry import Expiry, certificates_in
from envsvc.snapshot.folder_digest import FolderEntry, folder_digest

_LARGEST_PEM = 1_000_000  # bytes; a file of certificates that is longer is a trust store


@contextmanager
def spooled(chunks: Iterable[bytes]) -> Iterator[IO[bytes]]:
    """Give a file with all of *chunks*, at its beginning; it is gone when left."""
    with tempfile.TemporaryFile() as file:
        for chunk in chunks:
            file.write(chunk)
        file.seek(0)
        yield file


def certificates(file: IO[bytes], folder: str = "") -> Iterator[Expiry]:
    """Yield each certificate in the archive of *folder*, then leave *file* at its beginning."""
    for entry, content in _files(file):
        if entry.size <= _LARGEST_PEM:
            yield from certificates_in(f"{folder}/{entry.name}", content.read())
    file.seek(0)


def digest_of(file: IO[bytes]) -> str:
    """Return the digest of the one folder in the archive, then leave *file* at its beginning."""
    with tarfile.open(fileobj=file) as archive:
        digest = folder_digest(_entry(archive, member) for member in archive)
    file.seek(0)
    return digest


def _files(file: IO[bytes]) -> Iterator[tuple[tarfile.TarInfo, IO[bytes]]]:
    with tarfile.open(fileobj=file) as archive:
        for member in archive:
            content = archive.extractfile(member) if member.isfile() else None
            if content is not None:
                yield member, content


def _entry(archive: tarfile.TarFile, member: tarfile.TarInfo) -> FolderEntry:
    content = archive.extractfile(member) if member.isfile() else None
    return FolderEntry(
        path=member.name.partition("/")[2],
        kind=member.type.decode(),
        mode=member.mode,
        user_id=member.uid,
        group_id=member.gid,
        link=member.linkname,
        content=hashlib.file_digest(content, "sha256").hexdigest() if content else "",  # type: ignore[arg-type]
    )
