"""Find the exchange of a cassette that somebody means: by its number, its key or its URL."""

from collections.abc import Sequence

from envsvc.errors import EnvsvcError
from envsvc.exchange.key import canonical_key
from envsvc.exchange.message import Exchange, Request
from envsvc.exchange.url import canonical_url

# Shorter ones are rather numbers or words; four digits are enough in a cassette of thousands.
_SHORTEST_KEY = 4
_LISTED = 10


class NoSuchExchangeError(EnvsvcError):
    """A cassette has no such exchange, or several."""

    code = "E013"


def picked(exchanges: Sequence[Exchange], name: str) -> int:
    """Return the number of the exchange that *name* means.

    It is a number from 0 in recorded order, the beginning of a key in hexadecimal, ``URL`` or
    ``METHOD URL``; a URL without scheme and host is of the first exchange's host. Raises:
    NoSuchExchangeError, naming the choices if there are several.
    """
    if name.isdecimal() and int(name) < len(exchanges):
        return int(name)
    found = _by_key(exchanges, name.lower()) or _by_url(exchanges, name)
    if len(found) == 1:
        return found[0]
    if not found:
        raise NoSuchExchangeError(
            f"no exchange is {name!r}", fix="List them: envsvc ls --app APP/VERSION --entries"
        )
    choices = "; ".join(f"{n}: {_words(exchanges[n])}" for n in found[:_LISTED])
    raise NoSuchExchangeError(
        f"{len(found)} exchanges are {name!r}", fix=f"Choose one by its number. {choices}"
    )


def _by_key(exchanges: Sequence[Exchange], start: str) -> list[int]:
    if len(start) < _SHORTEST_KEY or not set(start) <= set("0123456789abcdef"):
        return []
    return [
        number
        for number, exchange in enumerate(exchanges)
        if canonical_key(exchange.request).hex().startswith(start)
    ]


def _by_url(exchanges: Sequence[Exchange], name: str) -> list[int]:
    first, _, rest = name.rpartition(" ")
    method, text = first.strip().upper(), rest.strip()
    wanted = canonical_url(_absolute(exchanges, text))
    return [
        number
        for number, exchange in enumerate(exchanges)
        if canonical_url(exchange.request.url) == wanted is not None
        and method in {"", exchange.request.method}
    ]


def _absolute(exchanges: Sequence[Exchange], text: str) -> str:
    if not text.startswith("/") or not exchanges:
        return text
    url = canonical_url(exchanges[0].request.url)
    return f"{url.origin}{text}" if url else text


def _words(exchange: Exchange) -> str:
    request: Request = exchange.request
    return f"{request.method} {request.url}"
