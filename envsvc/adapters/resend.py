"""Ask recorded requests again: the self-replay of a recording that no tour made."""

from collections.abc import Callable, Iterable, Sequence

from envsvc.adapters.http_asker import HttpAsker
from envsvc.cassette.manifest import BrowserInfo
from envsvc.exchange.message import Exchange, Response
from envsvc.ports import StepResult, TourSource
from envsvc.record.app_spec import AppSpec, BrowserSpec


class Resend:
    """ports.Browser without a browser: its tour is every recorded request, once."""

    def __init__(self, asker: HttpAsker, exchanges: Callable[[], Iterable[Exchange]]) -> None:
        """Let *asker* ask the requests of *exchanges*, which are read when the tour begins."""
        self._asker = asker
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
        for exchange in filter(_is_plain, self._exchanges()):
            self._asker.ask(exchange.request, proxy_url)
        return []


def _is_plain(exchange: Exchange) -> bool:
    """Say whether an exchange ends by itself: no web socket, no stream that stays open."""
    is_response = isinstance(exchange.answer, Response)
    return is_response and not exchange.stream_open and exchange.request.url.startswith("http")
