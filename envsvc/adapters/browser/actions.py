"""Do one step of a YAML tour on a page."""

import contextlib
import os
import re
from collections.abc import Callable, Iterator, Mapping
from urllib.parse import urldefrag, urljoin, urlsplit

from playwright.sync_api import Error as PlaywrightError
from playwright.sync_api import Page, expect

from envsvc.record.tour import Explore, Fill, Press, Select, Step, Upload

_NAME = re.compile(r"\$\{(\w+)\}")
_BAD_STATUS = 500


class StepFailedError(AssertionError):
    """What a step expects did not happen; told as the problem of the step."""


class Actions:
    """The actions of YAML tours, for one page."""

    def __init__(
        self, page: Page, base: str, environment: Mapping[str, str], timeout_ms: float
    ) -> None:
        """Act on *page*; paths belong to *base*, ``${NAME}`` is looked up in *environment*."""
        self._timeout_ms = timeout_ms
        self._page = page
        self._base = base
        self._environment = environment
        self._done: dict[str, Callable[..., None]] = {
            "goto": self._goto,
            "click": lambda selector: page.click(self._text(selector)),
            "fill": self._fill,
            "select": self._select,
            "press": self._press,
            "upload": self._upload,
            "see": self._see,
            "wait": lambda selector: page.locator(selector).first.wait_for(),
            "idle": self._idle,
            "evaluate": self._evaluate,
            "explore": self._explore,
        }

    def do(self, step: Step) -> None:
        """Do *step*. Raises: StepFailedError, playwright's Error, AssertionError."""
        name = step.actions[0]
        self._done[name](getattr(step, name))

    def _goto(self, place: str) -> None:
        response = self._page.goto(urljoin(self._base, self._text(place)))
        if response is not None and response.status >= _BAD_STATUS:
            raise StepFailedError(f"{place} answered {response.status}")

    def _fill(self, fill: Fill) -> None:
        self._page.fill(fill.selector, self._text(fill.value))

    def _select(self, select: Select) -> None:
        self._page.select_option(select.selector, self._text(select.value))

    def _press(self, press: Press) -> None:
        self._page.press(press.selector, press.key)

    def _upload(self, upload: Upload) -> None:
        content = self._text(upload.content).encode()
        file = {"name": upload.name, "mimeType": "application/octet-stream", "buffer": content}
        self._page.set_input_files(upload.selector, file)  # type: ignore[arg-type]

    def _see(self, text: str) -> None:
        seen = self._page.get_by_text(self._text(text)).first
        expect(seen).to_be_visible(timeout=self._timeout_ms)

    def _idle(self, milliseconds: int) -> None:
        self._page.wait_for_load_state("networkidle")
        self._page.wait_for_timeout(milliseconds)

    def _evaluate(self, script: str) -> None:
        value = self._page.evaluate(script)
        if not value:
            raise StepFailedError(f"the script gave {value!r}")

    def _explore(self, explore: Explore) -> None:
        """Visit the start and what it links to, breadth first in the order of the pages."""
        queue = [urljoin(self._base, explore.start)]
        seen = set(queue)
        for _ in range(explore.max_pages):
            if not queue:
                return
            # A link may lead to a file that no page shows; it is recorded all the same.
            with contextlib.suppress(PlaywrightError):
                self._goto(queue.pop(0))
            new = [link for link in self._links() if link not in seen]
            seen.update(new)
            queue += dict.fromkeys(new)

    def _links(self) -> Iterator[str]:
        """Yield the links of the page that stay on the app's host, without fragments."""
        hrefs: list[str] = self._page.eval_on_selector_all(
            "a[href]", "links => links.filter(a => !a.hasAttribute('download')).map(a => a.href)"
        )
        host = urlsplit(self._base).netloc
        for href in hrefs:
            parts = urlsplit(href)
            if parts.scheme in {"http", "https"} and parts.netloc == host:
                yield urldefrag(href).url

    def _text(self, text: str) -> str:
        return _NAME.sub(self._value, text)

    def _value(self, match: re.Match[str]) -> str:
        name = match[1]
        if name not in self._environment:
            raise StepFailedError(f"the environment variable {name} is not set")
        return self._environment[name]


def tour_environment(variables: Mapping[str, str]) -> dict[str, str]:
    """Return the environment variables that app.yaml lists under secrets, as far as set."""
    return {name: os.environ[name] for name in variables.values() if name in os.environ}
