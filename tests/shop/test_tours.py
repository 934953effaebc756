"""Both tours pass on both releases in a real browser."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import yaml
from playwright.sync_api import Browser, FilePayload, Page, expect

pytestmark = pytest.mark.browser

type StartShop = Callable[..., AbstractContextManager[str]]

TOURS = Path(__file__).resolve().parents[2] / "images" / "shop" / "tours"


def path_of(address: str) -> str:
    """Drop scheme and host: the name of the shop and its https belong to the proxy."""
    return urlsplit(address)._replace(scheme="", netloc="").geturl()


def upload(page: Page, what: dict[str, str]) -> None:
    """Choose a file that exists only in the tour."""
    content = what["content"].encode()
    file = FilePayload(name=what["name"], mimeType="text/plain", buffer=content)
    page.set_input_files(what["selector"], file)


DO: dict[str, Callable[[Page, Any], object]] = {
    "goto": lambda page, address: page.goto(path_of(address)),
    "click": lambda page, selector: page.click(selector),
    "fill": lambda page, what: page.fill(what["selector"], what["value"]),
    "select": lambda page, what: page.select_option(what["selector"], what["value"]),
    "press": lambda page, what: page.press(what["selector"], what["key"]),
    "upload": upload,
    "see": lambda page, text: expect(page.get_by_text(text).first).to_be_visible(),
    "idle": lambda page, pause_ms: page.wait_for_timeout(pause_ms),
}


def take(page: Page, step: dict[str, Any]) -> None:
    """Take one step."""
    (action,) = step.keys() - {"name"}
    if action == "evaluate":
        assert page.evaluate(step[action])
    else:
        DO[action](page, step[action])


@pytest.mark.parametrize("version", ["v1", "v2"])
@pytest.mark.parametrize("tour", ["default-views", "full"])
def test_tour_passes(browser: Browser, start_shop: StartShop, version: str, tour: str) -> None:
    """Every step does and shows what it says, on either release, without a script error."""
    steps = yaml.safe_load((TOURS / f"{tour}.yaml").read_text())["steps"]
    errors: list[str] = []
    with start_shop(version) as address, browser.new_context(base_url=address) as context:
        page = context.new_page()
        page.set_default_timeout(5_000)
        page.on("pageerror", lambda error: errors.append(error.message))
        for step in steps:
            take(page, step)

    assert errors == []
