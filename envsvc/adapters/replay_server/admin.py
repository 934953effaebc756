"""The admin port: health, sessions, reports, metrics (D5, D10)."""

import secrets
from typing import Any, Protocol

import msgspec
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from envsvc.adapters.replay_server.engine import Engine
from envsvc.playback.outcome import MissPolicy
from envsvc.playback.session import SessionReport


class Sessions(Protocol):
    """What the admin port steers; see server.Server."""

    engine: Engine

    async def open_session(self, session_id: str, policy: MissPolicy | None = None) -> Any:  # noqa: ANN401
        """Start a session."""
        ...

    def reset(self, session_id: str) -> None:
        """Reset a session."""
        ...

    def report(self, session_id: str) -> SessionReport:
        """Report on a session."""
        ...


class _NewSession(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of POST /sessions; an empty body is a session with a name made up."""

    session: str = ""
    policy: MissPolicy | None = None


class AdminPort:
    """The handlers of the admin port."""

    def __init__(self, sessions: Sessions) -> None:
        """Steer *sessions*."""
        self._sessions = sessions
        self._registry = CollectorRegistry()
        self._registry.register(_SessionMetrics(sessions.engine))

    def application(self) -> Starlette:
        """Return the application that serves the handlers."""
        return Starlette(
            routes=[
                Route("/health", self.health),
                Route("/metrics", self.metrics),
                Route("/sessions", self.list_sessions),
                Route("/sessions", self.open_session, methods=["POST"]),
                Route("/sessions/{session}/reset", self.reset, methods=["POST"]),
                Route("/sessions/{session}/report", self.report),
            ]
        )

    async def health(self, _: Request) -> Response:
        """Say that the server is up, and what it serves."""
        identity = self._sessions.engine.identity
        return _json({"status": "ok", "cassette": msgspec.to_builtins(identity)})

    async def metrics(self, _: Request) -> Response:
        """Return the Prometheus metrics."""
        text = generate_latest(self._registry)
        return Response(text, media_type="text/plain; version=0.0.4; charset=utf-8")

    async def list_sessions(self, _: Request) -> Response:
        """Return the names of all sessions."""
        return _json(sorted(self._sessions.engine.sessions))

    async def open_session(self, request: Request) -> Response:
        """Start a session with a port of its own; its name is made up if none is given."""
        body = await request.body()
        try:
            wanted = msgspec.json.decode(body or b"{}", type=_NewSession)
        except msgspec.DecodeError as error:
            return _json({"error": str(error)}, 400)
        name = wanted.session or secrets.token_hex(8)
        return _json(await self._sessions.open_session(name, wanted.policy), 201)

    async def reset(self, request: Request) -> Response:
        """Forget what a session did."""
        try:
            self._sessions.reset(request.path_params["session"])
        except KeyError:
            return _unknown(request)
        return Response(status_code=204)

    async def report(self, request: Request) -> Response:
        """Return the account of a session."""
        try:
            return _json(self._sessions.report(request.path_params["session"]))
        except KeyError:
            return _unknown(request)


class _SessionMetrics(Collector):
    """Prometheus metrics of all sessions, read when asked."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def collect(self) -> list[Metric]:
        """Return requests by session and outcome, and attempts to get out."""
        requests = CounterMetricFamily(
            "envsvc_requests", "Requests by outcome", labels=["session", "outcome"]
        )
        for name, session in list(self._engine.sessions.items()):
            for outcome, count in list(session.outcomes.items()):
                requests.add_metric([name, outcome.value], count)
        outbound = GaugeMetricFamily(
            "envsvc_outbound_connections",
            "Attempts of the server to open a connection",
            value=self._engine.guard.attempts,
        )
        return [requests, outbound]


def _json(value: object, status: int = 200) -> Response:
    return Response(msgspec.json.encode(value), status, media_type="application/json")


def _unknown(request: Request) -> Response:
    name = request.path_params["session"]
    return _json({"error": f"there is no session {name!r}; POST /sessions starts one"}, 404)
