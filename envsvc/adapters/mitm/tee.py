"""Keep a copy of a body while it streams through to the client."""

import time

from envsvc.exchange.message import Chunk

# One answer must not fill the memory; a larger one is dropped and listed.
MAX_KEPT_BYTES = 256 * 1024 * 1024


class Tee:
    """A stream callable of mitmproxy: passes every piece on at once, and keeps it."""

    def __init__(self, limit: int = MAX_KEPT_BYTES) -> None:
        """Start the clock of the chunks; keep up to *limit* bytes."""
        self._start_s = time.monotonic()
        self._limit = limit
        self._pieces: list[bytes] = []
        self._times_ms: list[int] = []
        self._size = 0

    def __call__(self, piece: bytes) -> bytes:
        """Keep *piece* and pass it on; b"" is mitmproxy's sign for the end."""
        self._size += len(piece)
        if self.is_too_large:
            self._pieces.clear()
        elif piece:
            self._pieces.append(piece)
            self._times_ms.append(round((time.monotonic() - self._start_s) * 1000))
        return piece

    @property
    def is_too_large(self) -> bool:
        """Say whether the body did not fit and is lost."""
        return self._size > self._limit

    @property
    def content(self) -> bytes:
        """Return what came so far."""
        return b"".join(self._pieces)

    @property
    def chunks(self) -> tuple[Chunk, ...]:
        """Return when each piece came and how long it is, as sent."""
        pairs = zip(self._times_ms, self._pieces, strict=True)
        return tuple(Chunk(t_ms=t_ms, length=len(piece)) for t_ms, piece in pairs)
