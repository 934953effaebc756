"""Know when a page has got everything it asked for."""

import time

from playwright.sync_api import BrowserContext, Page, Request
from playwright.sync_api import Error as PlaywrightError

MAX_WAIT_S = 3.0  # a request that hangs must not hold up every step
_QUIET_S = 0.05  # a page asks for the next thing within this time, if at all
_POLL_MS = 10
# These stay open for as long as the page is there.
_ENDLESS = frozenset({"eventsource", "websocket", "ping"})


class InFlight:
    """The requests of a context that have no whole answer yet, event streams not counted."""

    def __init__(self, context: BrowserContext) -> None:
        """Watch *context*."""
        self._open: set[Request] = set()
        self._changed_s = 0.0
        context.on("request", self._begin)
        context.on("requestfinished", self._end)
        context.on("requestfailed", self._end)

    def settle(self, page: Page) -> None:
        """Wait until nothing was in flight for a moment, or for MAX_WAIT_S."""
        deadline = time.monotonic() + MAX_WAIT_S
        while time.monotonic() < deadline and not page.is_closed():
            if not self._open and time.monotonic() - self._changed_s > _QUIET_S:
                return
            try:
                page.wait_for_timeout(_POLL_MS)
            except PlaywrightError:
                return  # the page has gone, and its requests with it

    def _begin(self, request: Request) -> None:
        if request.resource_type not in _ENDLESS:
            self._open.add(request)
            self._changed_s = time.monotonic()

    def _end(self, request: Request) -> None:
        self._open.discard(request)
        self._changed_s = time.monotonic()
