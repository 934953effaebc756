"""Disks that are full, folders that cannot be written."""

import resource
import subprocess
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

type FullAfter = Callable[[int], AbstractContextManager[None]]


@pytest.fixture
def full_after() -> FullAfter:
    """Give a context in which no file grows beyond some bytes; what is less is still written."""

    @contextmanager
    def limited(size: int) -> Iterator[None]:
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))

    return limited


@pytest.fixture
def tiny_disk(tmp_path: Path) -> Iterator[Path]:
    """Give a disk of 64 kB; mounting it needs root, as the sealed network does."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(folder)]
    subprocess.run(mount, check=True)
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


@pytest.fixture
def unwritable(tmp_path: Path) -> Path:
    """Give a place below a file: no one can make a folder there, not even root."""
    (tmp_path / "file").write_text("")
    return tmp_path / "file" / "folder"
