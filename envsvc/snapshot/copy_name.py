"""The name of a copy's container: it tells by itself how many episodes the copy has served.

Labels of a container cannot be changed, its name can, in one step that only one caller wins.
"""

import re

import msgspec

_NAME = re.compile(r"envsvc-copy-(?P<id>[0-9a-f]{12})\.(?P<episodes>\d+)")


class CopyName(msgspec.Struct, frozen=True, kw_only=True):
    """A copy by its ``id`` (12 hex digits) and the number of ``episodes`` it was given to."""

    id: str
    episodes: int = 0

    @property
    def text(self) -> str:
        """Return the name of the container."""
        return f"envsvc-copy-{self.id}.{self.episodes}"

    @property
    def network(self) -> str:
        """Return the name of the copy's own network."""
        return f"envsvc-copy-{self.id}"

    def next_episode(self) -> "CopyName":
        """Return the name after one more episode was given the copy."""
        return CopyName(id=self.id, episodes=self.episodes + 1)


def parse_copy_name(text: str) -> CopyName | None:
    """Return what the name of a container says; None if it is no copy's."""
    match = _NAME.fullmatch(text)
    return CopyName(id=match["id"], episodes=int(match["episodes"])) if match else None
