"""Run a command in a process group of its own, and end that group when standard input closes.

Run as a file. The kernel closes the pipe however its writer ends, ``kill -9`` included, so no app
outlives the recording that started it, and no child of the app outlives the app.
"""

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time

GRACE_S = 3.0  # enough for a server to close its files; then it is killed


def main() -> int:
    """Run the command in the arguments; return its exit status (128 + signal if killed)."""
    # The terminal's Ctrl-C is for envsvc, which then closes the pipe.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    child = subprocess.Popen(  # noqa: S603 - the command of the user's own app.yaml
        sys.argv[1:], stdin=subprocess.DEVNULL, start_new_session=True
    )
    threading.Thread(target=_end_with_writer, args=(child,), daemon=True).start()
    status = child.wait()
    _signal_group(child.pid, signal.SIGKILL)
    return status if status >= 0 else 128 - status


def _end_with_writer(child: subprocess.Popen[bytes]) -> None:
    os.read(sys.stdin.fileno(), 1)
    _signal_group(child.pid, signal.SIGTERM)
    time.sleep(GRACE_S)
    _signal_group(child.pid, signal.SIGKILL)


def _signal_group(group: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):  # all of it has ended
        os.killpg(group, number)


if __name__ == "__main__":
    sys.exit(main())
