"""Findings are scored against the injected bugs of one app version."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from envsvc.answers.table import AnswerTable, BugScore, Row, View, score


def bug(page: str, view: str = "default") -> Row:
    """Return a bug that is found on *view* of *page*."""
    return msgspec.convert(
        {"id": f"{page}-{view}", "page": page, "view": view, "kind": "price", "description": "x"},
        Row,
    )


def table(*rows: Row) -> AnswerTable:
    """Return the answer table of *rows*."""
    return AnswerTable(app="shop", version="v1", cut_off="2026-01-02", rows=rows)


FOUR = table(bug("p02"), bug("p07"), bug("p05", "sorted"), bug("p09", "sorted"))
VIEWS = st.builds(
    View, st.sampled_from(["p02", "p05", "p07", "p11"]), st.sampled_from(["default", "sorted"])
)


def test_found_missed_and_wrong_are_told_apart() -> None:
    """S3-13: a bug counts on the view that shows it, and only there."""
    findings = [View("p07", "default"), View("p05", "default"), View("p05", "sorted")]

    assert score(FOUR, findings) == BugScore(
        found=("p07-default", "p05-sorted"),
        missed=("p02-default", "p09-sorted"),
        false_alarms=(View("p05", "default"),),
    )


@pytest.mark.parametrize(
    ("findings", "recall", "precision"),
    [
        ([], 0.0, None),
        ([View("p02", "default")], 0.25, 1.0),
        ([View("p02", "default"), View("p11", "default")], 0.25, 0.5),
        ([View("p11", "default")], 0.0, 0.0),
        ([row.where for row in FOUR.rows], 1.0, 1.0),
    ],
)
def test_recall_and_precision_are_shares(
    findings: list[View], recall: float, precision: float | None
) -> None:
    """S3-13: of the bugs, and of what was reported; nothing reported has no precision."""
    result = score(FOUR, findings)

    assert (result.recall, result.precision) == (recall, precision)


def test_an_empty_table_has_no_recall() -> None:
    """S3-20: n = 0 is shown as such, not as a number."""
    assert score(table(), [View("p02", "default")]).recall is None


@given(st.lists(VIEWS))
def test_found_and_missed_are_the_table(findings: list[View]) -> None:
    """Every row is one or the other."""
    result = score(FOUR, findings)

    assert sorted(result.found + result.missed) == sorted(row.id for row in FOUR.rows)


@given(st.lists(VIEWS), st.data())
def test_order_and_repetition_do_not_matter(findings: list[View], data: st.DataObject) -> None:
    """A view that is reported twice counts once."""
    again = data.draw(st.permutations(findings + findings))

    assert score(FOUR, again) == score(FOUR, findings)


def test_a_table_of_another_version_gives_another_score() -> None:
    """S3-17: which is why table and cassette must be of one version."""
    findings = [View("p07", "default"), View("p02", "default")]
    newer = table(bug("p02"), bug("p12"))

    assert score(FOUR, findings).recall == 0.5
    assert score(newer, findings).false_alarms == (View("p07", "default"),)


@pytest.mark.parametrize(
    "text",
    [
        '{"app":"shop","version":"v1","rows":[]}',
        '{"app":"shop","version":"v1","cut_off":"d","rows":[],"locked":true}',
        """{"app":"a","version":"v","cut_off":"d","rows":[
           {"id":"1","page":"p","view":"zoomed","kind":"k","description":"d"}]}""",
    ],
)
def test_a_table_that_is_not_understood_is_refused(text: str) -> None:
    """D13: unknown fields and views are errors."""
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(text, type=AnswerTable)
