"""Two folders have one digest if a program cannot tell them apart."""

import msgspec
import pytest

from envsvc.snapshot.folder_digest import FolderEntry, folder_digest

FILE = FolderEntry(path="rows", kind="0", mode=0o644, user_id=0, group_id=0, content="ab")
FOLDER = FolderEntry(path="", kind="5", mode=0o755, user_id=0, group_id=0)


def test_order_does_not_count() -> None:
    """An engine lists files as its file system does."""
    assert folder_digest([FILE, FOLDER]) == folder_digest([FOLDER, FILE])


@pytest.mark.parametrize(
    "changed",
    [
        {"path": "row"},
        {"kind": "2"},
        {"mode": 0o600},
        {"user_id": 70},
        {"group_id": 70},
        {"link": "x"},
        {"content": "ac"},
    ],
)
def test_whatever_a_program_can_see_counts(changed: dict[str, object]) -> None:
    """Also the owner: a database refuses a folder that is not its own."""
    other = msgspec.structs.replace(FILE, **changed)

    assert folder_digest([FOLDER, other]) != folder_digest([FOLDER, FILE])


def test_a_digest_names_its_function() -> None:
    """Of nothing too."""
    assert folder_digest([]).startswith("sha256:e3b0c442")
