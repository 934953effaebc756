"""Start the demo shop as its own process, as a recording meets it."""

import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, sync_playwright

SHOP = Path(__file__).resolve().parents[2] / "images" / "shop"
START_TIMEOUT_S = 20
CHROMIUM = "/usr/bin/chromium"

# The shop's folder is no installed package; its modules are imported as the shop itself does.
sys.path.insert(0, str(SHOP))

type StartShop = Callable[..., AbstractContextManager[str]]


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextmanager
def running_shop(version: str, *options: str) -> Iterator[str]:
    """Start a fresh shop, yield its address, end it."""
    port = free_port()
    command = [sys.executable, str(SHOP / "server" / "__main__.py")]
    command += ["--version", version, "--port", str(port), *options]
    with subprocess.Popen(command) as process:
        try:
            address = f"http://127.0.0.1:{port}"
            wait_until_ready(address)
            yield address
        finally:
            process.terminate()


def wait_until_ready(address: str) -> None:
    """Return when /health answers.

    Raises:
        TimeoutError: it did not in time.
    """
    deadline_s = time.monotonic() + START_TIMEOUT_S
    while time.monotonic() < deadline_s:
        try:
            httpx.get(f"{address}/health").raise_for_status()
        except httpx.TransportError:
            time.sleep(0.05)
        else:
            return
    raise TimeoutError(f"the shop at {address} did not start")


@pytest.fixture
def start_shop() -> StartShop:
    """Give a test the means to start a shop of its own."""
    return running_shop


@pytest.fixture(scope="session")
def v1_address() -> Iterator[str]:
    """Run release v1 for all tests that ask for it."""
    with running_shop("v1") as address:
        yield address


@pytest.fixture(scope="session")
def v2_address() -> Iterator[str]:
    """Run release v2 for all tests that ask for it."""
    with running_shop("v2") as address:
        yield address


@pytest.fixture
def v1(v1_address: str) -> Iterator[httpx.Client]:
    """Give a test a guest's client of release v1, without cookies."""
    with httpx.Client(base_url=v1_address, follow_redirects=True) as client:
        yield client


@pytest.fixture
def v2(v2_address: str) -> Iterator[httpx.Client]:
    """Give a test a guest's client of release v2, without cookies."""
    with httpx.Client(base_url=v2_address, follow_redirects=True) as client:
        yield client


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Run one Chromium for the tests of a module."""
    with sync_playwright() as playwright:
        yield playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
