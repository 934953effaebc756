"""An answer table: the injected bugs of one app version, and recall and precision against it."""

from collections.abc import Iterable
from typing import Literal

import msgspec


class View(msgspec.Struct, frozen=True, order=True):
    """A page and how it is shown: what a bug is found on."""

    page: str
    view: str


class Row(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One right answer."""

    id: str
    page: str
    view: Literal["default", "sorted"]
    kind: str
    description: str
    keywords: tuple[str, ...] = ()

    @property
    def where(self) -> View:
        """Return the view that shows it."""
        return View(self.page, self.view)


class AnswerTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All right answers of one app version; ``cut_off`` is the day they were written."""

    app: str
    version: str
    cut_off: str
    rows: tuple[Row, ...]


class BugScore(msgspec.Struct, frozen=True, kw_only=True):
    """Findings against a table: ids found and missed, and findings that no row explains."""

    found: tuple[str, ...]
    missed: tuple[str, ...]
    false_alarms: tuple[View, ...]

    @property
    def recall(self) -> float | None:
        """Return the share of rows that were found, or None for an empty table."""
        rows = len(self.found) + len(self.missed)
        return len(self.found) / rows if rows else None

    @property
    def precision(self) -> float | None:
        """Return found rows / (found rows + false alarms), or None if nothing was reported."""
        reported = len(self.found) + len(self.false_alarms)
        return len(self.found) / reported if reported else None


def score(table: AnswerTable, findings: Iterable[View]) -> BugScore:
    """Score *findings*; a view reported twice counts once."""
    reported = set(findings)
    right = {row.where for row in table.rows}
    return BugScore(
        found=tuple(row.id for row in table.rows if row.where in reported),
        missed=tuple(row.id for row in table.rows if row.where not in reported),
        false_alarms=tuple(sorted(reported - right)),
    )
