"""Ask recorded requests again: the self-replay of a recording that no tour made."""

import contextlib
from collections.abc import Callable, Iterable, Sequence

import httpx

from envsvc.cassette.manifest import BrowserInfo
from envsvc.exchange.message import Exchange, Response, without_headers
from envsvc.ports import StepResult, TourSource
from envsvc.record.app_spec import AppSpec, BrowserSpec

_TIMEOUT_S = 10.0
# httpx makes its own of these.
_MADE_ANEW = frozenset({"host", "content-length", "accept-encoding"})


class Resend:
    """ports.Browser without a browser: its tour is every recorded request, once."""

    def __init__(self, exchanges: Callable[[], Iterable[Exchange]]) -> None:
        """Ask the requests of *exchanges*, which are read when the tour begins."""
        self._exchanges = exchanges

    def info(self, settings: BrowserSpec) -> BrowserInfo:
        """Say that whoever used the proxy is not known."""
        return BrowserInfo(
            build="attached client",
            locale=settings.locale,
            timezone=settings.timezone,
            viewport=settings.viewport,
        )

    def tour(
        self,
        tour: TourSource,  # noqa: ARG002  (the port's interface)
        *,
        spec: AppSpec,  # noqa: ARG002
        version: str,  # noqa: ARG002
        proxy_url: str,
        on_step: Callable[[StepResult], None],  # noqa: ARG002
    ) -> Sequence[StepResult]:
        """Ask everything; what comes back is judged by the session's report, not here."""
        # The client of a replay on this machine: there is nobody whom TLS would prove.
        with httpx.Client(proxy=proxy_url, verify=False, timeout=_TIMEOUT_S) as client:  # noqa: S501
            for exchange in filter(_is_plain, self._exchanges()):
                request = exchange.request
                headers = without_headers(request.headers, _MADE_ANEW)
                # A recorded failure fails again, and that is right.
                with contextlib.suppress(httpx.HTTPError):
                    client.request(
                        request.method, request.url, headers=list(headers), content=request.body
                    )
        return []


def _is_plain(exchange: Exchange) -> bool:
    """Say whether an exchange ends by itself: no web socket, no stream that stays open."""
    is_response = isinstance(exchange.answer, Response)
    return is_response and not exchange.stream_open and exchange.request.url.startswith("http")
