"""A server whose answers are good, bad, cut off or endless, by path."""

import json
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar

from envsvc.ports import Address

BIG = b"0123456789abcdef" * 131_072  # 2 MiB: more than a recorder holds back


class Upstream(BaseHTTPRequestHandler):
    """Answers by path; ``asked`` counts the requests of each path."""

    protocol_version = "HTTP/1.1"
    asked: ClassVar[Counter[str]] = Counter()
    close = threading.Event()

    def do_GET(self) -> None:
        """Answer."""
        self.asked[self.path] += 1
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        getattr(self, f"_{self.path.strip('/').partition('?')[0]}")(body)

    do_POST = do_PUT = do_GET  # noqa: N815

    def log_message(self, *_: object) -> None:
        """Keep quiet."""

    def _send(self, status: int, body: bytes, **headers: str) -> None:
        self.send_response(status)
        for name, value in {"content_length": str(len(body)), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def _echo(self, body: bytes) -> None:
        said = {"headers": dict(self.headers.items()), "body": body.decode()}
        self._send(200, json.dumps(said).encode(), content_type="application/json")

    def _flaky(self, _: bytes) -> None:
        if self.asked[self.path] <= 2:
            self._send(503, b"busy")
        else:
            self._send(200, b"good")

    def _broken(self, _: bytes) -> None:
        self._send(500, b"always")

    def _intended(self, _: bytes) -> None:
        self._send(501, b"meant")

    def _cut(self, _: bytes) -> None:
        if self.asked[self.path] > 1:
            self._send(200, b"whole")
            return
        self._send(200, b"par", content_length="5")
        self.close_connection = True

    def _lie(self, _: bytes) -> None:
        self._send(200, b"not gzip", content_encoding="gzip")

    def _big(self, _: bytes) -> None:
        self._send(200, BIG)

    def _events(self, _: bytes) -> None:
        self._send(200, b"data: 1\n\n", content_length="9999", content_type="text/event-stream")
        self.close.wait(10)

    def _endless(self, _: bytes) -> None:
        self._send(200, b"some", content_length="9999999")
        self.close.wait(10)


@contextmanager
def running_upstream() -> Iterator[Address]:
    """Serve on a free loopback port until left."""
    Upstream.asked.clear()
    Upstream.close.clear()
    with ThreadingHTTPServer(("127.0.0.1", 0), Upstream) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield Address("http", "127.0.0.1", server.server_port)
        finally:
            Upstream.close.set()
            server.shutdown()
            thread.join()
