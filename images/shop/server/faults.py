"""Answer 503 now and then, as a shop under load does."""

import random
from dataclasses import dataclass

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultPlan:
    """How often to fail (0 never, 1 always) and from which seed."""

    rate: float = 0.0
    seed: int = 0


class FaultMiddleware:
    """Fails HTTP requests by plan; /health always tells the truth."""

    def __init__(self, app: ASGIApp, plan: FaultPlan) -> None:
        self._app = app
        self._rate = plan.rate
        self._random = random.Random(plan.seed)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one connection, or fail it."""
        if self._fails(scope):
            answer = PlainTextResponse("The shop is busy, please try again.", 503)
            await answer(scope, receive, send)
            return
        await self._app(scope, receive, send)

    def _fails(self, scope: Scope) -> bool:
        if scope["type"] != "http" or scope["path"] == "/health":
            return False
        return self._random.random() < self._rate
