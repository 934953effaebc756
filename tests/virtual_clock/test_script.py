"""The script as it is put into pages and workers, and how it is switched off."""

import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import httpx
import pytest

import envsvc
from envsvc.adapters.virtual_clock.script import clock_function
from tests.replay.conftest import workspace

__all__ = ["workspace"]

AS_A_BROWSER = {"Upgrade-Insecure-Requests": "1", "Accept": "text/html"}


@pytest.mark.parametrize("ending", ["</script", "<!--", "]]>", "\n"])
def test_nothing_in_it_ends_what_it_stands_in(ending: str) -> None:
    """HTML 13.1.2: an element, a CDATA section, and the one line that it takes."""
    assert ending not in clock_function()


def test_it_is_the_same_in_every_charset() -> None:
    """Encoding Standard: ASCII is written alike by all that a page may be in."""
    assert clock_function().isascii()


def test_every_part_is_in_it() -> None:
    """D11: no file of the script is forgotten."""
    folder = files("envsvc.adapters.virtual_clock")
    parts = [file for file in folder.iterdir() if file.name.endswith(".js")]
    first = [next(x for x in p.read_text().splitlines() if x and x[:2] != "//") for p in parts]

    assert len(parts) > 1
    assert [line for line in first if line.strip() not in clock_function()] == []


@pytest.mark.loopback
@pytest.mark.parametrize(("clock", "is_changed"), [("frozen", True), ("real", False)])
def test_the_python_api_sets_the_clock(workspace: Path, clock: str, *, is_changed: bool) -> None:
    """D11: ``envsvc.replay(clock=...)``."""
    with envsvc.replay("shop/v1", workspace=workspace, clock=clock) as session:
        page = httpx.get("http://shop.test/", headers=AS_A_BROWSER, **session.httpx_kwargs).text

    assert ("freeze" in page) is is_changed


@pytest.mark.loopback
@pytest.mark.parametrize(("words", "is_changed"), [((), True), (("--clock", "real"), False)])
def test_the_command_sets_the_clock(
    workspace: Path,
    words: tuple[str, ...],
    *,
    is_changed: bool,
) -> None:
    """D11: ``envsvc exec --clock``."""
    asked = [f"-H{name}: {value}" for name, value in AS_A_BROWSER.items()]
    start = [sys.executable, "-m", "envsvc.cli.main", "-C", str(workspace), "exec"]
    finished = subprocess.run(
        [*start, "--app", "shop/v1", *words, "--", "curl", "-s", *asked, "http://shop.test/"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert "<h1>home</h1>" in finished.stdout
    assert ("freeze" in finished.stdout) is is_changed
