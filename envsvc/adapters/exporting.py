"""Write a file of many pieces so that it is there whole or not at all."""

import os
from collections.abc import Iterable
from pathlib import Path


def write_pieces(path: Path, pieces: Iterable[bytes]) -> None:
    """Write *pieces* to *path*, which is replaced once all are there. Raises: OSError.

    Whatever making the pieces raises leaves *path* as it was, and no other file behind.
    """
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        with partial.open("wb") as file:
            file.writelines(pieces)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
