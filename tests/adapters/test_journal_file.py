"""The journal file survives crashes and full disks."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from envsvc.adapters.journal_file import open_journal
from envsvc.errors import EnvsvcError
from envsvc.record.journal import Recorded, event_line
from tests.adapters.conftest import FullAfter
from tests.contracts.samples import EVENTS, RECORDED, exchange

LAST = event_line(RECORDED)


def folder_with(tmp_path: Path, content: bytes) -> Path:
    """Return a recording's folder whose journal file is *content*."""
    folder = tmp_path / "v1.recording"
    folder.mkdir(exist_ok=True)
    (folder / "journal.jsonl").write_bytes(content)
    return folder


def test_a_torn_last_line_is_cut_off(tmp_path: Path) -> None:
    """D8: killed at any byte of an append, a recording loses that event and goes on."""
    whole = b"".join(map(event_line, EVENTS))
    for length in range(len(LAST)):
        folder = folder_with(tmp_path, whole + LAST[:length])
        journal = open_journal(folder, resume=True)
        journal.append(RECORDED)
        journal.close()

        assert (folder / "journal.jsonl").read_bytes() == whole + LAST


def test_a_last_line_of_zeros_is_cut_off(tmp_path: Path) -> None:
    """D8: a file system that lost power may leave zeros where data was to come."""
    journal = open_journal(folder_with(tmp_path, LAST + bytes(4096)), resume=True)

    assert list(journal.events()) == [RECORDED]


def test_damage_in_the_middle_is_no_torn_line(tmp_path: Path) -> None:
    """D8: what was recorded and then damaged is not passed over."""
    with pytest.raises(EnvsvcError) as caught:
        open_journal(folder_with(tmp_path, LAST[:-9] + b"\n" + LAST), resume=True)

    assert caught.value.code == "E306"


def test_after_an_error_the_journal_is_free(tmp_path: Path) -> None:
    """D8: a recorder that could not begin holds nothing."""
    folder = folder_with(tmp_path, LAST)
    with pytest.raises(EnvsvcError):
        open_journal(folder, resume=False)

    assert list(open_journal(folder, resume=True).events()) == [RECORDED]


@pytest.mark.parametrize("room", [0, 1, len(LAST) // 2, len(LAST) - 1])
def test_what_does_not_fit_leaves_no_trace(
    tmp_path: Path, full_after: FullAfter, room: int
) -> None:
    """D8: a disk that fills up in the middle of an event leaves the events before it."""
    folder = tmp_path / "v1.recording"
    journal = open_journal(folder, resume=False)
    journal.append(RECORDED)

    with (
        full_after(len(LAST) + room),
        pytest.raises(EnvsvcError, match=r"journal\.jsonl") as caught,
    ):
        journal.append(RECORDED)

    assert caught.value.code == "E305"
    assert (folder / "journal.jsonl").read_bytes() == LAST


def test_recording_goes_on_when_there_is_room_again(tmp_path: Path, full_after: FullAfter) -> None:
    """D8: a full disk does not spoil the journal."""
    journal = open_journal(tmp_path / "v1.recording", resume=False)
    with full_after(10), pytest.raises(EnvsvcError):
        journal.append(RECORDED)
    journal.append(RECORDED)

    assert list(journal.events()) == [RECORDED]


def test_a_full_disk_is_named(tiny_disk: Path) -> None:
    """D8, D18: on a real full disk; the error says so, and what was recorded stays."""
    journal = open_journal(tiny_disk / "v1.recording", resume=False)
    journal.append(RECORDED)

    with pytest.raises(EnvsvcError, match=r"No space left on device.*--resume") as caught:
        journal.append(Recorded(exchange=exchange("/big", os.urandom(100_000))))

    assert caught.value.code == "E305"
    assert list(journal.events()) == [RECORDED]
    journal.close()


def test_a_folder_that_cannot_be_written_is_named(unwritable: Path) -> None:
    """D8, D18: before anything is recorded."""
    with pytest.raises(EnvsvcError, match=str(unwritable)) as caught:
        open_journal(unwritable, resume=False)

    assert caught.value.code == "E305"


RECORDER = """
import sys
from pathlib import Path
from envsvc.adapters.journal_file import open_journal
from tests.contracts.samples import RECORDED
journal = open_journal(Path(sys.argv[1]), resume=False)
while True:
    journal.append(RECORDED)
    print(flush=True)
"""


def test_a_killed_recorder_loses_nothing_and_holds_nothing(tmp_path: Path) -> None:
    """D8: after SIGKILL every event that was appended is there, and the next one may go on."""
    folder = tmp_path / "v1.recording"
    command = [sys.executable, "-c", RECORDER, str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as recorder:
        assert recorder.stdout is not None
        appended = len([recorder.stdout.readline() for _ in range(50)])
        recorder.send_signal(signal.SIGKILL)
    events = list(open_journal(folder, resume=True).events())

    assert len(events) >= appended
    assert set(map(event_line, events)) == {LAST}
