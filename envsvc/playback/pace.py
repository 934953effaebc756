"""How fast a recorded stream is replayed: its chunks come at once, or in their recorded times."""

import re

import msgspec

from envsvc.errors import EnvsvcError

_SCALED = re.compile(r"scaled:(\d{1,6}(?:\.\d{1,6})?)")


class BadPaceError(EnvsvcError):
    """A pace is none of those that there are."""

    code = "E406"


class Pace(msgspec.Struct, frozen=True):
    """How long a stream takes: ``factor`` times as long as it was recorded; 0 is at once."""

    factor: float

    def delay_ms(self, recorded_ms: int) -> float:
        """Return when a chunk comes that was recorded *recorded_ms* after the head."""
        return recorded_ms * self.factor


AT_ONCE, AS_RECORDED = Pace(0), Pace(1)


def parse_pace(text: str) -> Pace:
    """Return what ``none``, ``recorded`` or ``scaled:F`` means. Raises: BadPaceError."""
    scaled = _SCALED.fullmatch(text)
    if scaled:
        return Pace(float(scaled[1]))
    known = {"none": AT_ONCE, "recorded": AS_RECORDED}
    if text not in known:
        raise BadPaceError(
            f"{text!r} is no pace",
            fix="Give none, recorded, or scaled:F for F times as long as recorded, as scaled:0.5",
        )
    return known[text]
