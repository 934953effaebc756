"""What a benchmark run says: measurements side by side, and claims about them with a budget."""

import math
from collections.abc import Iterable
from enum import StrEnum

import msgspec


class Verdict(StrEnum):
    """How a value stands to its budget."""

    WITHIN = "within"
    OVER = "over"
    NO_BUDGET = ""


class Measurement(msgspec.Struct, frozen=True):
    """What was measured of one candidate: figure (its unit in the name) to value."""

    candidate: str
    figures: dict[str, float]


class Claim(msgspec.Struct, frozen=True, kw_only=True):
    """A value with its budget (D20); None where there is none. NaN is never within."""

    what: str
    value: float
    unit: str
    at_most: float | None = None
    at_least: float | None = None

    @property
    def verdict(self) -> Verdict:
        """Return how the value stands to the budget."""
        if self.at_most is not None:
            return Verdict.WITHIN if self.value <= self.at_most else Verdict.OVER
        if self.at_least is not None:
            return Verdict.WITHIN if self.value >= self.at_least else Verdict.OVER
        return Verdict.NO_BUDGET

    @property
    def budget(self) -> str:
        """Return the budget as people read it; "" if there is none."""
        if self.at_most is not None:
            return f"≤ {number(self.at_most)} {self.unit}"
        if self.at_least is not None:
            return f"≥ {number(self.at_least)} {self.unit}"
        return ""


class Section(msgspec.Struct, frozen=True, kw_only=True):
    """One subject of a run."""

    title: str
    measured: tuple[Measurement, ...]
    claims: tuple[Claim, ...]

    @property
    def columns(self) -> list[str]:
        """Return the names of all figures, in the order in which they first appear."""
        return list(dict.fromkeys(name for row in self.measured for name in row.figures))


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """A whole run: where, with what, and what came out; ``load_before`` is of the last minute."""

    started_at: str
    machine: dict[str, str]
    versions: dict[str, str]
    load_before: float
    sections: tuple[Section, ...]
    took_s: float


def ratio(ours: float, theirs: float) -> float:
    """Return how many times *theirs* *ours* is; NaN if there is nothing to compare with."""
    return ours / theirs if theirs else math.nan


def median(values: Iterable[float]) -> float:
    """Return the middle value (the mean of the two middle ones); NaN of none."""
    ordered = sorted(values)
    if not ordered:
        return math.nan
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


def number(value: float) -> str:
    """Return *value* with three significant digits and no exponent."""
    if math.isnan(value):
        return "n/a"
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}"
