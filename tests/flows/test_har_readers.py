"""Other tools read a cassette and its plain HAR: Playwright replays, mitmproxy imports (D2)."""

import subprocess
import sys
from pathlib import Path

import pytest
from mitmproxy.http import HTTPFlow
from mitmproxy.io import FlowReader

from envsvc.adapters.browser.chromium import running_chromium

REPOSITORY = Path(__file__).parents[2]
TRAFFIC = REPOSITORY / "har" / "shop" / "v1" / "traffic.har"


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the plain HAR of the shop's cassette, away from its bodies."""
    har = tmp_path_factory.mktemp("export") / "shop.har"
    words = ["-C", str(REPOSITORY), "export", "--app", "shop/v1", "--har", str(har)]
    subprocess.run([sys.executable, "-m", "envsvc.cli.main", *words], check=True)
    return har


@pytest.fixture(params=["cassette", "export"])
def har(request: pytest.FixtureRequest, exported: Path) -> Path:
    """Give the traffic file of the cassette, then its export."""
    return TRAFFIC if request.param == "cassette" else exported


@pytest.mark.browser
def test_playwright_replays_the_read_only_tour(har: Path) -> None:
    """D2: route_from_har serves the catalogue and every default view."""
    views = [f"product/p{number:02}" for number in range(1, 13)]
    with running_chromium() as browser:
        context = browser.new_context()
        context.route_from_har(har, not_found="abort")
        page = context.new_page()
        statuses = []
        for path in ("catalogue", *views):
            answer = page.goto(f"http://shop.test/{path}")
            statuses.append((answer.status if answer else 0, page.locator("h1").count()))
        context.close()

    assert statuses == [(200, 1)] * 13


@pytest.mark.parametrize(("from_export", "entries"), [(False, 78), (True, 77)])
def test_mitmproxy_imports_every_entry(exported: Path, *, from_export: bool, entries: int) -> None:
    """D2: the HAR import of mitmproxy reads all requests; what failed is in the cassette only."""
    with (exported if from_export else TRAFFIC).open("rb") as file:
        flows = [flow for flow in FlowReader(file).stream() if isinstance(flow, HTTPFlow)]

    assert len(flows) == entries
    assert "http://shop.test/product/p12" in [flow.request.url for flow in flows]
