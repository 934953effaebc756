"""Run the command as its users do: a process, its output, its exit code."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from envsvc.adapters.cassette_files import CassetteFiles
from envsvc.adapters.starter import NewApp, write_starter
from envsvc.cassette.manifest import Certificate, Manifest
from tests.contracts.samples import EXCHANGES, manifest


class Ran(msgspec.Struct, frozen=True, kw_only=True):
    """How a command ended and what it printed."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, object]:
        """Return the only line of stdout as JSON."""
        (line,) = self.out.splitlines()
        read: dict[str, object] = json.loads(line)
        return read


type Envsvc = Callable[..., Ran]


@pytest.fixture
def envsvc(tmp_path: Path) -> Envsvc:
    """Give a runner of ``envsvc`` in an empty folder."""

    def run(*words: str, **environment: str) -> Ran:
        done = subprocess.run(
            [sys.executable, "-m", "envsvc.cli.main", *words],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), **environment},
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        return Ran(code=done.returncode, out=done.stdout, err=done.stderr)

    return run


@pytest.fixture
def cassette(tmp_path: Path) -> Manifest:
    """Put a workspace with app shop into the folder of the command, v1 of it recorded."""
    write_starter(tmp_path, NewApp(name="shop", url="http://127.0.0.1:1"))
    proof = Certificate(
        replayed_at="2026-01-01T00:00:00Z", requests=4, task_misses=0, outbound_connections=0
    )
    recorded = msgspec.structs.replace(manifest(), certificate=proof)
    return CassetteFiles(tmp_path / "har").write(recorded, EXCHANGES)
