"""Run a replay server in a thread of its own, steered from any other."""

import asyncio
import socket
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from pathlib import Path

from envsvc.adapters.certificates import CertificateAuthority
from envsvc.adapters.replay_server.egress import GuardedLoop
from envsvc.adapters.replay_server.engine import Engine
from envsvc.adapters.replay_server.server import (
    ServeOptions,
    Server,
    check_bind,
    listening_socket,
)
from envsvc.adapters.system_clock import SystemClock
from envsvc.exchange.redact import Redactor
from envsvc.playback.outcome import MissPolicy
from envsvc.playback.session import MissRecord, SessionReport
from envsvc.ports import Cassette, Clock

_STOP_TIMEOUT_S = 10.0


class RunningReplay:
    """A replay server that is running in its thread. Every method may be called from any thread."""

    def __init__(self, server: Server, loop: GuardedLoop, options: ServeOptions) -> None:
        """Steer *server* on *loop*."""
        self._server = server
        self._loop = loop
        self._host = options.host
        self.port = 0
        self.admin_port: int | None = None

    @property
    def proxy_url(self) -> str:
        """Return the URL of the shared port."""
        return f"http://{self._host}:{self.port}"

    @property
    def admin_url(self) -> str:
        """Return the URL of the admin port, or "" if there is none."""
        return f"http://{self._host}:{self.admin_port}" if self.admin_port else ""

    @property
    def ca_certificate(self) -> Path:
        """Return the PEM file that clients are told to trust."""
        return self._server.authority.certificate_path

    def open_session(
        self,
        session_id: str,
        policy: MissPolicy | None = None,
        listening: socket.socket | None = None,
    ) -> str:
        """Start a session and return the proxy URL of its own port.

        *listening* is a socket made elsewhere (in a network namespace) to use for it.
        """
        address = self._run(self._server.open_session(session_id, policy, listening))
        return f"http://{self._host}:{address.port}"

    def sessions(self) -> list[str]:
        """Return the names of all sessions so far, sorted."""

        async def ask() -> list[str]:
            return sorted(self._server.engine.sessions)

        return self._run(ask())

    def report(self, session_id: str) -> SessionReport:
        """Return a session's account so far. Raises: KeyError if there is none."""

        async def ask() -> SessionReport:
            return self._server.report(session_id)

        return self._run(ask())

    def used(self, session_id: str) -> frozenset[int]:
        """Return the numbers of the entries that a session was served. Raises: KeyError."""

        async def ask() -> frozenset[int]:
            return frozenset(self._server.engine.sessions[session_id].used)

        return self._run(ask())

    def reset(self, session_id: str) -> None:
        """Forget what a session did. Raises: KeyError if there is none."""

        async def forget() -> None:
            self._server.reset(session_id)

        self._run(forget())

    def on_unreplayable(self, call: Callable[[MissRecord], None]) -> None:
        """Have *call* made, in the server's thread, when a strict miss ends an episode."""
        self._server.engine.on_unreplayable = call

    def _run[T](self, work: Coroutine[object, object, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()


class ReplayThread:
    """Starts replay servers; implements ports.ReplayRuntime."""

    def __init__(
        self,
        redactor: Redactor,
        options: ServeOptions | None = None,
        ca_folder: Path | None = None,
        clock: Clock | None = None,
    ) -> None:
        """Take what all servers started here share; dates go on to the time of *clock*."""
        self._redactor = redactor
        self._clock = clock or SystemClock()
        self._options = options or ServeOptions()
        self._ca_folder = ca_folder

    @contextmanager
    def serve(self, cassette: Cassette) -> Iterator[RunningReplay]:
        """Serve *cassette* until left. Raises: PortTakenError, BindNeedsTokenError."""
        options = self._options
        check_bind(options)
        engine = Engine(
            cassette,
            self._redactor,
            options.policy,
            options.ambiguity,
            options.clock,
            self._clock.now_us,
        )
        loop = GuardedLoop(engine.guard)
        server = Server(engine, CertificateAuthority(self._ca_folder), options)
        shared = listening_socket(options.host, options.port)
        admin = None
        if options.admin_port is not None:
            admin = listening_socket(options.host, options.admin_port)
        running = RunningReplay(server, loop, options)
        running.port = shared.getsockname()[1]
        running.admin_port = admin.getsockname()[1] if admin else None

        def work() -> None:
            asyncio.set_event_loop(loop)
            with engine.guard.watched():
                loop.run_forever()

        thread = threading.Thread(target=work, name="envsvc-replay", daemon=True)
        thread.start()
        try:
            running._run(server.start(shared, admin))  # noqa: SLF001
            yield running
        finally:
            asyncio.run_coroutine_threadsafe(server.stop(), loop).result(_STOP_TIMEOUT_S)
            loop.call_soon_threadsafe(loop.stop)
            thread.join(_STOP_TIMEOUT_S)
            loop.close()
