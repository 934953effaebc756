"""A finished recording of the shop, for tests to look into."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

from envsvc.adapters.cassette_files import CassetteFiles
from envsvc.cassette.manifest import Manifest
from envsvc.exchange.message import Exchange, Response


class Recorded:
    """A finished `envsvc record` and the cassette that it wrote."""

    def __init__(self, workspace: Path, result: subprocess.CompletedProcess[str]) -> None:
        """Read the cassette in *workspace*."""
        self.workspace = workspace
        self.result = result
        self.store = CassetteFiles(workspace / "har")
        self.exchanges = [exchange for _, exchange in self.store.entries("shop", "v1")]

    @property
    def manifest(self) -> Manifest:
        """Return its manifest."""
        return self.store.manifest("shop", "v1")

    def find(self, url: str, method: str = "GET", status: int = 0) -> list[Exchange]:
        """Return the exchanges of *url*, with *status* if that is not 0."""
        return [
            exchange
            for exchange in self.exchanges
            if (exchange.request.method, exchange.request.url) == (method, url)
            and (not status or status_of(exchange) == status)
        ]

    def answer(self, url: str, method: str = "GET", status: int = 0) -> Response:
        """Return the first answer of *url*."""
        answer = self.find(url, method, status)[0].answer
        assert isinstance(answer, Response)
        return answer

    def files(self) -> Iterator[bytes]:
        """Yield the content of every file of the cassette."""
        for path in (self.workspace / "har").rglob("*"):
            if path.is_file():
                yield path.read_bytes()


def status_of(exchange: Exchange) -> int:
    """Return the status of the answer, 0 if the host failed."""
    return exchange.answer.status if isinstance(exchange.answer, Response) else 0
