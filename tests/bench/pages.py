"""How long a page takes in Chromium: live, from envsvc, from Playwright's route_from_har (D20)."""

import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

from playwright.sync_api import Browser, BrowserContext, Page

from envsvc.adapters.browser.chromium import ProxySettings, running_chromium
from tests.bench.figures import Claim, Measurement, Section, median, ratio
from tests.bench.servers import Place, envsvc_serving
from tests.bench.shop import APP, live_shop, record_shop, shop_in

_LIVE, _REPLAY, _ROUTE = "live shop", "envsvc serve", "Playwright route_from_har"
_PATHS = ("/catalogue", "/product/p01", "/product/p02", "/product/p03", "/product/p04")
_ROUNDS = 9

type Open = Callable[[str], float]
"""Open the page at a path and return the milliseconds until its load event."""


def measure_pages(place: Place) -> list[Section]:
    """Return one section; every load fetches everything, for no page has a cache."""
    cassette = record_shop(place)
    recorded = f"http://{shop_in(place).spec.virtual_host}"
    with ExitStack() as stack:
        live = f"http://{stack.enter_context(live_shop(place))}"
        served = stack.enter_context(envsvc_serving(place, APP))
        browser = stack.enter_context(running_chromium())
        proxy = ProxySettings(server=f"http://127.0.0.1:{served.port}")
        samples = _in_turns(
            {
                _LIVE: _opener(browser.new_context(), live),
                _REPLAY: _opener(browser.new_context(proxy=proxy), recorded),
                _ROUTE: _opener(_routed(browser, cassette), recorded),
            }
        )
    rows = [
        Measurement(name, {"median ms": median(values), "best ms": min(values)})
        for name, values in samples.items()
    ]
    return [
        Section(
            title=f"A page in Chromium: {len(_PATHS)} pages of the shop, {_ROUNDS} times each",
            measured=tuple(rows),
            claims=(
                Claim(
                    what="load time, envsvc over live, median of pairs",
                    value=_paired(samples[_REPLAY], samples[_LIVE]),
                    unit="x",
                    at_most=1.0,
                ),
                Claim(
                    what="load time, envsvc over route_from_har, median of pairs",
                    value=_paired(samples[_REPLAY], samples[_ROUTE]),
                    unit="x",
                    at_most=1.0,
                ),
            ),
        )
    ]


def _paired(ours: Sequence[float], theirs: Sequence[float]) -> float:
    """Return the median ratio of two loads of one page that followed each other closely."""
    return median(map(ratio, ours, theirs))


def _in_turns(openers: Mapping[str, Open]) -> dict[str, list[float]]:
    """Return the times of each candidate, page by page; the order changes with every round."""
    samples: dict[str, list[float]] = {name: [] for name in openers}
    order = deque(openers.items())
    for round_number in range(_ROUNDS + 1):
        for path in _PATHS:
            for name, open_page in order:
                took_ms = open_page(path)
                if round_number:  # the first round warms up
                    samples[name].append(took_ms)
        order.rotate()
    return samples


def _opener(context: BrowserContext, base: str) -> Open:
    page = context.new_page()
    _disable_cache(page)

    def open_page(path: str) -> float:
        start = time.perf_counter()
        response = page.goto(base + path, wait_until="load")
        took_ms = (time.perf_counter() - start) * 1000
        assert response is not None
        assert response.status == 200, f"{base}{path} answered {response.status}"
        return took_ms

    return open_page


def _routed(browser: Browser, cassette: Path) -> BrowserContext:
    context = browser.new_context()
    context.route_from_har(cassette / "traffic.har", not_found="abort")
    return context


def _disable_cache(page: Page) -> None:
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    session.send("Network.setCacheDisabled", {"cacheDisabled": True})
