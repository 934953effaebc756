"""Start an app version as a process of this machine, or check that its live URL answers."""

import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import httpx

from envsvc.adapters import app_guard
from envsvc.adapters.pages import HttpPages
from envsvc.errors import EnvsvcError
from envsvc.ports import Address, RunningApp
from envsvc.record.app_spec import AppSpec, VersionSpec

_SHOWN_LINES = 15
_LOOPBACK = "127.0.0.1"


class AppNotReadyError(EnvsvcError):
    """An app did not give its ready answer in time."""

    code = "E301"
    exit_code = 3


class AppDiedError(EnvsvcError):
    """An app ended by itself, or its setup failed."""

    code = "E302"
    exit_code = 3


class LiveSite:
    """An app version that runs somewhere else."""

    def __init__(self, url: str) -> None:
        """Belong to *url*."""
        parts = httpx.URL(url)
        port = parts.port or {"https": 443}.get(parts.scheme, 80)
        self.address = Address(parts.scheme, parts.host, port)

    def check_alive(self) -> None:
        """Know nothing: what it answers is judged answer by answer."""


class AppProcess:
    """An app that envsvc started; its output goes to a log file."""

    def __init__(self, name: str, command: Sequence[str], folder: Path, log_path: Path) -> None:
        """Start *command* in *folder*, under a guard that ends it when we end."""
        self._name = name
        self._log_path = log_path
        with log_path.open("ab") as log:
            self._guard = subprocess.Popen(  # noqa: S603 - the command of the user's own app.yaml
                [sys.executable, app_guard.__file__, *command],
                cwd=folder,
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self.address = Address("http", _LOOPBACK, 0)

    def check_alive(self) -> None:
        """Raise AppDiedError, with the last lines it wrote, if it has ended."""
        status = self._guard.poll()
        if status is not None:
            raise AppDiedError(
                f"{self._name} ended with status {status}{self.last_lines()}",
                fix="Run its command from app.yaml by hand to see why",
            )

    def finish(self, timeout_s: float) -> None:
        """Wait for it to end by itself with status 0. Raises: AppDiedError."""
        try:
            status = self._guard.wait(timeout_s)
        except subprocess.TimeoutExpired:
            what = f"{self._name} did not end within {timeout_s:g} s"
            raise AppDiedError(what + self.last_lines()) from None
        if status != 0:
            raise AppDiedError(f"{self._name} failed with status {status}{self.last_lines()}")

    def end(self) -> None:
        """End it and all its children, and wait until that is done."""
        if self._guard.stdin is not None:
            self._guard.stdin.close()
        self._guard.wait()

    def last_lines(self) -> str:
        """Return the end of its output for a message, "" if it wrote nothing."""
        lines = self._log_path.read_text(errors="replace").strip().splitlines()
        return "".join(f"\n  | {line}" for line in lines[-_SHOWN_LINES:])


class LocalApps:
    """ports.AppRuntime for commands on this machine."""

    def __init__(self, app_folder: Path, log_path: Path) -> None:
        """Run commands in *app_folder*; *log_path* gets what the last started app writes."""
        self._folder = app_folder.resolve()
        self._log_path = log_path

    @contextmanager
    def start(self, spec: AppSpec, version: str) -> Iterator[RunningApp]:
        """Start a fresh *version* and wait until it is ready; end it on leaving."""
        described = spec.versions[version]
        if described.url:
            site = LiveSite(described.url)
            _wait_until_ready(spec, site, described.url.rstrip("/"))
            yield site
            return
        with self._process(spec, version, described) as process:
            yield process

    @contextmanager
    def _process(self, spec: AppSpec, version: str, described: VersionSpec) -> Iterator[AppProcess]:
        name = f"{spec.app}/{version}"
        port = free_port()
        values = {
            "{port}": str(port),
            "{python}": sys.executable,
            "{app_dir}": str(self._folder),
            "{version}": version,
            "{host}": spec.virtual_host,
        }
        self._log_path.parent.mkdir(parents=True, exist_ok=True)
        self._log_path.write_bytes(b"")
        if described.setup:
            self._set_up(f"the setup of {name}", _filled(described.setup, values))
        command = _filled(described.command, values)
        process = AppProcess(name, command, self._folder, self._log_path)
        process.address = Address("http", _LOOPBACK, port)
        try:
            _wait_until_ready(spec, process, f"http://{_LOOPBACK}:{port}")
            yield process
        finally:
            process.end()

    def _set_up(self, name: str, command: Sequence[str]) -> None:
        process = AppProcess(name, command, self._folder, self._log_path)
        try:
            process.finish(_SETUP_TIMEOUT_S)
        finally:
            process.end()


_SETUP_TIMEOUT_S = 600.0  # loading a large database takes minutes, not hours


def free_port() -> int:
    """Return a loopback port that nothing listens on."""
    with closing(socket.socket()) as probe:
        probe.bind((_LOOPBACK, 0))
        return int(probe.getsockname()[1])


def _filled(command: Sequence[str], values: dict[str, str]) -> list[str]:
    filled = list(command)
    for name, value in values.items():
        filled = [word.replace(name, value) for word in filled]
    return filled


def _wait_until_ready(spec: AppSpec, app: AppProcess | LiveSite, base: str) -> None:
    ready = spec.ready
    is_local = app.address.host in {_LOOPBACK, "localhost", "::1"}
    host = spec.virtual_host if is_local else ""
    waiting = HttpPages().wait(base, host, ready, app.check_alive)
    if not waiting.is_ready:
        lines = app.last_lines() if isinstance(app, AppProcess) else ""
        raise AppNotReadyError(
            f"{spec.app} did not answer {ready.status} at {ready.path} within "
            f"{ready.timeout_s:g} s; last: {waiting.last_bad}{lines}",
            where=base,
            fix="Check `ready` and the version's command in app.yaml",
        )
