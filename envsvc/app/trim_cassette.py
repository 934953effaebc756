"""Choose which exchanges of a cassette stay."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import msgspec

from envsvc.cassette.manifest import Manifest
from envsvc.errors import EnvsvcError
from envsvc.exchange.message import Exchange
from envsvc.exchange.pattern import matches
from envsvc.playback.session import SessionReport


class OtherCassetteError(EnvsvcError):
    """A report does not say which entries of this very cassette were used."""

    code = "E207"


class Cut(msgspec.Struct, frozen=True, kw_only=True):
    """What stays and what goes. A pattern is of host and path, as for noise.

    With ``keep`` only what matches one of them stays, with ``used`` only those numbers; whatever
    matches one of ``drop`` goes in every case. () and None leave all.
    """

    keep: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    used: frozenset[int] | None = None


class Divided(NamedTuple):
    """The exchanges of a cassette in recorded order."""

    kept: list[Exchange]
    dropped: list[Exchange]


def divided(exchanges: Iterable[Exchange], cut: Cut) -> Divided:
    """Return *exchanges* by whether they stay."""
    parts = Divided([], [])
    for number, exchange in enumerate(exchanges):
        (parts.kept if _stays(number, exchange, cut) else parts.dropped).append(exchange)
    return parts


def used_entries(reports: Sequence[SessionReport], manifest: Manifest) -> frozenset[int]:
    """Return the numbers of the entries that any of *reports* says were served.

    Raises: OtherCassetteError for a report of another cassette, or of an older envsvc.
    """
    for report in reports:
        if report.cassette_digest != manifest.digest:
            raise OtherCassetteError(
                f"session {report.session} was answered from cassette {report.cassette_digest}, "
                f"this one is {manifest.digest}",
                fix="Run the session again against this cassette",
            )
        if report.entries_used != len(report.used):
            raise OtherCassetteError(
                f"the report of session {report.session} does not name the entries it used",
                fix="Run the session again with this envsvc",
            )
    return frozenset(number for report in reports for number in report.used)


def _stays(number: int, exchange: Exchange, cut: Cut) -> bool:
    url = exchange.request.url
    if matches(url, cut.drop) or (cut.keep and not matches(url, cut.keep)):
        return False
    return cut.used is None or number in cut.used
