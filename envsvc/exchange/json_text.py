"""The canonical text of a JSON document: equal texts mean equal documents (D3).

Objects are sorted by key, numbers are exact decimals, and booleans, numbers and strings stay
apart. A document with a repeated key has no agreed meaning (RFC 8259 4) and has no such text.
"""

import json
from decimal import Decimal

type Json = dict[str, Json] | list[Json] | str | Decimal | bool | None



class NotCanonicalError(ValueError):
    """The text is not JSON, repeats a key, or names a number that is not finite."""


def parse_json(text: str) -> Json:
    """Return the document in *text* with exact numbers. Raises: NotCanonicalError."""
    try:
        document: Json = json.loads(
            text,
            object_pairs_hook=_unique,
            parse_int=Decimal,
            parse_float=Decimal,
            parse_constant=_refuse_constant,
        )
    except (ValueError, RecursionError) as error:
        raise NotCanonicalError(str(error)) from error
    return document


def _unique(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise NotCanonicalError("an object repeats a key")
    return members


def _refuse_constant(name: str) -> Json:
    raise NotCanonicalError(f"{name} is not JSON (RFC 8259 6)")


def canonical_json(value: Json) -> str:
    """Return the one text of all JSON documents that mean *value*."""
    match value:
        case dict():
            members = sorted(value.items())
            return "{" + ",".join(f"{_quoted(key)}:{canonical_json(v)}" for key, v in members) + "}"
        case list():
            return "[" + ",".join(canonical_json(item) for item in value) + "]"
        case Decimal():
            return _number(value)
        case str():
            return _quoted(value)
        case _:
            return {None: "null", True: "true", False: "false"}[value]


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=True)


def _number(value: Decimal) -> str:
    """Write digits and exponent without trailing zeros: 1.0, 1 and 10e-1 are one number."""
    sign, digits, exponent = value.as_tuple()
    text = "".join(map(str, digits)).lstrip("0")
    significant = text.rstrip("0")
    if not significant:
        return "0"
    return f"{'-' if sign else ''}{significant}e{int(exponent) + len(text) - len(significant)}"
