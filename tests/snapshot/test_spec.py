"""What app.yaml says about snapshots has defaults that ask for proof."""

from envsvc.snapshot.spec import Readiness, SnapshotSpec


def test_one_good_answer_is_not_enough() -> None:
    """Unless app.yaml says otherwise, an app must answer well twice in a row."""
    assert Readiness() == Readiness(path="/", status=200, contains="", answers=2, timeout_s=30.0)


def test_nothing_needs_to_be_said_about_snapshots() -> None:
    """Port and state pages have defaults."""
    assert SnapshotSpec() == SnapshotSpec(port=0, state=())
