"""Find out what a file is by its first bytes, and read what it recorded, as often as needed."""

import gzip
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from envsvc.adapters.importing.har_stream import har_entries
from envsvc.adapters.importing.warc import warc_exchanges
from envsvc.cassette.foreign_har import Attached, Left, Taken, read_entry
from envsvc.errors import EnvsvcError

# One body: more than any recording keeps (adapters.mitm.tee), so that a zip bomb stays small.
_MAX_BODY_BYTES = 256 * 1024 * 1024
_HEAD_BYTES = 4096
_DAMAGES = (zipfile.BadZipFile, gzip.BadGzipFile, zlib.error, EOFError)


class UnknownFormatError(EnvsvcError):
    """A file is none of those that can be imported."""

    code = "E211"


class Source:
    """A file that was recorded by another program; each call of ``entries`` reads it anew."""

    def __init__(self, path: Path, *, salvage: bool) -> None:
        """Look at *path*; with *salvage* a HAR that was cut off gives its whole entries.

        Raises: UnknownFormatError, OSError.
        """
        self._path = path
        self._salvage = salvage
        self.format, self._read = self._recognised()

    def entries(self) -> Iterator[Taken | Left]:
        """Yield everything that was recorded, in order, and what cannot be kept.

        Raises: BadHarError, UnknownFormatError.
        """
        return self._read()

    def _recognised(self) -> tuple[str, Callable[[], Iterator[Taken | Left]]]:
        if zipfile.is_zipfile(self._path):
            return self._archive()
        with self._path.open("rb") as file:
            head = file.read(_HEAD_BYTES)
        plain = _gunzipped(self._path) if head.startswith(b"\x1f\x8b") else head
        if plain.startswith(b"WARC/"):
            return "WARC", self._warc
        if head[:10].partition(b":")[0].isdigit():
            return "mitmproxy flows", self._flows
        if b"{" in head.replace(b"\0", b"")[:16]:
            return "HAR", self._har
        raise self._unknown()

    def _archive(self) -> tuple[str, Callable[[], Iterator[Taken | Left]]]:
        with zipfile.ZipFile(self._path) as archive:
            names = archive.namelist()
        hars = [name for name in names if name.endswith(".har")]
        if len(hars) == 1:
            return "Playwright archive", lambda: self._zipped_har(hars[0])
        warcs = [name for name in names if name.endswith((".warc", ".warc.gz"))]
        if warcs:
            return "WACZ", lambda: self._wacz(warcs)
        raise self._unknown()

    def _har(self) -> Iterator[Taken | Left]:
        with self._path.open("rb") as file:
            yield from self._read_har(file, _beside(self._path.parent))

    def _zipped_har(self, name: str) -> Iterator[Taken | Left]:
        with zipfile.ZipFile(self._path) as archive, archive.open(name) as file:
            folder = PurePosixPath(name).parent
            yield from self._read_har(_binary(file), _within(archive, folder))

    def _read_har(self, file: BinaryIO, attached: Attached) -> Iterator[Taken | Left]:
        entries = har_entries(file, str(self._path), salvage=self._salvage)
        for number, entry in enumerate(entries):
            yield read_entry(entry, attached, number)

    def _flows(self) -> Iterator[Taken | Left]:
        # mitmproxy takes more memory than the largest HAR needs.
        from envsvc.adapters.mitm.flow_file import flow_exchanges  # noqa: PLC0415

        with self._path.open("rb") as file:
            yield from flow_exchanges(file, str(self._path))

    def _warc(self) -> Iterator[Taken | Left]:
        with self._path.open("rb") as file:
            yield from warc_exchanges(file, str(self._path))

    def _wacz(self, names: list[str]) -> Iterator[Taken | Left]:
        for name in names:
            with zipfile.ZipFile(self._path) as archive, archive.open(name) as file:
                yield from warc_exchanges(_binary(file), f"{self._path}!{name}")

    def _unknown(self) -> UnknownFormatError:
        return UnknownFormatError(
            "this file is none that can be imported",
            where=str(self._path),
            fix="Give a HAR, a Playwright .zip, mitmproxy flows, a WARC or a WACZ",
        )


def _gunzipped(path: Path) -> bytes:
    with gzip.open(path) as file:
        return file.read(_HEAD_BYTES)


def _binary(file: object) -> BinaryIO:
    """Return the member of an archive as what it is; its type is a narrower one."""
    return file  # type: ignore[return-value]


def _beside(folder: Path) -> Attached:
    """Return a reader of the files beside a HAR; names that lead out of the folder have none."""
    root = folder.resolve()

    def read(name: str) -> bytes | None:
        path = (root / name).resolve()
        if not path.is_relative_to(root) or not path.is_file():
            return None
        return path.read_bytes() if path.stat().st_size <= _MAX_BODY_BYTES else None

    return read


def _within(archive: zipfile.ZipFile, folder: PurePosixPath) -> Attached:
    """Return a reader of the members beside the HAR of an archive."""
    known = {info.filename: info for info in archive.infolist()}

    def read(name: str) -> bytes | None:
        info = known.get(str(folder / name))
        if info is None or info.file_size > _MAX_BODY_BYTES:
            return None
        with archive.open(info) as member:
            content = member.read(_MAX_BODY_BYTES + 1)
        return content if len(content) <= _MAX_BODY_BYTES else None

    return read


@contextmanager
def readable(path: Path) -> Iterator[None]:
    """Turn what archives complain of into an error that names *path*."""
    try:
        yield
    # zipfile raises the last two for members that are encrypted, or packed by a rare method.
    except (*_DAMAGES, RuntimeError, NotImplementedError) as error:
        raise UnknownFormatError(
            f"this archive is damaged or locked: {error}", where=str(path), fix="Export it again"
        ) from error
