"""What ``images.lock.yaml`` says: which image is the snapshot of which app version (D15)."""

import re
from collections.abc import Iterator, Mapping

import msgspec

from envsvc.snapshot.expiry import Expiry

_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")


class Snapshot(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A frozen app version: ``image`` is the digest that names it on every engine.

    ``volumes`` maps a folder that was copied in to the digest of what it held. ``state`` maps a
    path to what every fresh copy answers there. Sizes in bytes, times in RFC 3339.
    """

    image: str
    recorded_at: str
    source: str
    size_bytes: int
    port: int
    state: dict[str, str]
    volumes: dict[str, str] = {}
    left_out: tuple[str, ...] = ()
    dropped_env: tuple[str, ...] = ()
    expires: tuple[Expiry, ...] = ()
    labels: dict[str, str] = {}


class ImagesLock(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The snapshots of an app by version."""

    snapshots: dict[str, Snapshot] = {}

    def problems(self) -> Iterator[str]:
        """Yield what is wrong beyond types, each as a clause."""
        for version, snapshot in self.snapshots.items():
            if not _DIGEST.fullmatch(snapshot.image):
                yield f"snapshots.{version}.image: {snapshot.image!r} is no digest"

    def having(self, version: str, snapshot: Snapshot) -> "ImagesLock":
        """Return the lock with *snapshot* in the place of that version's."""
        return ImagesLock(snapshots={**self.snapshots, version: snapshot})


def state_difference(expected: Mapping[str, str], seen: Mapping[str, str]) -> list[str]:
    """Return the paths at which *seen* is not what is *expected*, sorted; [] if all is the same."""
    paths = sorted({*expected, *seen})
    return [path for path in paths if expected.get(path) != seen.get(path)]
