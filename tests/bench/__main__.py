"""Measure envsvc against its budgets (D20) and print how it stands: ``python -m tests.bench``.

Nothing here passes or fails. Figures of one run on one machine are for comparing with each other.
"""

import argparse
import os
import platform
import re
import time
from collections.abc import Callable
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from subprocess import PIPE, STDOUT, run

import msgspec
from rich.console import Console
from rich.table import Table
from rich.text import Text

from tests.bench.figures import Run, Section, Verdict, number
from tests.bench.hits import measure_hits
from tests.bench.loading import measure_loading
from tests.bench.pages import measure_pages
from tests.bench.recording import measure_recording
from tests.bench.redaction import measure_redaction
from tests.bench.servers import Place

_FOLDER = Path(".cache/bench")
_SUBJECTS: dict[str, Callable[[Place], list[Section]]] = {
    "hits": measure_hits,
    "loading": measure_loading,
    "pages": measure_pages,
    "recording": measure_recording,
    "redaction": lambda _: measure_redaction(),
}
_PACKAGES = ("envsvc", "mitmproxy", "uvloop", "httptools", "playwright", "msgspec")
_PROGRAMS = {"nginx": ("nginx", "-v"), "wrk": ("wrk", "-v"), "chromium": ("chromium", "--version")}
_VERSION = re.compile(r"\d+(?:\.\d+)+")
_BUSY = 0.5  # processes that want to run, on average over the minute before
_STYLES = {Verdict.WITHIN: "green", Verdict.OVER: "bold red", Verdict.NO_BUDGET: ""}


def main() -> None:
    """Measure the subjects that are named, or all; print tables and write bench.json."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument(
        "subjects", nargs="*", metavar="SUBJECT", help=f"of: {', '.join(_SUBJECTS)}"
    )
    names = parser.parse_args().subjects or list(_SUBJECTS)
    if unknown := set(names) - set(_SUBJECTS):
        parser.error(f"unknown: {', '.join(sorted(unknown))}")
    console, place = Console(), Place(_FOLDER)
    started_at, start = datetime.now(UTC).isoformat(timespec="seconds"), time.perf_counter()
    machine, versions, load_before = _machine(), _versions(), os.getloadavg()[0]
    sections = []
    for name in names:
        with console.status(f"measuring {name}"):
            measured = _SUBJECTS[name](place)
        for section in measured:
            _print(section, console)
        sections += measured
    result = Run(
        started_at=started_at,
        machine=machine,
        versions=versions,
        load_before=load_before,
        sections=tuple(sections),
        took_s=time.perf_counter() - start,
    )
    file = _FOLDER / "bench.json"
    file.write_bytes(msgspec.json.format(msgspec.json.encode(result), indent=2))
    _print_facts(result, file, console)


def _print(section: Section, console: Console) -> None:
    measured = Table()
    measured.add_column("measured")
    for column in section.columns:
        measured.add_column(column, justify="right")
    for row in section.measured:
        cells = (number(row.figures[column]) for column in section.columns)
        measured.add_row(row.candidate, *cells)
    claims = Table()
    for name in ("ratio", "value", "budget", ""):
        claims.add_column(name)
    for claim in section.claims:
        value = f"{number(claim.value)} {claim.unit}"
        claims.add_row(
            claim.what, value, claim.budget, claim.verdict.value, style=_STYLES[claim.verdict]
        )
    console.print("", Text(section.title, style="bold"), measured, claims, sep="\n")


def _print_facts(result: Run, file: Path, console: Console) -> None:
    for facts in (result.machine, result.versions):
        console.print(", ".join(f"{name} {value}" for name, value in facts.items()))
    console.print(f"{result.took_s:.0f} s; every figure is in {file}")
    if result.load_before > _BUSY:
        console.print(
            f"The machine was busy before the run began (load {result.load_before:.2f}): "
            "times and requests/s say little, processor time says more.",
            style="yellow",
        )


def _machine() -> dict[str, str]:
    info = Path("/proc/cpuinfo").read_text().splitlines()
    models = [line.partition(":")[2].strip() for line in info if line.startswith("model name")]
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9
    return {
        "processor": models[0] if models else platform.machine(),
        "cores": str(os.cpu_count()),
        "memory": f"{memory:.1f} GB",
        "kernel": platform.release(),
    }


def _versions() -> dict[str, str]:
    packages = {name: version(name) for name in _PACKAGES}
    programs = {name: _version_of(command) for name, command in _PROGRAMS.items()}
    return {"python": platform.python_version(), **packages, **programs}


def _version_of(command: tuple[str, ...]) -> str:
    done = run(command, stdout=PIPE, stderr=STDOUT, text=True, check=False)
    found = _VERSION.search(done.stdout)
    return found[0] if found else "unknown"


if __name__ == "__main__":
    main()
