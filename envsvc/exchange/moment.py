"""Read a text as a moment, in the spellings that programs write their clocks in."""

import re
from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_EPOCH_DIGITS = re.compile(r"([1-9]\d{9})(\d{0,9})(?:\.(\d+))?")
_DATE_DIGITS = re.compile(r"(\d{8})T?(\d{6})(\d{0,6})Z?")


def moment_us(text: str) -> int | None:
    """Return the moment that *text* names as microseconds since the epoch, or None.

    It may be digits of the epoch in seconds, milli-, micro- or nanoseconds, also with decimals;
    digits of a date in UTC, such as 20260102030405678; or ISO 8601 with date and time, in UTC if it
    names no zone.
    """
    digits = _EPOCH_DIGITS.fullmatch(text)
    if digits and len(digits[2]) in {0, 3, 6, 9}:
        return int((digits[1] + digits[2] + (digits[3] or "")).ljust(16, "0")[:16])
    date = _DATE_DIGITS.fullmatch(text)
    if date:
        return _read(f"{date[1]}T{date[2]}.{date[3].ljust(6, '0')}")
    return _read(text) if re.match(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d", text) else None


def _read(text: str) -> int | None:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return (aware - _EPOCH) // _MICROSECOND
