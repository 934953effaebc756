"""Keep the bodies that are asked most in memory, within a bound."""

from collections import OrderedDict
from collections.abc import Callable

# Together below the 150 MB that a server may use for a 500 MB cassette (D20).
MAX_CACHED_BYTES = 48 * 1024 * 1024
MAX_CACHED_BODY = 4 * 1024 * 1024


class BodyCache:
    """A least-recently-used cache in front of a body reader."""

    def __init__(self, read: Callable[[str], bytes]) -> None:
        """Ask *read* for what is not kept."""
        self._read = read
        self._kept: OrderedDict[str, bytes] = OrderedDict()
        self._size = 0

    def __call__(self, path: str) -> bytes:
        """Return the body at *path*; b"" for the empty path. Raises what the reader raises."""
        if not path:
            return b""
        body = self._kept.get(path)
        if body is not None:
            self._kept.move_to_end(path)
            return body
        body = self._read(path)
        self._keep(path, body)
        return body

    def _keep(self, path: str, body: bytes) -> None:
        if len(body) > MAX_CACHED_BODY:
            return
        self._kept[path] = body
        self._size += len(body)
        while self._size > MAX_CACHED_BYTES:
            _, dropped = self._kept.popitem(last=False)
            self._size -= len(dropped)
