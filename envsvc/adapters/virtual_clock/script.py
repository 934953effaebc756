"""Read the script out of the package and make one expression of it."""

from functools import cache
from importlib.resources import files

# In this order: what comes first is used by what follows.
_PARTS = (
    "realm",
    "clock",
    "dates",
    "headers",
    "randomness",
    "performance",
    "workers",
    "frames",
    "install",
)


@cache
def clock_function() -> str:
    """Return the script as a function expression on one line, without its comments.

    One line keeps the line numbers of the page that it is put into. So each line of the script
    ends where it may be joined to the next, and comments stand on lines of their own.
    """
    folder = files(__package__)
    lines = (
        line.strip() for part in _PARTS for line in (folder / f"{part}.js").read_text().splitlines()
    )
    code = " ".join(line for line in lines if line and not line.startswith("//"))
    return f"function freeze(settings) {{ 'use strict'; {code} }}"
