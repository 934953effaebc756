"""Replay a cassette from Python: ``with envsvc.replay("shop/v1") as session``."""

import ssl
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

from envsvc.adapters.certificates import CertificateAuthority
from envsvc.adapters.client_env import chromium_arguments, client_environment
from envsvc.adapters.replay_server.server import ServeOptions
from envsvc.adapters.replay_server.thread import ReplayThread, RunningReplay
from envsvc.adapters.replay_setup import load_app
from envsvc.errors import EnvsvcError
from envsvc.playback.outcome import AmbiguityPolicy, MissPolicy
from envsvc.playback.pace import parse_pace
from envsvc.playback.session import SessionReport, Verdict
from envsvc.playback.virtual_clock import ClockMode

if TYPE_CHECKING:
    from envsvc.adapters.browser.chromium import ProxySettings


class UnreplayableError(EnvsvcError):
    """Something was asked that was never recorded, under the strict policy (S3-12)."""

    code = "E501"
    exit_code = 4

    def __init__(self, report: SessionReport) -> None:
        """Name the first miss of *report*."""
        miss = next(m for m in report.misses if m.miss_class != "noise")
        super().__init__(
            f"{miss.method} {miss.url} was never recorded ({miss.explanation.reason})",
            where=f"{report.app}/{report.version}",
            fix=f"To record it: {miss.record_command}",
        )
        self.report = report


class HttpxArguments(TypedDict):
    """Arguments of ``httpx.Client``, ``httpx.AsyncClient`` and ``httpx.get``."""

    proxy: str
    verify: ssl.SSLContext
    trust_env: bool


class ReplaySession:
    """One session of a running replay, and how clients reach it."""

    def __init__(self, running: RunningReplay, session_id: str, policy: MissPolicy) -> None:
        """Open session *session_id* of *running*."""
        self._running = running
        self._authority = CertificateAuthority()
        self.session_id = session_id
        self.proxy_url = running.open_session(session_id, policy)

    @property
    def playwright_proxy(self) -> "ProxySettings":
        """Return the ``proxy`` of Playwright's launch or new_context.

        Chromium trusts the certificates with ``chromium_args`` at launch, any browser with
        ``ignore_https_errors=True`` on the context.
        """
        return {"server": self.proxy_url, "bypass": "<-loopback>"}

    @property
    def chromium_args(self) -> list[str]:
        """Return command line switches for a Chromium that is started by other means."""
        return list(chromium_arguments(self.proxy_url, self._authority))

    @property
    def httpx_kwargs(self) -> HttpxArguments:
        """Return the arguments of ``httpx.Client`` or ``AsyncClient``."""
        context = ssl.create_default_context(cafile=str(self._authority.certificate_path))
        return {"proxy": self.proxy_url, "verify": context, "trust_env": False}

    @property
    def environment(self) -> Mapping[str, str]:
        """Return the variables for a child process."""
        return client_environment(self.proxy_url, self.session_id, self._authority)

    @property
    def report(self) -> SessionReport:
        """Return the account of this session so far."""
        return self._running.report(self.session_id)

    def reset(self) -> None:
        """Start the account anew, as for a new episode."""
        self._running.reset(self.session_id)


@contextmanager
def replay(  # noqa: PLR0913  (each is a choice of its own)
    app: str,
    *,
    policy: str = "strict",
    ambiguity: str = "serve",
    clock: str = "frozen",
    pace: str = "recorded",
    session: str = "default",
    workspace: Path | str = ".",
    allow_empty: bool = False,
) -> Iterator[ReplaySession]:
    """Replay the cassette of *app* ("shop/v1") from the workspace around *workspace*.

    Raises: UnreplayableError on leaving, if *policy* is "strict" and something was asked that
    was never recorded; ValueError for a policy other than "strict" and "error", an ambiguity
    other than "serve" and "refuse", or a clock other than "frozen" and "real"; BadPaceError; and
    whatever keeps the cassette from loading.
    """
    chosen = MissPolicy(policy)
    if chosen is MissPolicy.LIVE:
        raise ValueError("policy 'live' needs a live app: use `envsvc serve --policy live --live`")
    loaded = load_app(Path(workspace), app, allow_empty=allow_empty)
    options = ServeOptions(
        policy=chosen,
        ambiguity=AmbiguityPolicy(ambiguity),
        clock=ClockMode(clock),
        pace=parse_pace(pace),
    )
    runtime = ReplayThread(loaded.redactor, options)
    with runtime.serve(loaded.cassette) as running:
        opened = ReplaySession(running, session, chosen)
        yield opened
        report = opened.report
    if report.verdict is Verdict.UNREPLAYABLE:
        raise UnreplayableError(report)
