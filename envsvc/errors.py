"""The one base class of every error that envsvc raises on purpose."""

from typing import ClassVar


class EnvsvcError(Exception):
    """Something went wrong that a user can act on.

    Concrete errors live beside the code that raises them. Each has a stable ``code`` (shown to
    people, read by programs, documented in the README) and the exit code of the command (D18).
    """

    code: ClassVar[str] = "E000"
    exit_code: ClassVar[int] = 2

    def __init__(self, what: str, *, where: str = "", fix: str = "") -> None:
        """Say what happened, where, and what to do next; *where* and *fix* may be empty."""
        self.what = what
        self.where = where
        self.fix = fix
        super().__init__(what)

    def __str__(self) -> str:
        """Return one line: what, then where, then what next."""
        place = f" ({self.where})" if self.where else ""
        advice = f". {self.fix}" if self.fix else ""
        return f"{self.what}{place}{advice}"
