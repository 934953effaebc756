"""Change what browsers run, as the answers go out."""

from datetime import datetime

from envsvc.adapters.virtual_clock.script import clock_function
from envsvc.cassette.manifest import Manifest
from envsvc.cassette.stored import Entry, StoredResponse
from envsvc.exchange.message import Request
from envsvc.playback.frozen_answer import ClockSource, FrozenAnswer, frozen_answer
from envsvc.playback.virtual_clock import ClockMode


class PageClock:
    """Gives the pages of one cassette its clock; changes nothing in mode ``real``."""

    def __init__(self, manifest: Manifest, mode: ClockMode) -> None:
        """Take digest and time from *manifest*."""
        self._is_frozen = mode is ClockMode.FROZEN
        self._source = ClockSource(
            function=clock_function(),
            digest=manifest.digest,
            recorded_ms=datetime.fromisoformat(manifest.recorded_at).timestamp() * 1000,
        )

    def changed(
        self, request: Request, entry: Entry, response: StoredResponse, body: bytes
    ) -> FrozenAnswer | None:
        """Return what to serve instead of *body*; None if the answer stays as it is."""
        if not self._is_frozen:
            return None
        return frozen_answer(request, entry, response, body, self._source)
