"""The arguments of a tool call in one canonical text, given as JSON or as Python values (D14).

The text is that of request bodies (D3). Python has values that JSON has not: a closed list of them
is written as an object with one tag, and anything else is refused. What ``repr`` says of an object
is no key, since it may name an address in memory.
"""

import base64
import dataclasses
import hashlib
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from typing import Any

from envsvc.errors import EnvsvcError
from envsvc.exchange.json_text import MAX_DEPTH, Json, canonical_json, parse_json
from envsvc.exchange.key import CanonicalKey

_KEY_BYTES = 16  # as of requests


class UnsupportedValueError(EnvsvcError):
    """A value among the arguments has no canonical form."""

    code = "E410"


def canonical_arguments(arguments: object) -> str:
    """Return the canonical text of Python *arguments*.

    Raises: UnsupportedValueError, which names the place.
    """
    return canonical_json(_json(arguments, "$", MAX_DEPTH))


def canonical_arguments_text(text: str) -> str:
    """Return the canonical text of *arguments* that are JSON. Raises: NotCanonicalError."""
    return canonical_json(parse_json(text))


def tool_key(tool: str, arguments: str) -> CanonicalKey:
    """Return the key of a call of *tool* with canonical *arguments*."""
    spoken = b"\0".join((b"tool", tool.encode("utf-8", "surrogatepass"), arguments.encode()))
    return CanonicalKey(hashlib.sha256(spoken).digest()[:_KEY_BYTES])


def _json(value: object, place: str, levels: int) -> Json:
    if not levels:
        raise UnsupportedValueError(
            f"{place}: nested more than {MAX_DEPTH} levels deep, or in itself", fix="Pass less"
        )
    if isinstance(value, Enum):
        return _json(value.value, place, levels)
    if value is None or isinstance(value, str | bool):
        return value
    if isinstance(value, int | float | Decimal):
        return _number(value, place)
    if isinstance(value, Mapping):
        return _object(value, place, levels)
    if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray | memoryview):
        return [_json(one, f"{place}[{i}]", levels - 1) for i, one in enumerate(value)]
    return _tagged(value, place, levels)


def _number(value: float | Decimal, place: str) -> Decimal:
    # The shortest text of a float is what every JSON writer sends.
    number = value if isinstance(value, Decimal) else Decimal(repr(value))
    if not number.is_finite():
        raise _unsupported(place, str(value), "JSON has no such number")
    return number


def _object(value: Mapping[Any, object], place: str, levels: int) -> Json:
    members: dict[str, Json] = {}
    for key, one in value.items():
        if not isinstance(key, str):
            raise _unsupported(f"{place}.{key}", f"key of type {type(key).__name__}", "Use texts")
        members[key] = _json(one, f"{place}.{key}", levels - 1)
    return members


def _tagged(value: object, place: str, levels: int) -> Json:
    match value:
        case datetime():
            return {"$datetime": _moment(value, place)}
        case date() | time():
            return {f"${type(value).__name__}": value.isoformat()}
        case timedelta():
            return {"$seconds": Decimal(value // timedelta(microseconds=1)).scaleb(-6)}
        case bytes() | bytearray() | memoryview():
            return {"$bytes": base64.b64encode(bytes(value)).decode()}
        case AbstractSet():
            members = [_json(one, f"{place}{{}}", levels - 1) for one in value]
            return {"$set": sorted(members, key=canonical_json)}
        case _ if dataclasses.is_dataclass(value) and not isinstance(value, type):
            fields = dataclasses.fields(value)
            return _object({one.name: getattr(value, one.name) for one in fields}, place, levels)
        case _:
            raise _unsupported(place, f"type {type(value).__name__}", "Pass what JSON can say")


def _moment(value: datetime, place: str) -> str:
    if value.tzinfo is None:
        raise _unsupported(place, "datetime without a time zone", "Give it one")
    return value.astimezone(UTC).isoformat().replace("+00:00", "Z")


def _unsupported(place: str, what: str, fix: str) -> UnsupportedValueError:
    return UnsupportedValueError(f"{place}: unsupported {what}", fix=fix)
