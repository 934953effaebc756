"""The score sheet holds every figure, and says where there is none."""

import pytest

from envsvc.adapters.html_report.runs import Run, manifests_of
from envsvc.adapters.html_report.score_sheet import certificate_text, percent, score_sheet, summary
from envsvc.answers.table import View
from envsvc.cassette.manifest import Certificate
from envsvc.playback.outcome import Outcome
from envsvc.playback.session import LiveRecord
from tests.html_report.examples import TABLE, manifest, scored, session

CLEAN = Certificate(replayed_at="", requests=9, task_misses=0, outbound_connections=0)


def cells(*runs: Run) -> dict[str, tuple[str, ...]]:
    """Return the cells of each line by its label."""
    return {line.label: line.cells for group in score_sheet(runs) for line in group.lines}


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        ("recall", "50.0% (1 of 2)"),
        ("precision", "50.0% (1 of 2)"),
        ("false alarms", "1"),
        ("exact", "30"),
        ("task", "10"),
        ("browser noise", "0"),
        ("requests", "40"),
        ("task miss rate", "25.0%"),
        ("outbound connections", "0"),
        ("policy", "error"),
        ("verdict", "replayed"),
        ("frozen", "app version and faults; not the model"),
        ("app version", "shop/v1"),
        ("digest", "abababababab"),
        ("certificate", "-"),
    ],
)
def test_figures(label: str, expected: str) -> None:
    """Each line says what was counted."""
    run = scored("one", View("p03", "default"), View("p09", "default"), misses=10)

    assert cells(run)[label] == (expected,)


def test_runs_stand_side_by_side() -> None:
    """One cell per run, in order."""
    nothing, half = scored("a"), scored("b", View("p05", "sorted"))

    assert cells(nothing, half)["recall"] == ("0.0% (0 of 2)", "50.0% (1 of 2)")


def test_every_outcome_has_a_line() -> None:
    """The counts of the lines sum up to the requests."""
    outcomes = {outcome: number for number, outcome in enumerate(Outcome, 1)}
    groups = score_sheet([Run(report=session(outcomes=outcomes))])
    counted = [line for group in groups[1:3] for line in group.lines]

    assert sum(int(line.cells[0]) for line in counted) == sum(outcomes.values())


def test_without_findings_there_is_no_score() -> None:
    """A dash is not a zero."""
    lines = cells(Run(report=session()))

    assert (lines["recall"], lines["precision"], lines["false alarms"]) == (("-",),) * 3


def test_noise_does_not_soften_the_miss_rate() -> None:
    """2 misses of 4 requests, whatever the browser chatters."""
    outcomes = {Outcome.EXACT: 2, Outcome.MISS_TASK: 2, Outcome.MISS_NOISE: 96}

    assert cells(Run(report=session(outcomes=outcomes)))["task miss rate"] == ("50.0%",)


def test_a_run_that_asked_nothing_has_no_miss_rate() -> None:
    """0 of 0 is no rate."""
    assert Run(report=session(outcomes={Outcome.EXACT: 0})).miss_rate is None


def test_live_answers_freeze_nothing() -> None:
    """A mixed run must not look like a replayed one."""
    live = (LiveRecord(method="GET", url="u", app_version="v2", status=200),)
    run = Run(report=session(outcomes={Outcome.LIVE: 1}, live=live))

    assert cells(run)["frozen"] == ("nothing: some answers were live",)


@pytest.mark.parametrize(
    ("certificate", "expected"),
    [
        (None, "none"),
        (CLEAN, "clean (9 requests, 0 task misses, 0 outbound)"),
        (
            Certificate(
                replayed_at="",
                requests=9,
                task_misses=1,
                outbound_connections=0,
                problems=("step 2 failed",),
            ),
            "NOT CLEAN (9 requests, 1 task misses, 0 outbound; problems: 1)",
        ),
    ],
)
def test_certificates(certificate: Certificate | None, expected: str) -> None:
    """None, clean, or what is wrong."""
    assert certificate_text(certificate) == expected


def test_the_certificate_is_the_cassettes_own() -> None:
    """It comes from the manifest of the run."""
    run = Run(report=session(), manifest=manifest(certificate=CLEAN))

    assert cells(run)["certificate"][0].startswith("clean")


def test_means_name_their_number() -> None:
    """All runs, and those without a miss, each with n."""
    runs = [scored("a", View("p03", "default")), scored("b", misses=1)]

    assert summary(runs)[:2] == [
        "Mean recall of all runs: 25.0% (n = 2).",
        "Mean recall of the runs without a task miss: 50.0% (n = 1).",
    ]


def test_an_empty_subset_is_not_hidden() -> None:
    """If every run missed something, n is 0."""
    assert summary([scored("a", misses=1)])[1].endswith("task miss: - (n = 0).")


def test_scores_of_different_cassettes_are_not_averaged() -> None:
    """A mean over two recordings means nothing."""
    other = Run(report=session(digest="cd" * 32), table=TABLE, score=scored("x").score)

    assert "do not compare" in summary([scored("a"), other])[0]


def test_without_scores_there_is_no_summary() -> None:
    """Nothing was scored, nothing is said."""
    assert summary([Run(report=session())]) == []


def test_each_cassette_is_described_once() -> None:
    """Two runs of one cassette share its manifest; a run without one adds none."""
    runs = [
        Run(report=session("a"), manifest=manifest()),
        Run(report=session("b"), manifest=manifest()),
        Run(report=session("c")),
    ]

    assert manifests_of(runs) == [manifest()]


def test_percent_of_nothing_is_a_dash() -> None:
    """None is not zero."""
    assert (percent(None), percent(0.0), percent(1 / 3)) == ("-", "0.0%", "33.3%")
