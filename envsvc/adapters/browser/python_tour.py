"""What a Python tour is given: a page, and steps that count."""

import contextlib
from collections.abc import Callable
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import Any

from playwright.sync_api import BrowserContext, Page, Response, expect
from playwright.sync_api import Error as PlaywrightError
from playwright.sync_api import TimeoutError as PlaywrightTimeoutError

from envsvc.errors import EnvsvcError

_BAD_STATUS = 400
_RETURN_TIMEOUT_MS = 4_000
_ERROR_PAGE_MS = 500


class BadTourError(EnvsvcError):
    """A Python tour cannot be loaded."""

    code = "E309"


class Tour:
    """The argument of ``tour(T)``."""

    def __init__(  # noqa: PLR0913 - the pieces of one visit
        self,
        *,
        page: Page,
        ctx: BrowserContext,
        base: str,
        ver: str,
        timeout: float,
        home: str,
        do_step: Callable[[str, Callable[[], object]], bool],
    ) -> None:
        """Visit *base*; ``do_step`` runs and counts a step."""
        self.page = page
        self.ctx = ctx
        self.base = base.rstrip("/")
        self.ver = ver
        self.timeout = timeout
        self.home = home
        self.vars: dict[str, Any] = {}
        self._do_step = do_step

    def url(self, path: str = "") -> str:
        """Return the URL of *path* on the app."""
        return self.base + path

    def go(self, path: str, *, ok: bool = False, **options: Any) -> Response | None:  # noqa: ANN401
        """Open *path*; a status of 400 and more fails unless *ok*."""
        response = self.page.goto(self.url(path), **{"wait_until": "load", **options})
        if response is not None and response.status >= _BAD_STATUS and not ok:
            raise AssertionError(f"{path} -> {response.status}")
        return response

    def see(self, text: str, **options: Any) -> None:  # noqa: ANN401
        """Wait until *text* is visible."""
        seen = self.page.get_by_text(text, **options).first
        expect(seen).to_be_visible(timeout=self.timeout)

    def idle(self, ms: int = 700) -> None:
        """Wait until the network is quiet, if it ever is, and *ms* more."""
        with contextlib.suppress(PlaywrightTimeoutError):  # a page that polls is never quiet
            self.page.wait_for_load_state("networkidle", timeout=self.timeout)
        self.page.wait_for_timeout(ms)

    def step(self, name: str, act: Callable[[], object]) -> bool:
        """Do and count a step; one that fails says False, and the next starts from home."""
        passed = self._do_step(name, act)
        if not passed:
            self._return_home()
        return passed

    def _return_home(self) -> None:
        # An error page on its way in interrupts the first try.
        if not self._open("about:blank"):
            self.page.wait_for_timeout(_ERROR_PAGE_MS)
            self._open("about:blank")
        self._open(self.base + self.home)

    def _open(self, place: str) -> bool:
        """Open *place* and say whether it came; where that matters, the next step fails."""
        try:
            self.page.goto(place, timeout=_RETURN_TIMEOUT_MS)
        except PlaywrightError:
            return False
        return True


def load_module(path: Path) -> ModuleType:
    """Return the tour's module. Raises: BadTourError if it has no function ``tour``."""
    loader = SourceFileLoader("envsvc_tour", str(path))
    module = ModuleType(loader.name)
    module.__file__ = str(path)
    try:
        loader.exec_module(module)
    except (SyntaxError, ImportError, OSError) as error:
        raise BadTourError(f"the tour cannot be loaded: {error}", where=str(path)) from error
    if not callable(getattr(module, "tour", None)):
        raise BadTourError("a Python tour defines a function tour(T)", where=str(path))
    return module
