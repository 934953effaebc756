"""Procedures about HAR files: what other programs read, and files larger than the memory."""

import json
import os
import resource
import subprocess
import sys
from collections.abc import Callable
from io import BufferedWriter
from pathlib import Path

import jsonschema
import pytest

from tests.cassette.har_schema import HAR
from tests.cli.conftest import Envsvc, cassette, envsvc

__all__ = ["cassette", "envsvc"]  # fixtures

pytestmark = [pytest.mark.cases, pytest.mark.process, pytest.mark.usefixtures("cassette")]

_MEMORY_BYTES = 512 * 1024 * 1024
_ENTRIES = 6_000
_BODY_BYTES = 100_000


def test_har_needs_pages(envsvc: Envsvc, tmp_path: Path) -> None:
    """D2: pages is a list, creator has its version, each entry has all that HAR 1.2 asks for."""
    assert envsvc("export", "--app", "shop/v1", "--har", "out.har").code == 0
    exported = json.loads((tmp_path / "out.har").read_text(encoding="utf-8"))

    jsonschema.validate(exported, HAR)
    assert exported["log"]["pages"] == []
    assert len(exported["log"]["entries"]) == 4


def imported(path: Path) -> subprocess.CompletedProcess[str]:
    """Import the HAR at *path* with little memory and return how that ended."""
    words = ["-C", str(path.parent), "import", str(path), "--app", "shop/v1", "--json"]
    return subprocess.run(
        [sys.executable, "-m", "envsvc.cli.main", *words],
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_BYTES, _MEMORY_BYTES)),
    )


def written(path: Path, entries: Callable[[BufferedWriter], object]) -> Path:
    """Write a HAR to *path*, piece by piece."""
    with path.open("wb") as file:
        file.write(b'{"log":{"version":"1.2","entries":[')
        entries(file)
        file.write(b"]}}")
    return path


def test_har_huge_memory(tmp_path: Path) -> None:
    """D2: 600 MB come in with 512 MiB, since one entry at a time is held."""
    head = '{"startedDateTime":"2024-01-01T00:00:00Z","time":1,"request":{"method":"GET","url":'
    middle = (
        ',"headers":[]},"response":{"status":200,"headers":[],"content":{"size":100000,"text":"'
    )

    def entries(file: BufferedWriter) -> None:
        for number in range(_ENTRIES):
            text = os.urandom(8).hex().encode() * (_BODY_BYTES // 16)
            url = f'"http://shop.test/{number}"'
            file.write((b"," if number else b"") + (head + url + middle).encode() + text + b'"}}}')

    ran = imported(written(tmp_path / "huge.har", entries))

    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout)["kept"] == _ENTRIES


@pytest.mark.parametrize(
    ("entries", "said"),
    [
        (lambda file: file.write(b"{}" + b",{}" * 4_999_999), "more than 1000000 entries"),
        (lambda file: file.write(b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}"), "too deeply"),
    ],
    ids=["five million entries", "nested a hundred thousand times"],
)
def test_a_har_that_is_out_of_bounds_is_a_clear_error(
    entries: Callable[[BufferedWriter], object], said: str, tmp_path: Path
) -> None:
    """D2, D18: within the same memory."""
    ran = imported(written(tmp_path / "odd.har", entries))

    assert ran.returncode == 2
    assert said in ran.stderr
