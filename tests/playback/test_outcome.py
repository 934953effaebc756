"""A request ends in exactly one way."""

from envsvc.playback.outcome import MISS_OUTCOMES, MissClass, MissPolicy, Outcome


def test_every_class_of_miss_has_its_own_outcome() -> None:
    """D6, D7: noise has its own column, and so has each other class."""
    assert MISS_OUTCOMES.keys() == set(MissClass)
    assert len(set(MISS_OUTCOMES.values())) == len(MissClass)


def test_outcomes_are_written_as_words() -> None:
    """D7: reports are read by people and by programs; the words are part of the format."""
    assert set(Outcome) == {
        "exact",
        "canonical",
        "ambiguous",
        "derived",
        "failure",
        "live",
        "miss_task",
        "miss_third_party",
        "miss_noise",
        "miss_state_unknown",
        "rule",
        "state",
        "credentials",
        "negotiated",
        "synthesized",
    }


def test_there_are_three_policies() -> None:
    """S3-12: strict, error and live."""
    assert set(MissPolicy) == {"strict", "error", "live"}
