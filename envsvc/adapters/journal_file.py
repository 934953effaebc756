"""The journal of a recording as a file, appended to by one recorder at a time (D8)."""

import fcntl
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from threading import Lock

from envsvc.errors import EnvsvcError
from envsvc.record.journal import Event, Recorded, event_line, read_events


class CassetteLockedError(EnvsvcError):
    """Another recorder is at work on the same app version."""

    code = "E204"


class JournalWriteError(EnvsvcError):
    """The journal cannot be written; what was recorded so far stays."""

    code = "E305"


class UnfinishedRecordingError(EnvsvcError):
    """An earlier recording did not come to its end and still holds exchanges."""

    code = "E307"


class NothingToResumeError(EnvsvcError):
    """There is no unfinished recording."""

    code = "E308"


_JOURNAL = "journal.jsonl"
_LOCK = "lock"
_MODE = 0o644


class JournalFile:
    """The journal in one folder, locked until closed. Threads may share it; see ports.Journal."""

    def __init__(self, folder: Path, lock: int) -> None:
        """Open the journal in *folder* under the held *lock*. Raises: OSError."""
        self._folder = folder
        self._path = folder / _JOURNAL
        self._lock = lock
        self._one_at_a_time = Lock()
        self._file = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, _MODE)

    def append(self, event: Event) -> None:
        """Add *event*, whole or not at all; see ports.Journal."""
        line = event_line(event)
        with self._one_at_a_time:
            end = os.fstat(self._file).st_size
            try:
                _write_all(self._file, line)
            except OSError as error:
                os.ftruncate(self._file, end)
                raise _write_error(self._path, error) from error

    def events(self) -> Iterator[Event]:
        """Yield all events so far. Raises: BadJournalError."""
        with self._path.open("rb") as file:
            yield from read_events(file)

    def close(self) -> None:
        """Let another recorder have it; what was recorded stays. May be called again."""
        with self._one_at_a_time:
            for descriptor in (self._file, self._lock):
                if descriptor >= 0:
                    os.close(descriptor)
            self._file = self._lock = -1

    def discard(self) -> None:
        """Delete it and close."""
        # Deleted under the lock: nobody else can have begun in this folder.
        shutil.rmtree(self._folder)
        self.close()

    def begin_again(self) -> None:
        """Forget every event."""
        os.ftruncate(self._file, 0)

    def cut_torn_line(self) -> None:
        """Remove a last line that a crash has cut off, so that what follows is readable."""
        start, last = 0, b""
        with self._path.open("rb") as file:
            for line in file:
                start, last = start + len(last), line
        if last and not list(read_events([last])):
            os.ftruncate(self._file, start)


def open_journal(folder: Path, *, resume: bool, discard: bool = False) -> JournalFile:
    """Return the journal in *folder*, locked for this process; *folder* is made if need be.

    With *resume* it holds the events of before; with *discard* those are deleted first.
    Raises: CassetteLockedError, JournalWriteError, UnfinishedRecordingError (events of before
    and neither), NothingToResumeError (*resume* without any), BadJournalError.
    """
    if resume and not (folder / _JOURNAL).is_file():
        raise _nothing_to_resume(folder)
    try:
        journal = JournalFile(folder, _locked(folder))
    except OSError as error:
        raise _write_error(folder, error) from error
    try:
        _prepare(journal, folder, resume=resume, discard=discard)
    except BaseException:
        journal.close()
        raise
    return journal


def _prepare(journal: JournalFile, folder: Path, *, resume: bool, discard: bool) -> None:
    if discard:
        journal.begin_again()
    journal.cut_torn_line()
    has_exchanges = any(isinstance(event, Recorded) for event in journal.events())
    if resume and not has_exchanges:
        raise _nothing_to_resume(folder)
    if has_exchanges and not resume:
        raise UnfinishedRecordingError(
            "an earlier recording was not finished",
            where=str(folder),
            fix="Go on with it: --resume. Or delete what it recorded: --discard",
        )
    if not resume:
        journal.begin_again()


def _locked(folder: Path) -> int:
    """Return the descriptor that holds the lock of *folder*. Raises: CassetteLockedError."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / _LOCK
    lock = os.open(path, os.O_RDWR | os.O_CREAT, _MODE)
    if not _is_ours(lock, path):
        holder = os.pread(lock, 20, 0).decode().strip()
        os.close(lock)
        raise CassetteLockedError(
            f"another recorder is at work (process {holder or 'unknown'})",
            where=str(folder),
            fix="Wait until it is done, or end it",
        )
    os.ftruncate(lock, 0)
    os.pwrite(lock, b"%d\n" % os.getpid(), 0)
    return lock


def _is_ours(lock: int, path: Path) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    # The holder may just have deleted the folder: a lock on a deleted file guards nothing.
    return path.exists() and os.path.samestat(path.stat(), os.fstat(lock))


def _write_all(descriptor: int, content: bytes) -> None:
    while content:
        content = content[os.write(descriptor, content) :]


def _write_error(path: Path, error: OSError) -> JournalWriteError:
    return JournalWriteError(
        f"the recording cannot be written: {error.strerror}",
        where=str(error.filename or path),
        fix="Make room, or make the folder writable, and go on with --resume; "
        "what was recorded stays",
    )


def _nothing_to_resume(folder: Path) -> NothingToResumeError:
    return NothingToResumeError(
        "there is no unfinished recording",
        where=str(folder),
        fix="Record from the beginning: without --resume",
    )
