"""Each fuzz target, for a moment: its seeds, what is close to them, and noise."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fuzz.targets import TARGETS

_NEAR = 60  # alterations of each seed: a moment, not a search


def altered(seed: bytes, random: Random) -> bytes:
    """Return *seed* with some of its bytes changed, left out or said twice."""
    data = bytearray(seed)
    for _ in range(random.randint(1, 4)):
        place = random.randrange(len(data) + 1)
        match random.randrange(3):
            case 0:
                data[place : place + 1] = bytes([random.randrange(256)])
            case 1:
                del data[place : place + random.randint(1, 8)]
            case _:
                data[place:place] = data[: random.randint(0, len(data))]
    return bytes(data)


@pytest.mark.parametrize("name", TARGETS)
def test_what_is_close_to_a_seed_ends_as_documented(name: str) -> None:
    """D18: an answer or a clear error, nothing else."""
    target, random = TARGETS[name], Random(name)  # noqa: S311 - no secret
    for seed in target.seeds:
        target.run(seed)
        for _ in range(_NEAR):
            target.run(altered(seed, random))


@pytest.mark.parametrize("name", TARGETS)
@settings(max_examples=60, deadline=None)
@given(data=st.binary(max_size=400))
def test_any_bytes_end_as_documented(name: str, data: bytes) -> None:
    """D18: an answer or a clear error, nothing else."""
    TARGETS[name].run(data)
