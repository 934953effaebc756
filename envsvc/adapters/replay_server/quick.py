"""The fast path: a request that came in the same bytes before gets the same answer (D10)."""

from collections import Counter

import msgspec

from envsvc.playback.outcome import Outcome
from envsvc.playback.session import Session

_MAX_REQUEST = 8 * 1024
_MAX_ANSWER = 256 * 1024
# With the body cache still below what a server may use for a large cassette (D20).
_MAX_KEPT_BYTES = 32 * 1024 * 1024

type Place = dict[bytes, "Quick"]
"""What is kept for one listener and one origin, by the bytes of the request."""


class Quick(msgspec.Struct, frozen=True, gc=False):
    """The answer to a request that came in exactly these bytes before, in this epoch."""

    content: bytes
    outcome: Outcome
    entry_number: int
    session: Session
    epoch: int
    is_assumed: bool

    @property
    def holds(self) -> bool:
        """Say whether nothing was written since."""
        return self.epoch == self.session.epoch

    def count(self) -> None:
        """Count it once more."""
        self.session.hit(self.outcome, self.entry_number, is_assumed=self.is_assumed)


class QuickAnswers:
    """Answers by the request's bytes, bounded: one look-up instead of parsing and deciding."""

    def __init__(self, limit: int = _MAX_KEPT_BYTES) -> None:
        """Keep at most *limit* bytes, of all listeners together."""
        self._limit = limit
        self._places: dict[str, dict[str, Place]] = {}
        self._sizes: Counter[str] = Counter()

    def place(self, listener: str, origin: str) -> Place:
        """Return what is kept for requests of one listener to one origin ("" outside tunnels)."""
        return self._places.setdefault(listener, {}).setdefault(origin, {})

    def keep(self, listener: str, place: Place, data: bytes, quick: Quick) -> None:
        """Keep *quick* in a place of *listener* if it is small; what was kept goes if it is full.

        Starting anew costs a moment; choosing what to drop would cost every request.
        """
        size = len(data) + len(quick.content)
        if len(data) > _MAX_REQUEST or len(quick.content) > _MAX_ANSWER:
            return
        if self._sizes.total() + size > self._limit:
            self._clear()
        place[data] = quick
        self._sizes[listener] += size

    def forget(self, listener: str) -> None:
        """Make room: *listener* is closed."""
        self._places.pop(listener, None)
        self._sizes.pop(listener, None)

    def _clear(self) -> None:
        for places in self._places.values():
            for place in places.values():
                place.clear()
        self._sizes.clear()
