"""Make sure that a browser asks its proxy for everything, loopback hosts included (D8).

Chromium goes around its proxy for them unless it is told otherwise, and an app on localhost would
then be neither recorded nor frozen, without a word.
"""

import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

from playwright.sync_api import Browser
from playwright.sync_api import Error as PlaywrightError

from envsvc.errors import EnvsvcError

_NAMES = ("127.0.0.1", "localhost", "[::1]")
_ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
_TIMEOUT_S = 5.0


class ProxyBypassedError(EnvsvcError):
    """The browser asks a loopback host without its proxy."""

    code = "E318"
    exit_code = 3


class Canary:
    """A proxy that is also the host that is asked for; it notes who was asked through it.

    A request to a proxy names the whole URL (RFC 9112 3.2.2), one to a host only the path.
    """

    def __init__(self, listening: socket.socket) -> None:
        """Answer on *listening* until that is closed."""
        self._listening = listening
        self.port: int = listening.getsockname()[1]
        self.lines: list[bytes] = []

    def answer(self) -> None:
        """Answer everybody; returns when the socket is closed."""
        while True:
            try:
                arrived, _ = self._listening.accept()
            except OSError:
                return
            with arrived:
                arrived.settimeout(_TIMEOUT_S)
                self._note(arrived)

    def _note(self, arrived: socket.socket) -> None:
        try:
            self.lines.append(arrived.recv(4096).partition(b"\r\n")[0])
            arrived.sendall(_ANSWER)
        except OSError:
            return  # a browser opens connections that it does not need

    def was_asked_for(self, name: str) -> bool:
        """Say whether *name* was asked for through the proxy."""
        start = f"GET http://{name}:{self.port}/".encode()
        return any(line.startswith(start) for line in self.lines)


@contextmanager
def running_canary() -> Iterator[Canary]:
    """Run a canary until left."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        canary = Canary(listening)
        thread = threading.Thread(target=canary.answer, daemon=True)
        thread.start()
        try:
            yield canary
        finally:
            listening.shutdown(socket.SHUT_RDWR)
            thread.join()


def check_proxy(browser: Browser, options: Mapping[str, Any]) -> None:
    """Do nothing if a context with these *options* asks its proxy for loopback hosts, too.

    Raises: ProxyBypassedError.
    """
    with running_canary() as canary:
        proxy = {**options.get("proxy", {}), "server": f"http://127.0.0.1:{canary.port}"}
        context = browser.new_context(**{**options, "proxy": proxy})
        try:
            page = context.new_page()
            for name in _NAMES:
                with suppress(PlaywrightError):  # who goes around the proxy may find nobody there
                    page.goto(f"http://{name}:{canary.port}/")
        finally:
            context.close()
    around = [name for name in _NAMES if not canary.was_asked_for(name)]
    if around:
        raise ProxyBypassedError(
            f"the browser asks {', '.join(around)} without its proxy",
            fix="Give its context the proxy with bypass '<-loopback>', or start it with "
            "--proxy-bypass-list=<-loopback>; nothing that is asked around the proxy is recorded",
        )
