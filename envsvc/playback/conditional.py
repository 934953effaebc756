"""Answer a conditional request from a stored answer (RFC 9110 13)."""

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from envsvc.exchange.message import Headers, header, header_values

_READS = frozenset({"GET", "HEAD"})


def is_not_modified(method: str, asked: Headers, stored: Headers) -> bool:
    """Say whether the client already has what is stored: the answer is then 304.

    If-None-Match counts before If-Modified-Since (13.2.2), and validators compare weakly.
    """
    if method not in _READS:
        return False
    tags = ",".join(header_values(asked, "if-none-match"))
    if tags:
        own = _strong(header(stored, "etag"))
        given = [_strong(tag.strip()) for tag in tags.split(",")]
        return bool(own) and (own in given or "*" in given)
    since = _moment(header(asked, "if-modified-since"))
    changed = _moment(header(stored, "last-modified"))
    return since is not None and changed is not None and changed <= since


def still_applies(asked: Headers, stored: Headers) -> bool:
    """Say whether a Range may be answered in parts: If-Range is absent or names what is stored.

    It compares strongly (13.1.5): a weak tag never matches.
    """
    condition = header(asked, "if-range").strip()
    if not condition:
        return True
    if condition.startswith('"'):
        return condition == header(stored, "etag")
    moment = _moment(condition)
    return moment is not None and moment == _moment(header(stored, "last-modified"))


def _strong(tag: str) -> str:
    return tag.removeprefix("W/")


def _moment(text: str) -> datetime | None:
    try:
        moment = parsedate_to_datetime(text)
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
