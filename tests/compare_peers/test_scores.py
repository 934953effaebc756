"""The table of the peer comparison."""

from envsvc.ports import StepResult
from tests.compare_peers.scores import Score, markdown

_STEPS = [
    StepResult(number=1, label="home", problem=""),
    StepResult(number=2, label="login", problem="timed out"),
]


def _score(candidate: str, version: str, tour: str = "full") -> Score:
    return Score.of(candidate, "shop", version, tour, _STEPS)


def test_a_score_counts_the_steps_that_passed() -> None:
    """Of two steps one failed, and it says why."""
    score = _score("ours", "v1")

    assert (score.passed, score.steps, score.failed) == (1, 2, {"login": "timed out"})


def test_versions_of_an_app_share_a_row() -> None:
    """A cell has one fraction per version."""
    table = markdown([_score("ours", "v1"), _score("ours", "v2")], ["ours"])

    assert table == "| app | ours |\n|---|---|\n| shop v1 / v2 | 1/2, 1/2 |\n"


def test_another_tour_is_another_row() -> None:
    """It is named; who did not take part has no fraction."""
    table = markdown([_score("ours", "v1"), _score("ours", "v1", "other-way")], ["ours", "theirs"])

    assert table.splitlines()[2:] == [
        "| shop v1 | 1/2 | - |",
        "| shop v1 by `other-way` | 1/2 | - |",
    ]


def test_of_no_scores_there_is_no_table() -> None:
    """Nothing compared is nothing shown."""
    assert markdown([], ["ours"]) == ""
