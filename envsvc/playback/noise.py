"""Tell whose miss it is: the task's, a third party's, or browser chatter (D6)."""

from collections.abc import Iterable

from envsvc.exchange.message import Request, header
from envsvc.exchange.pattern import matches, place, place_matches
from envsvc.exchange.url import canonical_host, host_of
from envsvc.playback.outcome import MissClass

# What browsers ask by themselves, seen in recordings of a bare Chromium and of Firefox.
BROWSER_CHATTER = (
    "accounts.google.com/ListAccounts*",
    "android.clients.google.com/*",
    "clients[0-9].google.com/*",
    "clientservices.googleapis.com/*",
    "content-autofill.googleapis.com/*",
    "optimizationguide-pa.googleapis.com/*",
    "redirector.gvt1.com/*",
    "safebrowsing.googleapis.com/*",
    "safebrowsingohttpgateway.googleapis.com/*",
    "update.googleapis.com/*",
    "edgedl.me.gvt1.com/*",
    "www.google.com/dl/release2/*",
    "detectportal.firefox.com/*",
    "firefox.settings.services.mozilla.com/*",
    "incoming.telemetry.mozilla.org/*",
    "push.services.mozilla.com/*",
)
# What they ask of every site, whether it is there or not.
_ASKED_OF_EVERY_SITE = (
    "*/favicon.ico",
    "*/apple-touch-icon*.png",
    "*/.well-known/appspecific/com.chrome.devtools.json",
)
BUILT_IN_NOISE = (*BROWSER_CHATTER, *_ASKED_OF_EVERY_SITE)


def is_browser_chatter(url: str) -> bool:
    """Say whether a browser asks for *url* by itself: that belongs to no app and no recording."""
    return matches(url, BROWSER_CHATTER)


def is_worker_script(request: Request) -> bool:
    """Say whether a browser asks for the script of a service worker, new or to be updated.

    No page waits for it (Service Workers, "Update").
    """
    return header(request.headers, "service-worker") == "script"


class MissClassifier:
    """Sorts misses by the task hosts and the noise patterns of one cassette."""

    def __init__(self, task_hosts: Iterable[str], noise: Iterable[str]) -> None:
        """Take *task_hosts*, and *noise* patterns of ``host/path`` beside the built-in ones."""
        self._task_hosts = frozenset(map(canonical_host, task_hosts))
        self._noise = (*BUILT_IN_NOISE, *noise)

    def is_task(self, url: str) -> bool:
        """Say whether *url* is the app's own and no noise."""
        return self.classify(url) is MissClass.TASK

    def classify_request(self, request: Request) -> MissClass:
        """Return the class of a miss of *request*; see classify."""
        return MissClass.NOISE if is_worker_script(request) else self.classify(request.url)

    def classify(self, url: str) -> MissClass:
        """Return the class of a miss of *url*; noise patterns win over task hosts."""
        asked = place(url)
        if not asked:
            return MissClass.TASK
        if place_matches(asked, self._noise):
            return MissClass.NOISE
        return MissClass.TASK if host_of(url) in self._task_hosts else MissClass.THIRD_PARTY
