"""A range of a stored body is cut out as a server would."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envsvc.playback.byte_range import (
    ByteRange,
    Unsatisfiable,
    asked_range,
    asked_ranges,
    held_range,
)


def naive(first: int | None, last: int | None, body: bytes) -> bytes:
    """Return the asked bytes by looking at every position (RFC 9110 14.1.2)."""
    size = len(body)
    start = first if first is not None else size - (last or 0)
    end = last if first is not None and last is not None else size - 1
    return bytes(byte for position, byte in enumerate(body) if start <= position <= end)


POSITIONS = st.integers(0, 40)


@given(POSITIONS | st.none(), POSITIONS | st.none(), st.binary(max_size=30))
def test_the_slice_is_the_one_that_was_asked(
    first: int | None, last: int | None, body: bytes
) -> None:
    """Each byte is served if and only if its position was asked; no byte at all is a 416."""
    text = f"bytes={'' if first is None else first}-{'' if last is None else last}"
    found = asked_range(text, len(body))

    match found:
        case ByteRange():
            assert body[found.start : found.end] == naive(first, last, body) != b""
        case Unsatisfiable():
            assert naive(first, last, body) == b""
        case None:
            assert first is last is None or (
                first is not None and last is not None and last < first
            )


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("bytes=0-4", ByteRange(0, 5, 10)),
        ("bytes=5-", ByteRange(5, 10, 10)),
        ("bytes=-3", ByteRange(7, 10, 10)),
        ("bytes=-99", ByteRange(0, 10, 10)),
        ("bytes=9-9", ByteRange(9, 10, 10)),
        ("bytes=0-99", ByteRange(0, 10, 10)),
        (" Bytes=0-0 ", ByteRange(0, 1, 10)),
        ("bytes=10-", Unsatisfiable(10)),
        ("bytes=-0", Unsatisfiable(10)),
    ],
)
def test_a_range_counts_from_zero_and_includes_its_end(
    value: str, expected: ByteRange | Unsatisfiable
) -> None:
    """RFC 9110 14.1.2: first and last position, from a position, or the last bytes."""
    assert asked_range(value, 10) == expected


@pytest.mark.parametrize("value", ["bytes=0-", "bytes=-5", "bytes=0-0"])
def test_an_empty_body_has_no_range(value: str) -> None:
    """There is no byte to serve."""
    assert asked_range(value, 0) == Unsatisfiable(0)


@pytest.mark.parametrize(
    "value",
    [
        "",
        "bytes=-",
        "bytes=5-3",
        "bytes=99-98",
        "bytes=0-1,3-4",
        "items=0-4",
        "bytes 0-4",
        "bytes=a-b",
        "bytes=-1-2",
        "bytes=٣-٤",
        "bytes=0-" + "9" * 10_000,
    ],
)
def test_what_is_not_one_range_gets_the_whole_body(value: str) -> None:
    """RFC 9110 14.2: a server may ignore it, and a malformed one it must."""
    assert asked_range(value, 10) is None


def test_the_answer_names_what_it_holds() -> None:
    """RFC 9110 14.4: first and last position, and the size of the whole."""
    assert ByteRange(5, 10, 12).content_range == "bytes 5-9/12"


def test_several_ranges_are_given_in_asked_order() -> None:
    """RFC 9110 14.1.2: one without a byte in the body is left out."""
    assert asked_ranges("bytes=5-6, 0-0,, 20-", 10) == (ByteRange(5, 7, 10), ByteRange(0, 1, 10))


@pytest.mark.parametrize("value", ["bytes=" + "0-0," * 17, "bytes=0-1,x", "bytes=,"])
def test_too_many_or_malformed_ones_get_the_whole(value: str) -> None:
    """RFC 9110 14.2."""
    assert asked_ranges(value, 10) is None


@pytest.mark.parametrize(
    ("value", "length", "expected"),
    [
        ("bytes 4-6/10", 3, ByteRange(4, 7, 10)),
        (" Bytes 0-9/10 ", 10, ByteRange(0, 10, 10)),
        ("bytes 4-6/*", 3, ByteRange(4, 7, None)),
        ("bytes 0-2/*", 3, ByteRange(0, 3, 3)),
        ("bytes 4-6/10", 4, None),
        ("bytes */10", 0, None),
        ("", 3, None),
    ],
)
def test_a_stored_part_says_what_it_holds(
    value: str, length: int, expected: ByteRange | None
) -> None:
    """RFC 9110 14.4: or nothing is known of it."""
    assert held_range(value, length) == expected


def test_an_unknown_size_is_a_star() -> None:
    """RFC 9110 14.4."""
    assert ByteRange(4, 7, None).content_range == "bytes 4-6/*"


def test_a_part_may_be_everything_and_may_hold_another() -> None:
    """Both ends count."""
    assert ByteRange(0, 10, 10).is_whole
    assert not ByteRange(0, 9, 10).is_whole
    assert ByteRange(4, 7, 10).holds(ByteRange(5, 7, 10))
    assert not ByteRange(4, 7, 10).holds(ByteRange(4, 8, 10))
