"""Run an agent's command, and end it with everything it started."""

import os
import signal
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

from envsvc.errors import EnvsvcError

_GRACE_S = 5.0  # for a browser to close its profile


class CommandNotFoundError(EnvsvcError):
    """The command to run cannot be started."""

    code = "E404"


class AgentProcess:
    """One command in a process group of its own."""

    def __init__(
        self,
        command: Sequence[str],
        environment: Mapping[str, str],
        enter: Callable[[], None] | None = None,
    ) -> None:
        """Start *command*; *enter* runs in the child first. Raises: CommandNotFoundError."""
        try:
            self._child = subprocess.Popen(  # noqa: S603  (running the user's command is the point)
                command,
                env={**os.environ, **environment},
                start_new_session=True,
                preexec_fn=enter,  # noqa: PLW1509  (setns must happen in the child, before exec)
            )
        except OSError as error:
            raise CommandNotFoundError(
                f"cannot run {command[0]!r}: {error.strerror}",
                fix="Check the words after --",
            ) from error
        self._ending = threading.Lock()

    def wait(self) -> int:
        """Return the exit code; 128 + n if signal n ended it, as shells say it."""
        code = self._child.wait()
        return code if code >= 0 else 128 - code

    def end(self) -> None:
        """Ask the whole group to end, then make it. Safe from any thread, and more than once."""
        with self._ending:
            self._signal(signal.SIGTERM)
            with suppress(subprocess.TimeoutExpired):
                self._child.wait(_GRACE_S)
            self._signal(signal.SIGKILL)

    def _signal(self, number: signal.Signals) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self._child.pid, number)
