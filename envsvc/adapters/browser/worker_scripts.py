"""Ask for the scripts of service workers that a recording does not let run (D8).

A worker answers from a cache of its own, which no proxy sees; so a tour's pages cannot register
any. Their scripts are asked for nevertheless, as browsers ask: an agent's browser runs them.
"""

import contextlib

from playwright.sync_api import BrowserContext, ConsoleMessage
from playwright.sync_api import Error as PlaywrightError

_MARK = "envsvc: service worker not registered: "
# Runs after Playwright's own, which lets nothing be registered.
_TELL = f"""
const workers = navigator.serviceWorker;
if (workers) {{
  const refuse = workers.register;
  workers.register = function (script, ...options) {{
    console.debug({_MARK!r} + new URL(script, document.baseURI).href);
    return refuse.call(this, script, ...options);
  }};
}}
"""


class WorkerScripts:
    """Notes which scripts the pages of a context would register, and asks for each once."""

    def __init__(self, context: BrowserContext) -> None:
        """Listen to the pages of *context*."""
        self._context = context
        self._waiting: list[str] = []
        self._asked: set[str] = set()
        context.add_init_script(f"(() => {{{_TELL}}})()")
        context.on("console", self._note)

    def ask(self) -> None:
        """Ask for what was noted since; a script that cannot be had is the page's own trouble."""
        waiting, self._waiting = self._waiting, []
        for url in dict.fromkeys(waiting):
            if url not in self._asked:
                self._asked.add(url)
                with contextlib.suppress(PlaywrightError):
                    self._context.request.get(url, headers={"Service-Worker": "script"})

    def _note(self, message: ConsoleMessage) -> None:
        if message.text.startswith(_MARK):
            self._waiting.append(message.text.removeprefix(_MARK))
