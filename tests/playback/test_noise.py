"""Whose miss it is: the task's, a third party's, or the browser's own chatter."""

import pytest

from envsvc.exchange.message import Request
from envsvc.playback.noise import MissClassifier, is_browser_chatter
from envsvc.playback.outcome import MissClass

CLASSIFIER = MissClassifier(["Shop.test", "api.test"], ["stats.test/*", "shop.test/ping"])


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://shop.test/cart", MissClass.TASK),
        ("https://SHOP.test:8443/cart?x", MissClass.TASK),
        ("http://api.test/", MissClass.TASK),
        ("/no/host", MissClass.TASK),
        ("http://cdn.test/lib.js", MissClass.THIRD_PARTY),
        ("http://www.shop.test/", MissClass.THIRD_PARTY),
        ("http://stats.test/collect?id=1", MissClass.NOISE),
        ("http://shop.test/ping", MissClass.NOISE),
        ("http://shop.test/favicon.ico", MissClass.NOISE),
        ("https://update.googleapis.com/service/update2/json?x=1", MissClass.NOISE),
        ("http://clients2.google.com/x", MissClass.NOISE),
        ("http://detectportal.firefox.com/success.txt", MissClass.NOISE),
        ("https://www.google.com/search?q=1", MissClass.THIRD_PARTY),
    ],
)
def test_a_miss_belongs_to_one_class(url: str, expected: MissClass) -> None:
    """D6: noise patterns win, then task hosts count; what names no host is the task's."""
    assert CLASSIFIER.classify(url) is expected


def test_without_a_description_only_browser_chatter_is_noise() -> None:
    """D6: the built-in list holds for every app."""
    bare = MissClassifier([], [])

    assert bare.classify("http://any.test/favicon.ico") is MissClass.NOISE
    assert bare.classify("http://stats.test/collect") is MissClass.THIRD_PARTY


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://update.googleapis.com/service/update2/json?key=1", True),
        ("https://content-autofill.googleapis.com/v1/pages/x", True),
        ("http://shop.test/favicon.ico", False),
        ("http://shop.test/", False),
        ("nonsense", False),
    ],
)
def test_what_a_browser_asks_by_itself_is_told_from_an_apps_traffic(
    url: str, *, expected: bool
) -> None:
    """D6: browser chatter belongs to no recording; a site's own favicon is its own answer."""
    assert is_browser_chatter(url) is expected


@pytest.mark.parametrize(
    ("url", "is_task"),
    [
        ("http://shop.test/cart", True),
        ("http://shop.test/favicon.ico", False),
        ("http://x.test/", False),
    ],
)
def test_only_the_apps_own_pages_are_its_task(url: str, *, is_task: bool) -> None:
    """D4: only writes to these count."""
    assert MissClassifier(("shop.test",), ()).is_task(url) is is_task


def test_the_script_of_a_service_worker_is_noise() -> None:
    """D6: the browser asks for it, and no page waits for it; the same URL without is the task's."""
    url, classifier = "http://shop.test/sw.js", MissClassifier(("shop.test",), ())
    script = Request(method="GET", url=url, headers=(("Service-Worker", "script"),))

    assert classifier.classify_request(script) is MissClass.NOISE
    assert classifier.classify_request(Request(method="GET", url=url)) is MissClass.TASK
