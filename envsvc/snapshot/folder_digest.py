"""Tell by one digest whether two folders hold the same (D15)."""

import hashlib
import json
from collections.abc import Iterable

import msgspec


class FolderEntry(msgspec.Struct, frozen=True, order=True, kw_only=True):
    """A file, folder or link: what a program can see of it but for times.

    ``path`` is below the folder, "" for the folder itself; ``content`` is the SHA-256 of a file in
    hex, else ""; ``link`` is where a link leads; ``kind`` is the type of its tar entry.
    """

    path: str
    kind: str
    mode: int
    user_id: int
    group_id: int
    link: str = ""
    content: str = ""


def folder_digest(entries: Iterable[FolderEntry]) -> str:
    """Return ``sha256:`` and the digest of *entries*, in whatever order they come."""
    digest = hashlib.sha256()
    for entry in sorted(entries):
        digest.update(json.dumps(msgspec.structs.astuple(entry)).encode() + b"\n")
    return f"sha256:{digest.hexdigest()}"
