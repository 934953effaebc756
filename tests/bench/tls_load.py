"""Ask a server over TLS: directly, or through CONNECT, which wrk does not speak."""

import asyncio
import socket
import ssl
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import cycle, islice
from typing import cast
from urllib.parse import urlsplit

import uvloop

from tests.bench.servers import Served
from tests.bench.wrk import BadLoadError, Load

_LENGTH = b"\r\ncontent-length:"
_TUNNEL_TIMEOUT_S = 20.0


class _Asker(asyncio.Protocol):
    """One connection that asks, waits for the whole answer, and asks the next."""

    def __init__(self, requests: Iterator[bytes]) -> None:
        self._requests = requests
        self._wanted = 0  # bytes of the answer that have not come; 0 before its head
        self._asked_s = 0.0
        self._is_asking = False
        self.latencies_s: list[float] = []
        self.problem = ""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)

    def ask(self) -> None:
        self._is_asking = True
        self._ask()

    def stop(self) -> None:
        self._is_asking = False
        self._transport.abort()

    def data_received(self, data: bytes) -> None:
        if not self._wanted:
            self._wanted = self._size_of(data)
        self._wanted -= len(data)
        if not self._wanted and self._is_asking:
            self.latencies_s.append(time.perf_counter() - self._asked_s)
            self._ask()

    def connection_lost(self, _: Exception | None) -> None:
        if self._is_asking:
            self.problem = "the server closed a connection"

    def _ask(self) -> None:
        self._asked_s = time.perf_counter()
        self._transport.write(next(self._requests))

    def _size_of(self, data: bytes) -> int:
        """Return the size of the answer that *data* starts with; its head always comes whole."""
        head, blank_line, _ = data.partition(b"\r\n\r\n")
        before, found, after = head.lower().partition(_LENGTH)
        if not (before.startswith(b"http/1.1 200") and blank_line and found):
            self.problem = f"an answer starts with {data[:80]!r}"
            self.stop()
        return len(head) + len(blank_line) + int(after.partition(b"\r\n")[0] or 0)


def run_tls(
    served: Served,
    urls: Sequence[str],
    seconds: float,
    connections: int,
    at_start: Callable[[], None],
) -> Load:
    """Ask for https *urls* in turn on open connections; call *at_start* once they are open.

    Raises: BadLoadError.
    """
    host = urlsplit(urls[0]).netloc
    requests = [_request(url) for url in urls]
    # Each connection starts elsewhere, so that no two ask for the same at the same time.
    turns = [
        islice(cycle(requests), number * len(requests) // connections, None)
        for number in range(connections)
    ]
    sockets = [_opened(served, host) for _ in turns]
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        askers = runner.run(_secured(turns, sockets, host))
        at_start()
        took = runner.run(_asked(askers, seconds))
    problems = {asker.problem for asker in askers} - {""}
    if problems:
        raise BadLoadError("; ".join(problems))
    latencies = sorted(latency for asker in askers for latency in asker.latencies_s)
    p99_ms = latencies[int(len(latencies) * 0.99)] * 1000
    return Load(requests=len(latencies), seconds=took, p99_ms=p99_ms)


def _opened(served: Served, host: str) -> socket.socket:
    """Return a connection on which TLS with *host* can begin. Raises: BadLoadError."""
    sock = socket.create_connection(("127.0.0.1", served.tls_port), _TUNNEL_TIMEOUT_S)
    if served.is_proxy:
        sock.sendall(f"CONNECT {host}:443 HTTP/1.1\r\nHost: {host}:443\r\n\r\n".encode())
        answer = b""
        while not answer.endswith(b"\r\n\r\n"):
            piece = sock.recv(4096)
            if not piece:
                raise BadLoadError(f"no tunnel: {answer!r}")
            answer += piece
    sock.setblocking(False)  # noqa: FBT003  (its own signature)
    return sock


async def _secured(
    turns: Sequence[Iterator[bytes]], sockets: Sequence[socket.socket], host: str
) -> list[_Asker]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    loop, askers = asyncio.get_running_loop(), [_Asker(turn) for turn in turns]
    for asker, sock in zip(askers, sockets, strict=True):
        await loop.create_connection(
            partial(_itself, asker), sock=sock, ssl=context, server_hostname=host
        )
    return askers


def _itself(asker: _Asker) -> _Asker:
    return asker


async def _asked(askers: Sequence[_Asker], seconds: float) -> float:
    """Have *askers* ask for a while; return for how long they did."""
    start = time.perf_counter()
    for asker in askers:
        asker.ask()
    await asyncio.sleep(seconds)
    took = time.perf_counter() - start
    for asker in askers:
        asker.stop()
    return took


def _request(url: str) -> bytes:
    parts = urlsplit(url)
    return f"GET {parts.path} HTTP/1.1\r\nHost: {parts.netloc}\r\nAccept: */*\r\n\r\n".encode()
