"""Find a Chromium and start it so that it asks only for what pages ask for."""

import os
import shutil
import signal
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Playwright, ProxySettings, sync_playwright

from envsvc.errors import EnvsvcError

__all__ = ["CHROMIUM_VARIABLE", "BrowserMissingError", "ProxySettings", "running_chromium"]

CHROMIUM_VARIABLE = "ENVSVC_CHROMIUM"
_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
# Each of these either asks for something by itself or leaves the proxy; the sandbox of Chromium
# does not start for root, which is who containers run as.
_ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
)


class BrowserMissingError(EnvsvcError):
    """There is no Chromium to record with."""

    code = "E304"
    exit_code = 3


@contextmanager
def running_chromium(more_arguments: Sequence[str] = ()) -> Iterator[Browser]:
    """Start a Chromium and close it on leaving. Raises: BrowserMissingError."""
    with _interruptible(), sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=_executable(playwright),
            args=[*_ARGUMENTS, *more_arguments],
            headless=True,
        )
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def _interruptible() -> Iterator[None]:
    """Let Ctrl-C end as KeyboardInterrupt, whatever Playwright makes of it half-way.

    A terminal sends it to Playwright's own process too, and what is then raised here is chance.
    """
    interrupted = threading.Event()
    previous = signal.getsignal(signal.SIGINT)

    def interrupt(*_: object) -> None:
        interrupted.set()
        raise KeyboardInterrupt

    is_default = previous is signal.default_int_handler
    if is_default and threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, interrupt)
    try:
        yield
    except Exception:
        if interrupted.is_set():
            raise KeyboardInterrupt from None
        raise
    finally:
        if signal.getsignal(signal.SIGINT) is interrupt:
            signal.signal(signal.SIGINT, previous)


def _executable(playwright: Playwright) -> str:
    """Return $ENVSVC_CHROMIUM, else one on the PATH, else Playwright's own."""
    named = os.environ.get(CHROMIUM_VARIABLE)
    on_path = next((found for found in map(shutil.which, _NAMES) if found), None)
    path = named or on_path or playwright.chromium.executable_path
    if not Path(path).is_file():
        raise BrowserMissingError(
            "there is no Chromium to record with",
            where=f"${CHROMIUM_VARIABLE}={named}" if named else path,
            fix="Install one (apt install chromium, or: playwright install chromium), "
            f"or name its file in ${CHROMIUM_VARIABLE}",
        )
    return path
