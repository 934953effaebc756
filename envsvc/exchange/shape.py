"""Shapes of values that clients make anew each time: numbers, moments, identifiers, tokens."""

import re
from enum import StrEnum


class Shape(StrEnum):
    """What a value looks like; see ``has_shape``."""

    NUMBER = "number"
    TIME = "time"
    UUID = "uuid"
    HEX = "hex"
    TOKEN = "token"  # noqa: S105  (the name of a shape)


_SHAPES = {
    # Timers of browsers have fractions of a millisecond; Math.random() starts with "0.".
    Shape.NUMBER: re.compile(r"\d+(?:\.\d+)?"),
    # Epoch in seconds to nanoseconds (from 2001 on), digits of a date, or ISO 8601.
    Shape.TIME: re.compile(
        r"[1-9]\d{9}(?:\d{3}){0,3}(?:\.\d+)?"
        r"|(?:19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])T?[0-2]\d[0-5]\d[0-5]\d\d{0,6}Z?"
        r"|\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?"
    ),
    Shape.UUID: re.compile(r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}"),
    # 16 digits are 64 bits, the least that random identifiers have; words of hex are shorter.
    Shape.HEX: re.compile(r"[0-9A-Fa-f]{16,}"),
    # As long, and with a digit: no word of a language is such a token.
    Shape.TOKEN: re.compile(r"(?=[^\d]*\d)[A-Za-z0-9_.~+/=-]{16,}"),
}


def has_shape(text: str, shape: Shape | None) -> bool:
    """Say whether the whole *text* has *shape*; None is any."""
    return shape is None or _SHAPES[shape].fullmatch(text) is not None


def shape_of(text: str) -> Shape | None:
    """Return the narrowest shape of *text* that is typical of values made anew, or None.

    A number counts only if it may be a moment or has more digits than people give to anything.
    """
    for shape in (Shape.TIME, Shape.UUID, Shape.HEX, Shape.TOKEN):
        if has_shape(text, shape):
            return shape
    return Shape.NUMBER if has_shape(text, Shape.NUMBER) and len(text) >= _LONG else None


_LONG = 9  # digits: a random number of 32 bits mostly has nine or ten
