"""What recording adds to a tour: over plain mitmdump, and over no proxy at all (D20)."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace

from envsvc.adapters.browser.driver import PlaywrightBrowser
from envsvc.adapters.recording import plan_recording, prepared
from envsvc.adapters.workspace import Workspace
from envsvc.app.record_app import record_app
from envsvc.cassette.manifest import BrowserInfo
from envsvc.ports import StepResult, TourSource
from envsvc.record.app_spec import AppSpec, BrowserSpec
from tests.bench.figures import Claim, Measurement, Section, ratio
from tests.bench.processes import free_port, running, wait_for_port
from tests.bench.servers import MITMDUMP, Place
from tests.bench.shop import APP, TOUR, live_shop, shop_in

_RECORDED, _MITMDUMP, _LIVE = "envsvc record", "plain mitmdump", "no proxy"
_ROUNDS = 3
_MAX_TIMES_MITMDUMP = 1.15


class _TimedBrowser:
    """A ports.Browser that notes how long the whole tour took, the browser's start included."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._browser = PlaywrightBrowser()

    def info(self, settings: BrowserSpec) -> BrowserInfo:
        return self._browser.info(settings)

    def tour(
        self,
        tour: TourSource,
        *,
        spec: AppSpec,
        version: str,
        proxy_url: str,
        on_step: Callable[[StepResult], None],
    ) -> Sequence[StepResult]:
        start = time.perf_counter()
        results = self._browser.tour(
            tour, spec=spec, version=version, proxy_url=proxy_url, on_step=on_step
        )
        self.seconds = time.perf_counter() - start
        problems = [result.problem for result in results if result.problem]
        assert not problems, problems
        return results


class _NoWatcher:
    """A record_app.Watcher that shows nothing."""

    def step(self, tour: str, result: StepResult) -> None:
        pass

    def exchange(self, size: int) -> None:
        pass


def measure_recording(place: Place) -> list[Section]:
    """Return one section: the tour that only reads, a fresh shop each time."""
    ways: Mapping[str, Callable[[Place], float]] = {
        _LIVE: _live,
        _MITMDUMP: _through_mitmdump,
        _RECORDED: _recorded,
    }
    samples: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(_ROUNDS):
        for name, way in ways.items():
            samples[name].append(way(place))
    best = {name: min(seconds) for name, seconds in samples.items()}
    return [
        Section(
            title=f"Recording: tour {TOUR} of {APP}, best of {_ROUNDS}",
            measured=tuple(Measurement(name, {"seconds": best[name]}) for name in ways),
            claims=(
                Claim(
                    what="tour time, recorded over plain mitmdump",
                    value=ratio(best[_RECORDED], best[_MITMDUMP]),
                    unit="x",
                    at_most=_MAX_TIMES_MITMDUMP,
                ),
                Claim(
                    what="tour time, recorded over no proxy",
                    value=ratio(best[_RECORDED], best[_LIVE]),
                    unit="x",
                ),
            ),
        )
    ]


def _recorded(place: Place) -> float:
    shop_in(place)
    plan = plan_recording(place.workspace, APP, tours=[TOUR], passes=1, port=0, attach=False)
    with prepared(plan, resume=False, discard=True) as setup:
        browser = _TimedBrowser()
        record_app(plan.task, replace(setup.tools(_NoWatcher()), browser=browser))
        setup.journal.discard()
    return browser.seconds


def _live(place: Place) -> float:
    with live_shop(place) as address:
        # The shop takes requests in the form that proxies get, so it can stand in for one.
        return _visited(place, f"http://{address}")


def _through_mitmdump(place: Place) -> float:
    with live_shop(place) as address, _plain_mitmdump(place, address) as proxy_url:
        return _visited(place, proxy_url)


@contextmanager
def _plain_mitmdump(place: Place, address: str) -> Iterator[str]:
    """Run mitmdump as it comes, everything led to *address*; give its URL."""
    port, log = free_port(), place.log("mitmdump-plain")
    options = {"confdir": place.home / "mitmdump", "listen_host": "127.0.0.1", "listen_port": port}
    words = [word for name, value in options.items() for word in ("--set", f"{name}={value}")]
    with running([*MITMDUMP, "--mode", f"upstream:http://{address}", *words], log) as process:
        wait_for_port(process, port, log)
        yield f"http://127.0.0.1:{port}"


def _visited(place: Place, proxy_url: str) -> float:
    """Follow the tour and return how long it took."""
    shop, browser = shop_in(place), _TimedBrowser()
    browser.tour(
        Workspace(place.workspace).tour(shop.app, TOUR),
        spec=shop.spec,
        version=shop.version,
        proxy_url=proxy_url,
        on_step=lambda _: None,
    )
    return browser.seconds
