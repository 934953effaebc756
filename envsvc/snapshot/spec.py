"""What app.yaml says about snapshots of an app and about being ready."""

import msgspec


class Readiness(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How to tell that an app answers: a GET of ``path`` within ``timeout_s`` seconds.

    A good answer has ``status`` and holds the text ``contains``. A port that is open proves nothing
    and one good answer may be luck, so ``answers`` of them must come in a row.
    """

    path: str = "/"
    status: int = 200
    contains: str = ""
    answers: int = 2
    timeout_s: float = 30.0


class SnapshotSpec(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How the copies of a snapshot are asked.

    ``port`` is where the app listens in its container; 0 is the one port that its image exposes.
    ``state`` are the paths whose answers prove that a copy is as it was frozen; () is the path of
    readiness alone.
    """

    port: int = 0
    state: tuple[str, ...] = ()
