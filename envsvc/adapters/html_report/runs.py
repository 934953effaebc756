"""What a report is made from: runs with their accounts, scores, pictures and cassettes."""

from collections.abc import Iterable

import msgspec

from envsvc.answers.table import AnswerTable, BugScore
from envsvc.cassette.manifest import Manifest
from envsvc.playback.outcome import MissClass, Outcome
from envsvc.playback.session import MissRecord, SessionReport


class Screenshot(msgspec.Struct, frozen=True, kw_only=True):
    """A picture in PNG that a run took, and what it shows."""

    caption: str
    png: bytes


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """One session: its account and, where known, its score with the table it was made against.

    ``manifest`` is the one of the cassette that answered, or None if that is not at hand.
    """

    report: SessionReport
    manifest: Manifest | None = None
    score: BugScore | None = None
    table: AnswerTable | None = None
    screenshots: tuple[Screenshot, ...] = ()
    note: str = ""

    @property
    def name(self) -> str:
        """Return the session's name."""
        return self.report.session

    @property
    def task_misses(self) -> int:
        """Return how many requests to the task's own hosts found no answer, or no known state."""
        return self.report.count(Outcome.MISS_TASK) + self.report.count(Outcome.MISS_STATE_UNKNOWN)

    @property
    def misses(self) -> list[MissRecord]:
        """Return what found no answer, the task's own first, browser noise left out."""
        order = list(MissClass)
        found = (miss for miss in self.report.misses if miss.miss_class is not MissClass.NOISE)
        return sorted(found, key=lambda miss: order.index(miss.miss_class))

    @property
    def noise(self) -> list[MissRecord]:
        """Return the browser noise that found no answer."""
        return [miss for miss in self.report.misses if miss.miss_class is MissClass.NOISE]

    @property
    def miss_rate(self) -> float | None:
        """Return task misses / requests without browser noise, or None without such requests."""
        asked = self.report.requests - self.report.count(Outcome.MISS_NOISE)
        return self.task_misses / asked if asked else None


def manifests_of(runs: Iterable[Run]) -> list[Manifest]:
    """Return the different manifests of *runs*, in order."""
    by_digest = {run.manifest.digest: run.manifest for run in runs if run.manifest is not None}
    return list(by_digest.values())
