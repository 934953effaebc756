"""What is new at every request: its id, its nonce and when it began."""

import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from secrets import token_urlsafe
from uuid import uuid4

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """One request's own marks."""

    request_id: str = field(default_factory=lambda: str(uuid4()))
    nonce: str = field(default_factory=lambda: token_urlsafe(16))
    started_s: float = field(default_factory=time.perf_counter)

    def elapsed_ms(self) -> str:
        """Return the time since the request came in, to a hundredth."""
        return f"{(time.perf_counter() - self.started_s) * 1000:.2f}"

    def now(self) -> str:
        """Return the time of day in RFC 3339."""
        return datetime.fromtimestamp(time.time(), UTC).isoformat(timespec="milliseconds")


class VisitMiddleware:
    """Gives each request its `Visit` and each answer its X-Request-Id."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one connection; only HTTP requests are marked."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        visit = Visit()
        scope.setdefault("state", {})["visit"] = visit

        async def send_marked(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message)["X-Request-Id"] = visit.request_id
            await send(message)

        await self._app(scope, receive, send_marked)
