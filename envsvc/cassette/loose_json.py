"""Take values out of JSON that nobody promises anything about: what is not there is empty."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LARGEST = 1e15  # no size or time is larger; what is not finite is none


def moment_us(value: object) -> int | None:
    """Return microseconds since the epoch of an ISO 8601 date, in UTC if it names no zone.

    None if it is no date.
    """
    if not isinstance(value, str):
        return None
    try:
        moment = datetime.fromisoformat(value.strip())
    except ValueError:
        return None
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return (moment - _EPOCH) // timedelta(microseconds=1)


def an_object(value: object) -> Mapping[str, object]:
    """Return *value* if it is an object, else an empty one."""
    return value if isinstance(value, Mapping) else {}


def objects(value: object) -> list[Mapping[str, object]]:
    """Return the objects in *value* if it is an array, else []."""
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, list) else []


def as_text(value: object) -> str:
    """Return *value* if it is a text, else ""."""
    return value if isinstance(value, str) else ""


def is_number(value: object) -> bool:
    """Say whether *value* is a number; a boolean is none."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def as_number(value: object) -> float:
    """Return a number, also one that is written as text; 0 for what is none or has no size."""
    try:
        found = float(value) if isinstance(value, int | float | str) else 0.0
    except (ValueError, OverflowError):
        return 0.0
    return found if abs(found) < _LARGEST else 0.0
