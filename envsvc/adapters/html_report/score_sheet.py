"""The score sheet: the same lines of every run side by side, for a terminal or a page."""

from collections.abc import Callable, Sequence
from functools import partial

import msgspec

from envsvc.adapters.html_report.runs import Run
from envsvc.cassette.manifest import Certificate
from envsvc.playback.outcome import MISS_OUTCOMES, Outcome

UNKNOWN = "-"  # the figure does not exist, which is not the same as 0

OUTCOME_LABELS = {
    Outcome.EXACT: "exact",
    Outcome.CANONICAL: "canonical",
    Outcome.RULE: "by match rule",
    Outcome.STATE: "by state",
    Outcome.CREDENTIALS: "by credentials",
    Outcome.NEGOTIATED: "negotiated",
    Outcome.AMBIGUOUS: "ambiguous",
    Outcome.DERIVED: "derived",
    Outcome.SYNTHESIZED: "synthesized",
    Outcome.FAILURE: "recorded failure",
    Outcome.LIVE: "live",
    Outcome.MISS_TASK: "task",
    Outcome.MISS_THIRD_PARTY: "third party",
    Outcome.MISS_NOISE: "browser noise",
    Outcome.MISS_STATE_UNKNOWN: "state unknown",
}
MISSES = tuple(MISS_OUTCOMES.values())
ANSWERS = tuple(outcome for outcome in Outcome if outcome not in MISSES)


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """One line: what it counts, and one cell per run."""

    label: str
    cells: tuple[str, ...]


class Group(msgspec.Struct, frozen=True, kw_only=True):
    """Lines that belong together."""

    title: str
    lines: tuple[Line, ...]


def score_sheet(runs: Sequence[Run]) -> list[Group]:
    """Return every line of every run, zeros too: what is not shown cannot be trusted to be 0."""

    def line(label: str, cell: Callable[[Run], str]) -> Line:
        return Line(label=label, cells=tuple(cell(run) for run in runs))

    def counts(outcomes: Sequence[Outcome]) -> tuple[Line, ...]:
        return tuple(
            line(OUTCOME_LABELS[outcome], partial(_count, outcome)) for outcome in outcomes
        )

    return [
        Group(
            title="Score",
            lines=(
                line("recall", _recall),
                line("precision", _precision),
                line("false alarms", _false_alarms),
            ),
        ),
        Group(title="Answered, by rule", lines=counts(ANSWERS)),
        Group(title="Not recorded, by class", lines=counts(MISSES)),
        Group(
            title="Session",
            lines=(
                line("requests", lambda run: str(run.report.requests)),
                line("in an assumed state", lambda run: str(run.report.state_assumed)),
                line("task miss rate", lambda run: percent(run.miss_rate)),
                line("outbound connections", lambda run: str(run.report.outbound_connections)),
                line("policy", lambda run: run.report.policy.value),
                line("verdict", lambda run: run.report.verdict.value),
                line("frozen", _frozen),
            ),
        ),
        Group(
            title="Cassette",
            lines=(
                line("app version", lambda run: f"{run.report.app}/{run.report.version}"),
                line("digest", lambda run: run.report.cassette_digest[:12]),
                line("certificate", _certificate),
            ),
        ),
    ]


def percent(share: float | None) -> str:
    """Return *share* in percent with one decimal, or a dash where there is none."""
    return UNKNOWN if share is None else f"{share:.1%}"


def certificate_text(certificate: Certificate | None) -> str:
    """Return what self-replay proved, in one line; the problems are counted only."""
    if certificate is None:
        return "none"
    counted = (
        f"{certificate.requests} requests, {certificate.task_misses} task misses, "
        f"{certificate.outbound_connections} outbound"
    )
    if certificate.is_clean:
        return f"clean ({counted})"
    return f"NOT CLEAN ({counted}; problems: {len(certificate.problems)})"


def summary(runs: Sequence[Run]) -> list[str]:
    """Return what the scores of *runs* say together, with n; [] if nothing was scored."""
    scored = [run for run in runs if run.score is not None]
    if not scored:
        return []
    if len({(run.report.cassette_digest, run.report.matcher_version) for run in scored}) > 1:
        return ["The runs were answered from different cassettes: their scores do not compare."]
    without_miss = [run for run in scored if not run.task_misses]
    return [
        f"Mean recall of all runs: {_mean_recall(scored)}.",
        f"Mean recall of the runs without a task miss: {_mean_recall(without_miss)}.",
        "The model was not frozen: a ranking needs repeats and their intervals.",
    ]


def _mean_recall(runs: Sequence[Run]) -> str:
    found = [run.score.recall for run in runs if run.score and run.score.recall is not None]
    mean = sum(found) / len(found) if found else None
    return f"{percent(mean)} (n = {len(found)})"


def _count(outcome: Outcome, run: Run) -> str:
    return str(run.report.count(outcome))


def _frozen(run: Run) -> str:
    """Say which sources of chance were held still."""
    if run.report.count(Outcome.LIVE):
        return "nothing: some answers were live"
    return "app version and faults; not the model"


def _recall(run: Run) -> str:
    if run.score is None:
        return UNKNOWN
    rows = len(run.score.found) + len(run.score.missed)
    return f"{percent(run.score.recall)} ({len(run.score.found)} of {rows})"


def _precision(run: Run) -> str:
    if run.score is None:
        return UNKNOWN
    reported = len(run.score.found) + len(run.score.false_alarms)
    return f"{percent(run.score.precision)} ({len(run.score.found)} of {reported})"


def _false_alarms(run: Run) -> str:
    return UNKNOWN if run.score is None else str(len(run.score.false_alarms))


def _certificate(run: Run) -> str:
    return UNKNOWN if run.manifest is None else certificate_text(run.manifest.certificate)
