"""Keep the dates of an answer as far from now as they were when it was recorded (D11).

A cookie recorded a year ago still signs in, a page that was fresh is fresh; what had expired
already, as a cookie that is deleted has, stays expired. Only what the network stack of a client
acts on is shifted; pages have a clock of their own.
"""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime, parsedate_to_datetime

from envsvc.exchange.message import Headers

_DATED = frozenset({"date", "expires"})
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def aged(headers: Headers, recorded_us: int, now_us: int) -> Headers:
    """Return *headers* that were recorded at *recorded_us* as they would be sent at *now_us*.

    Both are microseconds since the epoch. A date that cannot be read stays as it is.
    """
    recorded = _EPOCH + timedelta(microseconds=recorded_us)
    shift = timedelta(microseconds=now_us - recorded_us)
    return tuple((name, _aged(name.lower(), value, recorded, shift)) for name, value in headers)


def _aged(name: str, value: str, recorded: datetime, shift: timedelta) -> str:
    if name in _DATED:
        return _shifted(value, recorded, shift)
    if name == "set-cookie":
        return ";".join(_aged_attribute(part, recorded, shift) for part in value.split(";"))
    return value


def _aged_attribute(part: str, recorded: datetime, shift: timedelta) -> str:
    name, equals, value = part.partition("=")
    if name.strip().lower() != "expires":
        return part
    return f"{name}{equals}{_shifted(value.strip(), recorded, shift)}"


def _shifted(value: str, recorded: datetime, shift: timedelta) -> str:
    try:
        moment = parsedate_to_datetime(value)
        # Servers delete with a date long ago: it says more as it is.
        if moment.tzinfo is None or moment < recorded - timedelta(days=1):
            return value
        return format_datetime((moment + shift).astimezone(UTC), usegmt=True)
    except (ValueError, OverflowError):
        return value
