"""Listen for clients: the shared port, a port per session, and the admin port."""

import asyncio
import errno
import secrets
import socket
from typing import NamedTuple

import msgspec
import uvicorn

from envsvc.adapters.certificates import CertificateAuthority
from envsvc.adapters.replay_server.admin import AdminPort
from envsvc.adapters.replay_server.client import Client, Listener
from envsvc.adapters.replay_server.engine import Engine
from envsvc.adapters.replay_server.live import LiveApp
from envsvc.adapters.replay_server.quick import QuickAnswers
from envsvc.errors import EnvsvcError
from envsvc.playback.outcome import AmbiguityPolicy, MissPolicy
from envsvc.playback.pace import AS_RECORDED, Pace
from envsvc.playback.session import Session, SessionReport
from envsvc.playback.virtual_clock import ClockMode

LOOPBACK = "127.0.0.1"
IDLE_TIMEOUT_S = 75.0  # as nginx
_SWEEP_S = 5.0
# Dates in answers may lag by this much; the shortest cookies that matter live for minutes.
_AGE_S = 30.0
_BACKLOG = 1024


class PortTakenError(EnvsvcError):
    """Another program listens on the port that was asked for."""

    code = "E401"


class BindNeedsTokenError(EnvsvcError):
    """A recording must not be served to a network without a token."""

    code = "E402"


class ServeOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How to serve. Port 0 is any free port; ``admin_port`` None is no admin port."""

    host: str = LOOPBACK
    port: int = 0
    admin_port: int | None = None
    policy: MissPolicy = MissPolicy.STRICT
    ambiguity: AmbiguityPolicy = AmbiguityPolicy.SERVE
    token: str = ""
    live: LiveApp | None = None
    clock: ClockMode = ClockMode.FROZEN
    pace: Pace = AS_RECORDED


class Listening(NamedTuple):
    """A port that is open: what its clients share, and what accepts them."""

    listener: Listener
    server: asyncio.Server


class SessionAddress(msgspec.Struct, frozen=True, kw_only=True):
    """How clients name a session: its own port, or its name and token on the shared port."""

    session: str
    port: int
    token: str


class Server:
    """All listeners of one engine. Every method runs in the event loop's thread."""

    def __init__(
        self, engine: Engine, authority: CertificateAuthority, options: ServeOptions
    ) -> None:
        """Serve *engine*, signing with *authority*; nothing listens yet."""
        self.engine = engine
        self.authority = authority
        self._options = options
        self._quick = QuickAnswers()
        self._shared: Listening | None = None
        self._own: dict[str, Listening] = {}
        self._sweeping: asyncio.Task[None] | None = None
        self._admin: uvicorn.Server | None = None
        self._admin_serving: asyncio.Task[None] | None = None

    async def start(self, shared: socket.socket, admin: socket.socket | None) -> None:
        """Serve on the *shared* socket and, if given, the *admin* one."""
        self._shared = await self._listen("", shared, None)
        loop = asyncio.get_running_loop()
        self._sweeping = loop.create_task(self._sweep())
        if admin is not None:
            app = AdminPort(self).application()
            config = uvicorn.Config(app, log_level="error", access_log=False, lifespan="off")
            self._admin = uvicorn.Server(config)
            self._admin_serving = loop.create_task(self._admin.serve(sockets=[admin]))

    async def open_session(
        self,
        session_id: str,
        policy: MissPolicy | None = None,
        sock: socket.socket | None = None,
    ) -> SessionAddress:
        """Start a session with a port of its own, on *sock* if given; a known one is reset."""
        session = self.engine.session(session_id, policy)
        session.reset()
        if policy is not None:
            session.policy = policy
        self._close(self._own.pop(session_id, None))
        listening = sock or listening_socket(self._options.host, 0)
        port: int = listening.getsockname()[1]
        self._own[session_id] = await self._listen(session_id, listening, session)
        return SessionAddress(session=session_id, port=port, token=self._options.token)

    def reset(self, session_id: str) -> None:
        """Forget what a session did. Raises: KeyError if there is none."""
        self.engine.sessions[session_id].reset()

    def report(self, session_id: str) -> SessionReport:
        """Return a session's account. Raises: KeyError if there is none."""
        return self.engine.report(session_id)

    async def stop(self) -> None:
        """Close everything."""
        for listening in (self._shared, *self._own.values()):
            self._close(listening)
        if self._options.live is not None:
            self._options.live.close()
        if self._admin is not None and self._admin_serving is not None:
            # Asked, not cancelled: only so does it close its own sockets.
            self._admin.should_exit = self._admin.force_exit = True
            await self._admin_serving
        left = asyncio.all_tasks() - {asyncio.current_task()}
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)

    async def _listen(self, name: str, sock: socket.socket, session: Session | None) -> Listening:
        listener = Listener(
            name=f"{name} {secrets.token_hex(4)}",
            engine=self.engine,
            authority=self.authority,
            quick=self._quick,
            session=session,
            token=self._options.token,
            live=self._options.live,
            pace=self._options.pace,
        )

        def accept() -> asyncio.Protocol:
            return Client(listener)

        server = await asyncio.get_running_loop().create_server(accept, sock=sock)
        return Listening(listener, server)

    def _close(self, listening: Listening | None) -> None:
        if listening is None:
            return
        listening.server.close()
        for client in list(listening.listener.clients):
            client.close()
        self._quick.forget(listening.listener.name)

    async def _sweep(self) -> None:
        aged = asyncio.get_running_loop().time()
        while True:
            await asyncio.sleep(_SWEEP_S)
            now = asyncio.get_running_loop().time()
            if now - aged >= _AGE_S:
                self.engine.age()
                aged = now
            for listening in filter(None, (self._shared, *self._own.values())):
                for client in list(listening.listener.clients):
                    client.close_if_idle(now - IDLE_TIMEOUT_S)


def listening_socket(host: str, port: int) -> socket.socket:
    """Return a socket that listens on *host* and *port*. Raises: PortTakenError."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    sock = socket.socket(family, socket.SOCK_STREAM)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        sock.bind((host, port))
    except OSError as error:
        sock.close()
        if error.errno in {errno.EADDRINUSE, errno.EACCES, errno.EADDRNOTAVAIL}:
            raise PortTakenError(
                f"cannot listen on {host}:{port}: {error.strerror}",
                fix="Choose another with --port, or 0 for any free one",
            ) from error
        raise
    sock.listen(_BACKLOG)
    sock.setblocking(False)  # noqa: FBT003  (its own signature)
    return sock


def check_bind(options: ServeOptions) -> None:
    """Raise BindNeedsTokenError if *options* would serve a network without a token (D10)."""
    is_loopback = options.host in {"localhost", "::1"} or options.host.startswith("127.")
    if not is_loopback and not options.token:
        raise BindNeedsTokenError(
            f"{options.host} is not a loopback address",
            fix="Give --token, which clients then send as their proxy password",
        )
