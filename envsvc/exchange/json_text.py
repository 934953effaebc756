"""The canonical text of a JSON document: equal texts mean equal documents (D3).

Objects are sorted by key, numbers are exact decimals, and booleans, numbers and strings stay
apart. A document with a repeated key has no agreed meaning (RFC 8259 4) and has no such text.
"""

import json
from decimal import Decimal, InvalidOperation

type Json = dict[str, Json] | list[Json] | str | Decimal | bool | None

# Deeper documents are keyed by their bytes. A fixed bound, because the interpreter's own depends
# on who calls: the same body must get the same key everywhere.
MAX_DEPTH = 200


class NotCanonicalError(ValueError):
    """The text is not JSON, repeats a key, names no finite number, or nests too deeply."""


def parse_json(text: str) -> Json:
    """Return the document in *text* with exact numbers. Raises: NotCanonicalError."""
    try:
        document: Json = json.loads(
            text,
            object_pairs_hook=_unique,
            parse_int=_exact,
            parse_float=_exact,
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


def _exact(text: str) -> Decimal:
    try:
        return Decimal(text)
    except InvalidOperation as error:
        raise NotCanonicalError(f"{text[:40]} has an exponent beyond all use") from error


def _refuse_constant(name: str) -> Json:
    raise NotCanonicalError(f"{name} is not JSON (RFC 8259 6)")


def canonical_json(value: Json) -> str:
    """Return the one text of all JSON documents that mean *value*.

    Raises: NotCanonicalError for more than MAX_DEPTH arrays and objects in one another.
    """
    return _text(value, MAX_DEPTH)


def _text(value: Json, levels: int) -> str:
    match value:
        case dict() | list() if not levels:
            raise NotCanonicalError(f"nested more than {MAX_DEPTH} levels deep")
        case dict():
            members = sorted(value.items())
            return "{" + ",".join(f"{_quoted(k)}:{_text(v, levels - 1)}" for k, v in members) + "}"
        case list():
            return "[" + ",".join(_text(item, levels - 1) for item in value) + "]"
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
