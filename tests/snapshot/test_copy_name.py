"""The name of a container tells which copy it is and how often it was given away."""

import pytest

from envsvc.snapshot.copy_name import CopyName, parse_copy_name

NAME = CopyName(id="0123456789ab")


def test_a_name_is_read_back() -> None:
    """What was written is what is read."""
    assert parse_copy_name(NAME.next_episode().text) == CopyName(id="0123456789ab", episodes=1)


@pytest.mark.parametrize(
    "text", ["shop", "envsvc-copy-0123456789ab", "xenvsvc-copy-0123456789ab.1"]
)
def test_another_container_is_no_copy(text: str) -> None:
    """Names of other people's containers say nothing."""
    assert parse_copy_name(text) is None


def test_the_network_keeps_its_name() -> None:
    """It is found again whatever the copy was used for."""
    assert NAME.next_episode().network == NAME.network == "envsvc-copy-0123456789ab"
