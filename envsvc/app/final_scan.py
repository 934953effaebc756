"""Refuse to store a credential: the last look at every byte of a cassette before it is written."""

from collections.abc import Iterable, Iterator
from itertools import chain

import msgspec

from envsvc.cassette.bodies import body_path
from envsvc.cassette.entry import entry_of
from envsvc.cassette.har import traffic_line
from envsvc.cassette.manifest import Manifest
from envsvc.errors import EnvsvcError
from envsvc.exchange.message import Exchange
from envsvc.exchange.secret_scan import leaks
from envsvc.exchange.spelling import Spellings

_MOST_SHOWN = 5  # places; the first one found is mostly the cause of all others


class SecretLeftError(EnvsvcError):
    """A credential is left in what would be stored."""

    code = "E317"
    exit_code = 1


def refuse_leaks(manifest: Manifest, exchanges: Iterable[Exchange], known: Spellings) -> None:
    """Do nothing if no value of *known* is in the cassette as it would be written.

    Every byte is looked at: the traffic as HAR, each body once, and what the manifest says of
    them. Raises: SecretLeftError, which says where but never what.
    """
    pieces = [(_MANIFEST, msgspec.json.encode(_learnt(manifest)))]
    # Chained, not joined: an import may be larger than the memory.
    found = list(leaks(chain(pieces, _stored(exchanges)), known))
    if found:
        places = ", ".join(leak.place for leak in found[:_MOST_SHOWN])
        more = f" and {len(found) - _MOST_SHOWN} more" if len(found) > _MOST_SHOWN else ""
        raise SecretLeftError(
            f"{sum(leak.count for leak in found)} credentials would be stored",
            where=places + more,
            fix="Nothing was written and the recording is kept. If one of them is a common word, "
            "give the account another password; else please report where it was found",
        )


_MANIFEST, _TRAFFIC = "manifest", "traffic"


def _learnt(manifest: Manifest) -> Manifest:
    """Return *manifest* without what app.yaml says, which is public as it is."""
    return msgspec.structs.replace(
        manifest, app="", version="", virtual_host="", task_hosts=(), noise=(), repeat={}
    )


def _stored(exchanges: Iterable[Exchange]) -> Iterator[tuple[str, bytes]]:
    seen: set[str] = set()
    bodies: dict[str, bytes] = {}

    def store(body: bytes, kind: str) -> str:
        path = body_path(body, kind)
        if path not in seen:
            seen.add(path)
            bodies[path] = body
        return path

    for number, exchange in enumerate(exchanges):
        yield f"{_TRAFFIC}, entry {number}", traffic_line(entry_of(exchange, store), is_last=False)
        yield from bodies.items()
        bodies.clear()
