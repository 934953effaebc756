"""Follow an app's tour in any browser context: through a proxy, a HAR, or without either."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from playwright.sync_api import Browser, BrowserContext

from envsvc.adapters.browser.python_tour import Tour, load_module
from envsvc.adapters.workspace import AppVersion, Workspace
from envsvc.ports import StepResult
from tests.apps.workspace import Pause

_SHOWN_PROBLEM = 200  # characters


class Planned(msgspec.Struct, frozen=True, kw_only=True):
    """A tour to be followed: its file, and the app that it visits under its virtual host."""

    version: AppVersion
    path: Path

    @classmethod
    def find(cls, workspace: Path, app: str, tour: str) -> "Planned":
        """Return the tour of *app* (``name/version``) that app.yaml calls *tour*."""
        found = Workspace.find(workspace)
        version = found.resolve(app)
        return cls(version=version, path=Path(found.tour(version.app, tour).path))

    @property
    def base(self) -> str:
        """Return where the tour finds the app."""
        return f"http://{self.version.spec.virtual_host}"


class Steps:
    """Does the steps of one visit and keeps how each went."""

    def __init__(
        self, pause: Pause | None = None, wait: Callable[[], object] = lambda: None
    ) -> None:
        """Call *wait* where *pause* says, then do its ``look`` again as a step of its own."""
        self.results: list[StepResult] = []
        self._pause = pause
        self._wait = wait
        self._acts: dict[str, Callable[[], object]] = {}

    def do(self, label: str, act: Callable[[], object]) -> bool:
        """Do a step and say whether it passed."""
        if self._pause is not None and label == self._pause.before:
            self._wait()
            look = self._pause.look
            self._do(f"{look}, again", self._acts[look])
        self._acts[label] = act
        return self._do(label, act)

    def _do(self, label: str, act: Callable[[], object]) -> bool:
        problem = ""
        try:
            act()
        except Exception as error:  # noqa: BLE001 - a tour's own code may raise anything
            problem = " ".join(str(error).split())[:_SHOWN_PROBLEM] or type(error).__name__
        number = len(self.results) + 1
        self.results.append(StepResult(number=number, label=label, problem=problem))
        return not problem


def visit(
    planned: Planned,
    browser: Browser,
    *,
    timeout_ms: float,
    options: Mapping[str, Any] | None = None,
    prepare: Callable[[BrowserContext], object] = lambda _: None,
    steps: Steps | None = None,
) -> Sequence[StepResult]:
    """Follow a tour in a new context of *browser* and return how its steps went.

    *options* are more options of the context; *prepare* is given it before the first page.
    """
    module = load_module(planned.path)
    steps = Steps() if steps is None else steps
    context = browser.new_context(
        **_settings(planned), **getattr(module, "CONTEXT", {}), **(options or {})
    )
    try:
        context.set_default_timeout(timeout_ms)
        prepare(context)
        module.tour(
            Tour(
                page=context.new_page(),
                ctx=context,
                base=planned.base,
                ver=planned.version.version,
                timeout=timeout_ms,
                home=getattr(module, "HOME", "/"),
                do_step=steps.do,
            )
        )
    finally:
        context.close()
    return steps.results


def _settings(planned: Planned) -> dict[str, Any]:
    browser = planned.version.spec.browser
    width, height = browser.viewport
    return {
        "ignore_https_errors": True,
        "service_workers": "block",
        "locale": browser.locale,
        "timezone_id": browser.timezone,
        "viewport": {"width": width, "height": height},
    }
