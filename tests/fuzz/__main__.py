"""Fuzz with coverage as the guide: ``python -m tests.fuzz [TARGET ...] [--seconds N]``.

Each target runs for its share of N seconds (FUZZ_SECONDS, else 600). What is found is written to
.cache/fuzz/TARGET, and the command that repeats it is printed. Exit code 1 if anything was found.
"""

import argparse
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.fuzz.targets import TARGETS

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / ".cache" / "fuzz"
_DEFAULT_SECONDS = 600
_HANG_S = 20  # more than any input of the sizes that are tried may take, on a busy machine
_MAX_BYTES = 8192


def main(words: Sequence[str]) -> int:
    """Fuzz the targets that are named, or all; return 1 for a finding, 3 without atheris."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=f"of {', '.join(TARGETS)}")
    parser.add_argument("--seconds", type=int, help="for all of them together")
    chosen = parser.parse_args(words)
    names = chosen.targets or list(TARGETS)
    if unknown := set(names) - set(TARGETS):
        parser.error(f"unknown: {', '.join(sorted(unknown))}")
    if not _has_atheris():
        sys.stderr.write("atheris is not installed: it needs Python 3.12 or 3.13.\n")
        return 3
    total = chosen.seconds or int(os.environ.get("FUZZ_SECONDS", _DEFAULT_SECONDS))
    failed = [name for name in names if not _passes(name, max(1, total // len(names)))]
    for name in failed:
        sys.stderr.write(f"{name}: found something. To repeat it: ")
        sys.stderr.write(f"python -m tests.fuzz.run {name} {FOLDER / name}/FILE\n")
    return int(bool(failed))


def _has_atheris() -> bool:
    probe = subprocess.run(
        [sys.executable, "-c", "import atheris"], capture_output=True, check=False
    )
    return probe.returncode == 0


def _passes(name: str, seconds: int) -> bool:
    folder = FOLDER / name
    corpus = folder / "corpus"
    corpus.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(TARGETS[name].seeds):
        (corpus / f"seed-{number}").write_bytes(seed)
    options = [
        f"-max_total_time={seconds}",
        f"-timeout={_HANG_S}",
        f"-max_len={_MAX_BYTES}",
        f"-artifact_prefix={folder}/",
        "-rss_limit_mb=2048",
        "-print_final_stats=1",
        "-verbosity=0",
    ]
    sys.stderr.write(f"{name}: {seconds} s\n")
    command = [sys.executable, "-m", "tests.fuzz.run", name, *options, str(corpus)]
    return subprocess.run(command, cwd=ROOT, check=False).returncode == 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
