"""A real origin to which every name leads: what goes out arrives there and is counted."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

_ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\nConnection: close\r\n\r\nlive"


class Origin:
    """Counts the connections that reach it, and answers each."""

    def __init__(self) -> None:
        """Listen on a free port."""
        self._listening = socket.create_server(("127.0.0.1", 0))
        self._thread = threading.Thread(target=self._accept, daemon=True)
        self._thread.start()
        self.connections = 0

    @property
    def url(self) -> str:
        """Return where it listens."""
        return f"http://127.0.0.1:{self._listening.getsockname()[1]}"

    def close(self) -> None:
        """Listen no more."""
        self._listening.shutdown(socket.SHUT_RDWR)
        self._thread.join()
        self._listening.close()

    def _accept(self) -> None:
        while True:
            try:
                arrived, _ = self._listening.accept()
            except OSError:
                return
            self.connections += 1
            with arrived:
                arrived.recv(65536)
                arrived.sendall(_ANSWER)

    def resolve(self, *_: object, **__: object) -> list[object]:
        """Answer as getaddrinfo does; every name of a case leads here."""
        address = self._listening.getsockname()
        return [(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP, "", address)]


@contextmanager
def origin() -> Iterator[Origin]:
    """Start an origin to which every name leads until left."""
    started = Origin()
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(socket, "getaddrinfo", started.resolve)
            yield started
    finally:
        started.close()
