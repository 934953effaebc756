"""The plot is an inline drawing in the page's own colours."""

import pytest

from envsvc.adapters.html_report.plot import outcome_plot
from envsvc.adapters.html_report.runs import Run
from envsvc.playback.outcome import Outcome
from tests.html_report.examples import ATTACK, session


def plot(name: str = "one", **counts: int) -> str:
    """Return the plot of one run with *counts* by the names of outcomes."""
    outcomes = {Outcome(outcome): count for outcome, count in counts.items()}
    return outcome_plot([Run(report=session(name, outcomes=outcomes))])


def test_the_plot_is_one_element() -> None:
    """It can stand in a page as it is."""
    svg = plot(exact=5)

    assert svg.startswith("<svg ")
    assert svg.rstrip().endswith("</svg>")


def test_the_plot_shows_each_outcome_in_its_colour() -> None:
    """Only what occurred has a colour and a place in the legend."""
    svg = plot(exact=5, miss_task=3)

    assert "var(--exact)" in svg
    assert "var(--miss-task)" in svg
    assert "canonical" not in svg


def test_no_colour_is_fixed() -> None:
    """Light and dark pages colour all of it."""
    svg = outcome_plot([Run(report=session(outcomes=dict.fromkeys(Outcome, 1)))])

    assert "#0000" not in svg


def test_totals_stand_beside_the_bars() -> None:
    """5 + 2 answered, 3 missed."""
    svg = plot(exact=5, canonical=2, miss_task=3)

    assert ">7</text>" in svg
    assert ">3</text>" in svg


@pytest.mark.parametrize("name", ["$x^2$ and $", "茶壶", ATTACK, "x" * 500, "line\nbreak", ""])
def test_any_name_can_be_drawn(name: str) -> None:
    """A name is neither a formula nor markup, in whatever script."""
    assert "<script" not in plot(name, exact=1)


def test_a_run_without_requests_can_be_drawn() -> None:
    """An agent that asked for nothing has empty bars."""
    assert ">0</text>" in plot(exact=0)


def test_the_same_runs_give_the_same_drawing() -> None:
    """Two reports of one run do not differ."""
    assert plot(exact=5, derived=1) == plot(exact=5, derived=1)
