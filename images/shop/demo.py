#!/usr/bin/env python3
"""Record two releases of the shop, switch them off, and let an agent look for bugs in one.

make demo
"""

import argparse
import json
import os
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from envsvc.adapters.html_report.loading import Sources, load_run
from envsvc.adapters.html_report.page import report_page
from envsvc.adapters.html_report.runs import Run
from envsvc.adapters.html_report.score_sheet import score_sheet, summary

REPOSITORY = Path(__file__).resolve().parents[2]
FOLDER = REPOSITORY / ".cache" / "demo"
RELEASES = ("v1", "v2")
PRODUCTS = 12
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
SEALED_NOT_POSSIBLE = 3  # exit code of `envsvc exec --sealed` where no namespace can be made
POLL_S = 0.1  # an app lives for seconds

console = Console(highlight=False, soft_wrap=True)


class StepFailedError(Exception):
    """A command of the demo failed; the text is what it printed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Episode:
    """One run of the agent: what it looks at, and what a miss does."""

    name: str
    views: str
    policy: str


BASELINE = Episode(name="baseline", views="default", policy="strict")
EXPLORER = Episode(name="explorer", views="default,sorted", policy="error")


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """Something that must hold for the demo to have worked."""

    sentence: str
    holds: bool


class Demo:
    """The demo in one scratch workspace."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._environment = {**os.environ, "PYTHONWARNINGS": "default"}

    def prepare(self) -> None:
        """Lay out a workspace with nothing recorded."""
        shutil.rmtree(self._folder, ignore_errors=True)
        for name in ("images", "answer_tables"):
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(REPOSITORY / name, self._folder / name, ignore=ignored)

    def record(self, release: str) -> dict[str, Any]:
        """Record a release and return its manifest."""
        command = ["record", "--app", f"shop/{release}", "--tour", "default-views", "--json"]
        manifest: dict[str, Any] = json.loads(self._envsvc(*command).splitlines()[-1])
        return manifest

    def verify(self, release: str) -> dict[str, Any]:
        """Check every byte of a cassette."""
        verified: dict[str, Any] = json.loads(
            self._envsvc("verify", "--app", f"shop/{release}", "--json")
        )
        return verified

    def can_seal(self) -> bool:
        """Say whether an agent can be given a network of its own on this machine."""
        command = self._command("exec", "--app", "shop/v1", "--sealed", "--")
        probe = subprocess.run(  # noqa: S603  (our own command)
            [*command, sys.executable, "-c", ""],
            capture_output=True,
            text=True,
            env=self._environment,
            check=False,
        )
        if probe.returncode not in {0, SEALED_NOT_POSSIBLE}:
            raise StepFailedError(probe.stderr)
        return probe.returncode == 0

    def run(self, episode: Episode, browser: str, *, sealed: bool) -> Run:
        """Run the agent against the cassette of v1, and score what it found."""
        folder = self._folder / "runs" / episode.name
        session, findings = folder / "session.json", folder / "findings.json"
        pictures = folder / "screenshots"
        pictures.mkdir(parents=True)
        agent = [sys.executable, str(self._folder / "images" / "shop" / "agent.py")]
        agent += ["--views", episode.views, "--out", str(findings)]
        agent += ["--screenshots", str(pictures), "--browser", browser]
        options = ["--session", episode.name, "--policy", episode.policy, "--report", str(session)]
        options += ["--sealed"] if sealed else []
        self._envsvc("exec", "--app", "shop/v1", *options, "--", *agent)
        network = "in a network of its own" if sealed else "in the machine's network"
        note = f"Looks at views {episode.views}; policy {episode.policy}; {network}."
        sources = Sources(session=session, findings=findings, screenshots=pictures, note=note)
        return load_run(self._folder, sources)

    def write_report(self, runs: Sequence[Run]) -> Path:
        """Write the page and return where it lies."""
        page = self._folder / "report.html"
        title = "Demo shop v1: an agent against a frozen release"
        page.write_text(
            report_page(runs, title=title, now_us=time.time_ns() // 1000), encoding="utf-8"
        )
        return page

    def _envsvc(self, *words: str) -> str:
        done = subprocess.run(  # noqa: S603  (our own command)
            self._command(*words),
            capture_output=True,
            text=True,
            env=self._environment,
            check=False,
        )
        if done.returncode:
            shown = f"envsvc {' '.join(words)}\n{done.stdout}{done.stderr}"
            raise StepFailedError(f"exit code {done.returncode}: {shown}")
        return done.stdout

    def _command(self, *words: str) -> list[str]:
        return [sys.executable, "-m", "envsvc.cli.main", "-C", str(self._folder), *words]


class AppWatch:
    """Notes on which ports the shop's servers in one workspace listened (needs /proc)."""

    def __init__(self, folder: Path) -> None:
        self._server = str(folder / "images" / "shop" / "server" / "__main__.py")
        self.ports: set[int] = set()

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Look at the running processes until left."""
        stop = threading.Event()
        thread = threading.Thread(target=self._look, args=[stop])
        thread.start()
        try:
            yield
        finally:
            stop.set()
            thread.join()

    def open_ports(self) -> set[int]:
        """Return those ports that something still listens on."""
        return {port for port in self.ports if is_open(port)}

    def _look(self, stop: threading.Event) -> None:
        while not stop.wait(POLL_S):
            for words in command_lines():
                if self._server in words and "--port" in words:
                    self.ports.add(int(words[words.index("--port") + 1]))


def command_lines() -> Iterator[list[str]]:
    """Yield the words of every running command; nothing where there is no /proc."""
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            yield file.read_bytes().decode(errors="replace").split("\0")
        except OSError:
            continue  # It ended while we looked.


def is_open(port: int) -> bool:
    """Say whether something on this machine accepts connections on *port*."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def browser_path() -> str:
    """Return the Chromium that recordings use too: $ENVSVC_CHROMIUM, PATH, or Playwright's."""
    named = os.environ.get("ENVSVC_CHROMIUM")
    found = named or next((path for path in map(shutil.which, BROWSERS) if path), None)
    if found:
        return found
    with sync_playwright() as playwright:
        return playwright.chromium.executable_path


def checks(baseline: Run, explorer: Run) -> list[Check]:
    """Return what must hold of the two runs.

    The frozen pages show the default views only: their bugs can be found, the others cannot.
    """
    rows = baseline.table.rows if baseline.table else ()
    visible = {row.id for row in rows if row.view == "default"}
    return [
        Check(
            sentence=f"baseline found all {len(visible)} bugs that the frozen pages show",
            holds=bool(visible) and found(baseline) == visible,
        ),
        Check(
            sentence="baseline asked for nothing that was not recorded",
            holds=baseline.report.verdict == "replayed" and not baseline.task_misses,
        ),
        Check(
            sentence=f"explorer missed the {PRODUCTS} sorted views, each counted",
            holds=explorer.task_misses == PRODUCTS
            and all(miss.url.endswith("?sort=price") for miss in task_misses(explorer)),
        ),
        Check(
            sentence="a view that was not recorded was not taken for a bug",
            holds=found(explorer) == visible,
        ),
        Check(
            sentence="no false alarm, and no connection to anywhere",
            holds=not any(
                run.score is None or run.score.false_alarms for run in (baseline, explorer)
            )
            and not any(run.report.outbound_connections for run in (baseline, explorer)),
        ),
    ]


def found(run: Run) -> set[str]:
    """Return the ids of the bugs that *run* found."""
    return set(run.score.found) if run.score else set()


def task_misses(run: Run) -> list[Any]:
    """Return the misses of the shop's own pages."""
    return [miss for miss in run.report.misses if miss.miss_class == "task"]


def print_score_sheet(runs: Sequence[Run]) -> None:
    """Print the figures of *runs* side by side."""
    table = Table(title="Score sheet", title_justify="left", title_style="bold")
    table.add_column("")
    for run in runs:
        table.add_column(escape(run.name), overflow="fold")
    for group in score_sheet(runs):
        table.add_section()
        table.add_row(f"[dim]{group.title}[/]")
        for line in group.lines:
            table.add_row(f"  {line.label}", *(escape(cell) for cell in line.cells))
    console.print(table)
    for sentence in summary(runs):
        console.print(sentence)


def print_misses(run: Run) -> None:
    """Print what was not recorded, and the command that records it."""
    missed = task_misses(run)
    console.print(f"\n[bold]Not recorded, asked by {run.name}[/] ({len(missed)})")
    for miss in missed[:3]:
        reason = miss.explanation.reason.value
        console.print(f"  {miss.method} {escape(miss.url)}  [dim]{reason}[/]")
    if missed:
        console.print(f"  ... to record them: {escape(missed[0].record_command)}")


def recordings(demo: Demo, watch: AppWatch) -> list[Check]:
    """Record every release and switch it off again."""
    made = []
    for release in RELEASES:
        with console.status(f"recording shop/{release}"), watch.watching():
            manifest = demo.record(release)
        demo.verify(release)
        certificate = manifest["certificate"]
        counted = f"{manifest['entries']} exchanges, {certificate['requests']} replayed offline"
        console.print(f"recorded shop/{release}: {counted}, digest {manifest['digest'][:12]}")
        clean = not (certificate["task_misses"] or certificate["outbound_connections"])
        made.append(Check(sentence=f"cassette of shop/{release} is certified", holds=clean))
    return [*made, switched_off(watch)]


def switched_off(watch: AppWatch) -> Check:
    """Return whether the ports of the apps are closed again."""
    if not watch.ports:
        console.print("apps are off (no /proc here: their ports could not be seen)")
        return Check(sentence="apps are off", holds=not Path("/proc/self/cmdline").exists())
    ports = ", ".join(str(port) for port in sorted(watch.ports))
    console.print(f"apps are off: nothing listens on their ports any more ({ports})")
    return Check(sentence=f"ports {ports} of the apps are closed", holds=not watch.open_ports())


def episodes(demo: Demo) -> list[Run]:
    """Let the agent look twice: as the recording did, and further."""
    sealed = demo.can_seal()
    if not sealed:
        console.print("a network of its own is not possible here (needs root on Linux)")
    browser = browser_path()
    runs = []
    for episode, inside in ((BASELINE, sealed), (EXPLORER, False)):
        with console.status(f"agent: {episode.name}"):
            run = demo.run(episode, browser, sealed=inside)
        where = " in a network of its own, with no other way out" if inside else ""
        console.print(f"agent {episode.name}: {run.report.requests} requests{where}")
        runs.append(run)
    return runs


def main() -> int:
    """Run everything; 0 if every check holds."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--folder", type=Path, default=FOLDER, help="scratch, deleted first")
    folder = parser.parse_args().folder.resolve()
    demo = Demo(folder)
    demo.prepare()
    try:
        made = recordings(demo, AppWatch(folder))
        baseline, explorer = episodes(demo)
    except StepFailedError as problem:
        console.print(f"[bold red]failed[/] {escape(str(problem))}")
        return 1
    print_score_sheet([baseline, explorer])
    print_misses(explorer)
    console.print()
    done = [*made, *checks(baseline, explorer)]
    for check in done:
        console.print(
            f"{'[green]ok  [/]' if check.holds else '[bold red]NO  [/]'} {check.sentence}"
        )
    console.print(f"\nreport: {demo.write_report([baseline, explorer])}")
    return 0 if all(check.holds for check in done) else 1


if __name__ == "__main__":
    sys.exit(main())
