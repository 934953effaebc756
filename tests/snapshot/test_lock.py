"""The lock file names images by digest."""

import msgspec
import pytest

from envsvc.snapshot.lock import ImagesLock, Snapshot, state_difference

SNAPSHOT = Snapshot(
    image=f"sha256:{'0' * 64}",
    recorded_at="2026-03-01T00:00:00Z",
    source="shop (shop:1)",
    size_bytes=1,
    port=80,
    state={"/": "200 sha256:aa"},
)


def test_each_version_has_one_snapshot() -> None:
    """A new one takes the place of the old; others stay."""
    newer = msgspec.structs.replace(SNAPSHOT, port=81)
    lock = ImagesLock(snapshots={"v1": SNAPSHOT, "v2": SNAPSHOT}).having("v1", newer)

    assert lock.snapshots == {"v1": newer, "v2": SNAPSHOT}


def test_a_tag_is_no_digest() -> None:
    """A tag may name another image tomorrow."""
    tagged = msgspec.structs.replace(SNAPSHOT, image="shop:1")

    assert list(ImagesLock(snapshots={"v1": SNAPSHOT, "v2": tagged}).problems()) == [
        "snapshots.v2.image: 'shop:1' is no digest"
    ]


@pytest.mark.parametrize(
    ("seen", "differing"),
    [
        ({"/a": "1", "/b": "2"}, []),
        ({"/a": "1", "/b": "3"}, ["/b"]),
        ({"/b": "2", "/c": "4"}, ["/a", "/c"]),
    ],
)
def test_paths_that_differ_are_named(seen: dict[str, str], differing: list[str]) -> None:
    """Also those that are missing or new."""
    assert state_difference({"/a": "1", "/b": "2"}, seen) == differing
