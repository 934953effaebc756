"""How many steps of a tour still pass with the app stopped, as a table for the README."""

from collections.abc import Iterable, Sequence

import msgspec

from envsvc.ports import StepResult


class Score(msgspec.Struct, frozen=True, kw_only=True):
    """One candidate on one tour of one app version; ``failed`` are steps with their problem."""

    candidate: str
    app: str
    version: str
    tour: str
    passed: int
    steps: int
    failed: dict[str, str]

    @classmethod
    def of(
        cls, candidate: str, app: str, version: str, tour: str, results: Sequence[StepResult]
    ) -> "Score":
        """Count *results*."""
        failed = {step.label: step.problem for step in results if step.problem}
        return cls(
            candidate=candidate,
            app=app,
            version=version,
            tour=tour,
            passed=sum(not step.problem for step in results),
            steps=len(results),
            failed=failed,
        )

    @property
    def row(self) -> tuple[str, str]:
        """Return what shares a row of the table: the versions of an app, by one tour."""
        return self.app, self.tour


def markdown(scores: Iterable[Score], candidates: Sequence[str]) -> str:
    """Return a table with a row per app and tour and a column per candidate; "" of nothing.

    A cell has ``passed/steps`` of each version, in the order of the scores.
    """
    rows: dict[tuple[str, str], list[Score]] = {}
    for score in scores:
        rows.setdefault(score.row, []).append(score)
    if not rows:
        return ""
    lines = [f"| app | {' | '.join(candidates)} |", "|---" * (len(candidates) + 1) + "|"]
    for found in rows.values():
        cells = [_name(found), *(_cell(found, candidate) for candidate in candidates)]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _name(scores: Sequence[Score]) -> str:
    versions = dict.fromkeys(score.version for score in scores)
    name = f"{scores[0].app} {' / '.join(versions)}"
    return name if scores[0].tour == "full" else f"{name} by `{scores[0].tour}`"


def _cell(scores: Sequence[Score], candidate: str) -> str:
    own = (score for score in scores if score.candidate == candidate)
    return ", ".join(f"{score.passed}/{score.steps}" for score in own) or "-"
