"""A stream comes at once, as it was recorded, or slower or faster than that."""

import pytest

from envsvc.playback.pace import BadPaceError, parse_pace


@pytest.mark.parametrize(
    ("text", "second_ms"),
    [("none", 0), ("recorded", 1000), ("scaled:0.5", 500), ("scaled:2", 2000), ("scaled:0", 0)],
)
def test_a_pace_says_when_a_chunk_comes(text: str, second_ms: float) -> None:
    """D10: what was recorded one second after the head."""
    assert parse_pace(text).delay_ms(1000) == second_ms


@pytest.mark.parametrize("text", ["", "fast", "scaled", "scaled:", "scaled:-1", "scaled:nan", "2"])
def test_anything_else_is_a_clear_error(text: str) -> None:
    """E406: what there is, is named."""
    with pytest.raises(BadPaceError) as refused:
        parse_pace(text)

    assert "scaled:0.5" in str(refused.value)
