"""What was written, by a recording and by a session: the state that answers depend on (D4).

A write is a request with an unsafe method. Which writes matter to an answer is learnt from the
recording: those across which it was seen to change. Where none can have changed it, what a client
said on a web socket may have. Runs began with a fresh app each, so what was written in one is not
there in another.
"""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Protocol

import msgspec

from envsvc.exchange.key import CanonicalKey
from envsvc.exchange.url import canonical_url

# Methods that ask for nothing to be changed (RFC 9110 9.2.1 and the registry of 16.1.1).
SAFE_METHODS = frozenset(
    {"GET", "HEAD", "OPTIONS", "TRACE", "QUERY", "SEARCH", "PROPFIND", "REPORT", "CONNECT"}
)

type State = frozenset[tuple[CanonicalKey, int]]
"""A multiset of writes: each key with how often it was written."""

NO_WRITES: State = frozenset()


class Timed(Protocol):
    """When an entry was asked and answered, in microseconds since the epoch, and in which run."""

    @property
    def number(self) -> int:
        """Return its number in recorded order."""
        ...

    @property
    def started_us(self) -> int:
        """Return when it was asked."""
        ...

    @property
    def ended_us(self) -> int:
        """Return when it was answered."""
        ...

    @property
    def run(self) -> int:
        """Return in which run that was."""
        ...


class Write(msgspec.Struct, frozen=True, kw_only=True):
    """A recorded write and its key; see Timed."""

    number: int
    started_us: int
    ended_us: int
    key: CanonicalKey
    run: int = 0


class Observation(msgspec.Struct, frozen=True, kw_only=True):
    """A recorded answer of one key; equal ``answer`` means that it was answered the same."""

    number: int
    started_us: int
    ended_us: int
    answer: Hashable
    run: int = 0


class Learnt(msgspec.Struct, frozen=True, kw_only=True):
    """Which writes matter to a key.

    ``suspects`` are the writes of each change that could not be narrowed to a single one.
    """

    relevant: frozenset[CanonicalKey]
    suspects: tuple[frozenset[CanonicalKey], ...] = ()


class Turn(msgspec.Struct, frozen=True):
    """A key in one state that is asked again and again (``repeat: advance``)."""

    key: int
    state: State


class Made:
    """What one session has written so far, and how often it asked where each ask counts."""

    def __init__(self) -> None:
        """Start with nothing written."""
        self.recorded: Counter[CanonicalKey] = Counter()
        self.said: Counter[CanonicalKey] = Counter()
        self.unrecorded: set[str] = set()
        self.turns: Counter[Turn] = Counter()

    def wrote(self, key: CanonicalKey) -> None:
        """Count a write that the recording knows."""
        self.recorded[key] += 1

    def told(self, key: CanonicalKey) -> None:
        """Count a message on a web socket that the recording knows."""
        self.said[key] += 1

    def wrote_unrecorded(self, url: str) -> None:
        """Note a write that the recording does not know: nobody can say what it changes."""
        self.unrecorded.add(place_of(url))

    @property
    def is_empty(self) -> bool:
        """Say whether the session has only read."""
        return not (self.recorded or self.unrecorded)

    @property
    def state(self) -> State:
        """Return all recorded writes as one multiset."""
        return frozenset(self.recorded.items())

    def relevant(self, keys: frozenset[CanonicalKey]) -> State:
        """Return the recorded writes and messages that are among *keys*."""
        counts = (*self.recorded.items(), *self.said.items())
        return frozenset((key, count) for key, count in counts if key in keys)


def place_of(url: str) -> str:
    """Return origin and path of *url*: what a write to it is most likely to change."""
    parts = canonical_url(url)
    return f"{parts.origin}{parts.path}" if parts else url


