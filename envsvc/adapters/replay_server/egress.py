"""Count every connection that the replay server opens, and refuse it unless it may go live.

Python reports its own sockets to audit hooks (PEP 578); libuv's, which uvloop uses, it does not,
so the event loop is guarded as well.
"""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

import uvloop

_OUTBOUND_EVENTS = frozenset(
    {"socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto"}
)


class EgressRefusedError(OSError):
    """Something in the replay server tried to open a connection."""


class EgressGuard:
    """The number of attempts to get out that were made in the threads it watches."""

    def __init__(self) -> None:
        """Watch nothing yet; ``watched`` does."""
        self.attempts = 0

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Watch the current thread."""
        _install_hook()
        thread = threading.get_ident()
        _GUARDS[thread] = self
        try:
            yield
        finally:
            del _GUARDS[thread]

    def refuse(self, what: str) -> NoReturn:
        """Count an attempt and refuse it. Raises: EgressRefusedError."""
        self.attempts += 1
        raise EgressRefusedError(f"the replay server opens no connection ({what})")


class GuardedLoop(uvloop.Loop):
    """An event loop that accepts connections and opens none."""

    def __init__(self, guard: EgressGuard) -> None:
        """Report attempts to *guard*."""
        super().__init__()
        self._guard = guard

    async def create_connection(self, *_: Any, **__: Any) -> NoReturn:  # noqa: ANN401
        """Refuse. Raises: EgressRefusedError."""
        self._guard.refuse("create_connection")

    async def create_unix_connection(self, *_: Any, **__: Any) -> NoReturn:  # noqa: ANN401
        """Refuse. Raises: EgressRefusedError."""
        self._guard.refuse("create_unix_connection")

    async def create_datagram_endpoint(self, *_: Any, **__: Any) -> NoReturn:  # noqa: ANN401
        """Refuse. Raises: EgressRefusedError."""
        self._guard.refuse("create_datagram_endpoint")

    async def sock_connect(self, *_: Any, **__: Any) -> NoReturn:  # noqa: ANN401
        """Refuse. Raises: EgressRefusedError."""
        self._guard.refuse("sock_connect")

    async def getaddrinfo(self, *_: Any, **__: Any) -> NoReturn:  # noqa: ANN401
        """Refuse. Raises: EgressRefusedError."""
        self._guard.refuse("getaddrinfo")


_GUARDS: dict[int, EgressGuard] = {}
_hook_lock = threading.Lock()
_hooks: list[bool] = []  # an audit hook can not be taken out again: one serves all guards


def _install_hook() -> None:
    with _hook_lock:
        if not _hooks:
            sys.addaudithook(_audit)
            _hooks.append(True)


def _audit(event: str, _: object) -> None:
    if event in _OUTBOUND_EVENTS:
        guard = _GUARDS.get(threading.get_ident())
        if guard is not None:
            guard.refuse(event)
