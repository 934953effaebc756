"""Follow tours in Chromium, the same way for recording and for self-replay."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Error as PlaywrightError
from playwright.sync_api import Page

from envsvc.adapters.browser.actions import (
    Actions,
    tour_environment,
)
from envsvc.adapters.browser.canary import check_proxy
from envsvc.adapters.browser.chromium import running_chromium
from envsvc.adapters.browser.python_tour import Tour, load_module
from envsvc.adapters.browser.settle import InFlight
from envsvc.adapters.browser.worker_scripts import WorkerScripts
from envsvc.adapters.workspace import load_tour
from envsvc.cassette.manifest import BrowserInfo
from envsvc.ports import StepResult, TourSource
from envsvc.record.app_spec import AppSpec, BrowserSpec

LIVE_TIMEOUT_MS = 8_000.0  # a live app may be slow
OFFLINE_TIMEOUT_MS = 4_000.0  # a recorded answer is there at once, but a stream takes its time
_SHOWN_PROBLEM = 300  # characters; Playwright's call logs run over pages


class PlaywrightBrowser:
    """ports.Browser with a Chromium that is started for each tour."""

    def __init__(self, timeout_ms: float = LIVE_TIMEOUT_MS) -> None:
        """Give every action *timeout_ms* to come about."""
        self._timeout_ms = timeout_ms

    def info(self, settings: BrowserSpec) -> BrowserInfo:
        """Return what the browser is. Raises: BrowserMissingError."""
        with running_chromium() as browser:
            build = f"chromium {browser.version}"
        return BrowserInfo(
            build=build,
            locale=settings.locale,
            timezone=settings.timezone,
            viewport=settings.viewport,
        )

    def tour(
        self,
        tour: TourSource,
        *,
        spec: AppSpec,
        version: str,
        proxy_url: str,
        on_step: Callable[[StepResult], None],
    ) -> Sequence[StepResult]:
        """Follow *tour*; see ports.Browser. Raises: BadTourError, BadConfigError as well."""
        is_python = Path(tour.path).suffix == ".py"
        module = load_module(Path(tour.path)) if is_python else None
        overrides = getattr(module, "CONTEXT", {})
        with _page(spec.browser, proxy_url, self._timeout_ms, overrides) as page:
            steps = _Steps(page, on_step)
            base = f"http://{spec.virtual_host}"
            if module is None:
                actions = Actions(page, base, tour_environment(spec.secrets), self._timeout_ms)
                for step in load_tour(tour).steps:
                    steps.do(step.label, lambda step=step: actions.do(step))  # type: ignore[misc]
            else:
                visit = Tour(
                    page=page,
                    ctx=page.context,
                    base=base,
                    ver=version,
                    timeout=self._timeout_ms,
                    home=getattr(module, "HOME", "/"),
                    do_step=steps.do,
                )
                module.tour(visit)
            return steps.results


class _Steps:
    """Does steps and counts them."""

    def __init__(self, page: Page, on_step: Callable[[StepResult], None]) -> None:
        self._page = page
        self._in_flight = InFlight(page.context)
        self._workers = WorkerScripts(page.context)
        self._on_step = on_step
        self.results: list[StepResult] = []

    def do(self, label: str, act: Callable[[], object]) -> bool:
        """Do a step, let its requests finish, report it; say whether it passed."""
        problem = _problem_of(act)
        self._in_flight.settle(self._page)
        self._workers.ask()
        result = StepResult(number=len(self.results) + 1, label=label, problem=problem)
        self.results.append(result)
        self._on_step(result)
        return not problem


def _problem_of(act: Callable[[], object]) -> str:
    """Return why *act* failed, or "". A tour's own code may raise anything."""
    try:
        act()
    except (PlaywrightError, AssertionError) as error:
        return _shown(str(error))
    except Exception as error:  # noqa: BLE001 - a mistake in a tour is a failed step
        return _shown(f"{type(error).__name__}: {error}")
    return ""


def _shown(text: str) -> str:
    """Return *text* as one line, without the log of every try."""
    return " ".join(text.partition("Call log:")[0].split())[:_SHOWN_PROBLEM] or "failed"


@contextmanager
def _page(
    settings: BrowserSpec, proxy_url: str, timeout_ms: float, overrides: Mapping[str, Any]
) -> Iterator[Page]:
    width, height = settings.viewport
    options: dict[str, Any] = {
        "ignore_https_errors": True,
        "service_workers": "block",
        "locale": settings.locale,
        "timezone_id": settings.timezone,
        "viewport": {"width": width, "height": height},
        # By default Chromium goes around its proxy for loopback addresses.
        "proxy": {"server": proxy_url, "bypass": "<-loopback>"},
        **overrides,
    }
    with running_chromium() as browser:
        check_proxy(browser, options)
        context = browser.new_context(**options)
        context.set_default_timeout(timeout_ms)
        context.on("page", _without_cache)
        try:
            yield context.new_page()
        finally:
            context.close()


def _without_cache(page: Page) -> None:
    """Make the page ask for everything: what a cache answers is never recorded."""
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")  # without it the next command does nothing
    session.send("Network.setCacheDisabled", {"cacheDisabled": True})
