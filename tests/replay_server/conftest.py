"""A running server for each test."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path

import pytest

from envsvc.adapters.replay_server.server import ServeOptions
from envsvc.adapters.replay_server.thread import ReplayThread, RunningReplay
from envsvc.exchange.message import Exchange
from envsvc.exchange.redact import Redactor
from tests.replay_server.cassettes import cassette

type Serve = Callable[..., RunningReplay]


@pytest.fixture(scope="session")
def ca_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give one certificate authority to all tests: making a key takes long."""
    return tmp_path_factory.mktemp("ca")


@pytest.fixture
def serve(ca_folder: Path) -> Iterator[Serve]:
    """Give a function that serves exchanges until the test ends."""
    with ExitStack() as stack:

        def start(*exchanges: Exchange, options: ServeOptions | None = None) -> RunningReplay:
            runtime = ReplayThread(Redactor({}), options, ca_folder)
            serving: AbstractContextManager[RunningReplay] = runtime.serve(cassette(exchanges))
            return stack.enter_context(serving)

        yield start
