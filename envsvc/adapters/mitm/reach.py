"""Find out, once for each host, whether it can be connected at all."""

import asyncio
import socket

from envsvc.exchange.message import Failure

CONNECT_TIMEOUT_S = 10.0


class Reach:
    """Tries hosts and remembers the outcome: a host does not come back during a recording."""

    def __init__(self) -> None:
        """Know no host yet."""
        self._tried: dict[tuple[str, int], asyncio.Task[Failure | None]] = {}

    async def failure(self, host: str, port: int) -> Failure | None:
        """Return why *host* cannot be connected, or None if it can."""
        place = (host.lower(), port)
        if place not in self._tried:
            self._tried[place] = asyncio.create_task(_try(host, port))
        return await asyncio.shield(self._tried[place])


async def _try(host: str, port: int) -> Failure | None:
    """Connect and hang up. Messages are ours: those of the system differ between systems."""
    try:
        async with asyncio.timeout(CONNECT_TIMEOUT_S):
            _, writer = await asyncio.open_connection(host, port)
    except TimeoutError:
        return Failure(kind="timeout", message="no answer to a connection attempt")
    except (socket.gaierror, UnicodeError):
        return Failure(kind="dns", message="the name has no address")
    except OSError:
        return Failure(kind="connect", message="the connection was refused")
    writer.close()
    return None
