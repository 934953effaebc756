"""Leave out recorded answers that only led to another answer of the same key (D4)."""

from collections.abc import Sequence
from urllib.parse import urljoin

from envsvc.cassette.stored import Entry
from envsvc.exchange.message import Failure, header_values
from envsvc.exchange.url import canonical_url

# They authenticate a connection, not a request (RFC 4559, MS-NTHT): no replay can repeat that.
_CONNECTION_SCHEMES = frozenset({"ntlm", "negotiate"})
_UNAUTHORIZED = 401
_REDIRECTS = range(300, 400)
_SAME_METHOD = frozenset({307, 308})
_READS = frozenset({"GET", "HEAD"})
_PIECES = frozenset({206, 304})


def without_handshakes(entries: Sequence[Entry]) -> list[Entry]:
    """Leave out answers that only led to the next ask of the same key, if a final one exists.

    A redirect to itself would loop, and a challenge bound to a connection cannot be repeated.
    """
    final = [entry for entry in entries if not (_leads_to_itself(entry) or _challenges(entry))]
    return final or list(entries)


def without_pieces(entries: Sequence[Entry]) -> list[Entry]:
    """Leave out a 304 and a 206 if a whole answer exists: it serves what they would."""
    whole = [entry for entry in entries if _status(entry) not in _PIECES]
    return whole or list(entries)


def _status(entry: Entry) -> int:
    return 0 if isinstance(entry.answer, Failure) else entry.answer.status


def _leads_to_itself(entry: Entry) -> bool:
    if isinstance(entry.answer, Failure) or entry.answer.status not in _REDIRECTS:
        return False
    if entry.method not in _READS and entry.answer.status not in _SAME_METHOD:
        return False  # what follows is a GET (RFC 9110 15.4.4), so another key
    here = canonical_url(entry.url)
    places = header_values(entry.headers, "location")
    return any(canonical_url(urljoin(entry.url, place)) == here for place in places)


def _challenges(entry: Entry) -> bool:
    if isinstance(entry.answer, Failure) or entry.answer.status != _UNAUTHORIZED:
        return False
    values = header_values(entry.headers, "www-authenticate")
    schemes = {value.split(" ", 1)[0].strip(",").lower() for value in values}
    return bool(schemes) and schemes <= _CONNECTION_SCHEMES