class Timeline:
    """All writes of a recording in time, and what clients said on its web sockets."""

    def __init__(self, writes: Iterable[Write], said: Iterable[Write] = ()) -> None:
        """Take the *writes* and what was *said*, each in any order."""
        self._writes = _Log(writes)
        self._said = _Log(said)
        self._first_end: dict[CanonicalKey, int] = {}
        for write in self._writes.by_end:
            self._first_end.setdefault(write.key, write.ended_us)

    @property
    def writes(self) -> Sequence[Write]:
        """Return all writes by when they began."""
        return self._writes.by_start

    def state(self, moment: Timed, relevant: frozenset[CanonicalKey]) -> State:
        """Return what is *relevant* and had ended when *moment* began."""
        done = (*self._writes.before(moment), *self._said.before(moment))
        return frozenset(Counter(key for key in done if key in relevant).items())

    def unsettled(self, moment: Timed, relevant: frozenset[CanonicalKey]) -> list[CanonicalKey]:
        """Return what is *relevant* and overlapped *moment*: done before it, or not."""
        overlapping = (*self._writes.overlapping(moment), *self._said.overlapping(moment))
        return [key for key in overlapping if key in relevant]

    def full_state(self, moment: Timed) -> State:
        """Return all writes that had ended when *moment* began."""
        return frozenset(Counter(self._writes.before(moment)).items())

    def began_after(self, key: CanonicalKey, moment_us: int) -> bool:
        """Say whether *key* was first written after *moment_us*, or never."""
        first = self._first_end.get(key)
        return first is None or first > moment_us

    def wrote_between(self, before: Timed, after: Timed) -> bool:
        """Say whether any write may have taken effect between the two, or before only one."""
        if before.run == after.run:
            return bool(self._writes.maybe_between(before, after))
        unsettled = any(self._writes.overlapping(moment) for moment in (before, after))
        return unsettled or self.full_state(before) != self.full_state(after)

    def learn(self, observations: Sequence[Observation]) -> Learnt:
        """Return which writes matter to the key that was observed like this.

        A write matters if the answer changed across it. Where several may have done it, one that
        was also seen between equal answers is cleared. What overlapped in time proves nothing, so
        it clears nobody, but it stays suspect. What was said is suspect only of a change that no
        write can have caused, and only if it is not cleared: clients say much that changes nothing.
        """
        ordered = sorted(observations, key=lambda seen: (seen.run, seen.started_us))
        pairs = [(one, other) for one, other in pairwise(ordered) if one.run == other.run]
        equal = [pair for pair in pairs if pair[0].answer == pair[1].answer]
        changed = [pair for pair in pairs if pair[0].answer != pair[1].answer]
        cleared = self._writes.surely_between(equal)
        left = [_without_cleared(self._writes.maybe_between(*pair), cleared) for pair in changed]
        if not all(left):
            harmless = self._said.surely_between(equal)
            left = [
                suspects or self._said.maybe_between(*pair) - harmless
                for suspects, pair in zip(left, changed, strict=True)
            ]
        return Learnt(
            relevant=frozenset().union(*left),
            suspects=tuple({change: None for change in left if len(change) > 1}),
        )


class _Log:
    """Writes by when they began and by when they ended."""

    def __init__(self, writes: Iterable[Write]) -> None:
        self.by_start = sorted(writes, key=lambda write: write.started_us)
        self.by_end = sorted(self.by_start, key=lambda write: write.ended_us)
        self._starts = [write.started_us for write in self.by_start]
        self._ends = [write.ended_us for write in self.by_end]

    def before(self, moment: Timed) -> list[CanonicalKey]:
        """Return the keys of what had ended when *moment* began, itself left out."""
        ended = self.by_end[: bisect_right(self._ends, moment.started_us)]
        return [
            write.key
            for write in ended
            if write.run == moment.run and write.number != moment.number
        ]

    def overlapping(self, moment: Timed) -> list[CanonicalKey]:
        """Return the keys of what had begun and not ended while *moment* lasted."""
        begun = self.by_start[: bisect_left(self._starts, moment.ended_us)]
        return [
            write.key
            for write in begun
            if write.run == moment.run
            and write.ended_us > moment.started_us
            and write.number != moment.number
        ]

    def surely_between(self, pairs: Iterable[tuple[Timed, Timed]]) -> frozenset[CanonicalKey]:
        """Return what was done between the two of any of *pairs*, whole."""
        return frozenset(key for pair in pairs for key in self._surely_between(*pair))

    def _surely_between(self, before: Timed, after: Timed) -> Iterator[CanonicalKey]:
        for write in self.by_start[bisect_left(self._starts, before.started_us) :]:
            if write.started_us > after.started_us:
                return
            if (
                write.run == after.run
                and write.ended_us <= after.started_us
                and (write.started_us >= before.ended_us or write.number == before.number)
            ):
                yield write.key

    def maybe_between(self, before: Timed, after: Timed) -> frozenset[CanonicalKey]:
        """Return what was done, at least in part, between the two."""
        begun = self.by_start[: bisect_left(self._starts, after.ended_us)]
        return frozenset(
            write.key
            for write in begun
            if write.run == after.run
            and write.number != after.number
            and (write.ended_us > before.started_us or write.number == before.number)
        )


def _without_cleared(
    change: frozenset[CanonicalKey], cleared: frozenset[CanonicalKey]
) -> frozenset[CanonicalKey]:
    """Return who is still suspect; if all were cleared, one of them did it nevertheless."""
    return (change - cleared) or change
