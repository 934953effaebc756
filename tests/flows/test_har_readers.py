"""Other tools read a recorded cassette: Playwright replays it, mitmproxy imports it (D2)."""

from pathlib import Path

import pytest
from mitmproxy.http import HTTPFlow
from mitmproxy.io import FlowReader

from envsvc.adapters.browser.chromium import running_chromium

TRAFFIC = Path(__file__).parents[2] / "har" / "shop" / "v1" / "traffic.har"


@pytest.mark.browser
def test_playwright_replays_the_read_only_tour() -> None:
    """D2: route_from_har serves the catalogue and every default view from our traffic file."""
    views = [f"product/p{number:02}" for number in range(1, 13)]
    with running_chromium() as browser:
        context = browser.new_context()
        context.route_from_har(TRAFFIC, not_found="abort")
        page = context.new_page()
        statuses = []
        for path in ("catalogue", *views):
            answer = page.goto(f"http://shop.test/{path}")
            statuses.append((answer.status if answer else 0, page.locator("h1").count()))
        context.close()

    assert statuses == [(200, 1)] * 13


def test_mitmproxy_imports_every_entry() -> None:
    """D2: the HAR import of mitmproxy reads all requests."""
    with TRAFFIC.open("rb") as file:
        flows = [flow for flow in FlowReader(file).stream() if isinstance(flow, HTTPFlow)]

    assert len(flows) == len(TRAFFIC.read_bytes().splitlines()) - 2
    assert "http://shop.test/product/p12" in [flow.request.url for flow in flows]
