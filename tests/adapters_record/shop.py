"""A workspace of its own with the demo shop, and the command that records it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TIMEOUT_S = 150


def shop_workspace(folder: Path) -> Path:
    """Return a fresh workspace in *folder* with the demo shop, free to be edited."""
    for name in ("images", "answer_tables"):
        shutil.copytree(ROOT / name, folder / name)
    return folder


def edit_app(workspace: Path, old: str, new: str) -> None:
    """Replace text in the shop's app.yaml."""
    path = workspace / "images/shop/app.yaml"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def write_tour(workspace: Path, text: str, name: str = "default-views.yaml") -> None:
    """Put *text* in place of a tour of the shop."""
    (workspace / "images/shop/tours" / name).write_text(text)


def environment(workspace: Path, **more: str) -> dict[str, str]:
    """Return the environment of a command that keeps its own things in *workspace*."""
    return {**os.environ, "ENVSVC_HOME": str(workspace / "home"), "COLUMNS": "200", **more}


def record_command(workspace: Path, *options: str) -> list[str]:
    """Return the command that records the shop."""
    command = [sys.executable, "-m", "envsvc.cli.main", "-C", str(workspace), "record"]
    return [*command, "--app", "v1", *options]


def record(workspace: Path, *options: str, **more: str) -> subprocess.CompletedProcess[str]:
    """Record the shop's v1 with *options*; *more* is added to the environment."""
    return subprocess.run(
        record_command(workspace, *options),
        env=environment(workspace, **more),
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )
