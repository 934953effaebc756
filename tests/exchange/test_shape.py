"""Shapes of values that clients make anew each time."""

import pytest

from envsvc.exchange.shape import Shape, has_shape, shape_of


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("1507495059747", Shape.TIME),
        ("1507495059", Shape.TIME),
        ("1507495059747123", Shape.TIME),
        ("1507495059.747", Shape.TIME),
        ("20260102030405678", Shape.TIME),
        ("20260102T030405Z", Shape.TIME),
        ("2026-01-02T03:04:05.678Z", Shape.TIME),
        ("2026-01-02 03:04+01:00", Shape.TIME),
        ("3f0c9a52-7a55-4c1d-9b1e-0a6f3a1c2d11", Shape.UUID),
        ("AAAA1111BBBB2222CCCC3333DDDD4444", Shape.HEX),
        ("Xy7_kdLQ0a-zzRt4", Shape.TOKEN),
        ("0.8437251946", Shape.NUMBER),
        ("987654321", Shape.NUMBER),
        ("12", None),
        ("2026-01-02", None),
        ("deadbeef", None),
        ("internationalisation", None),
        ("red", None),
        ("", None),
    ],
)
def test_a_value_made_anew_is_known_by_its_shape(text: str, shape: Shape | None) -> None:
    """D3: words, small numbers and plain dates are what people ask for."""
    assert shape_of(text) is shape


@pytest.mark.parametrize(
    ("text", "shape", "has"),
    [
        ("7", Shape.NUMBER, True),
        ("7.5", Shape.NUMBER, True),
        ("7a", Shape.NUMBER, False),
        ("1507495059747 ", Shape.TIME, False),
        ("anything", None, True),
    ],
)
def test_a_shape_is_of_the_whole_text(text: str, shape: Shape | None, *, has: bool) -> None:
    """No shape at all is every shape."""
    assert has_shape(text, shape) is has
