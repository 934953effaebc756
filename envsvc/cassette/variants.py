"""Choose among several recorded answers of one key: by state, credentials, negotiation (D4)."""

from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from functools import cached_property

import msgspec

from envsvc.cassette.final_answers import without_handshakes, without_pieces
from envsvc.cassette.selectors import (
    all_negotiating,
    by_credentials,
    by_explaining_credential,
    by_negotiation,
    credentials,
    representations,
)
from envsvc.cassette.stored import Entry, identity, last_good
from envsvc.cassette.writes import (
    NO_WRITES,
    Learnt,
    Made,
    Observation,
    State,
    Timeline,
    Turn,
    place_of,
)
from envsvc.exchange.key import CanonicalKey
from envsvc.exchange.message import Headers


class Selector(StrEnum):
    """What told the answer that was chosen from the others of its key."""

    STATE = "state"
    CREDENTIALS = "credentials"
    NEGOTIATION = "negotiation"


class Choice(msgspec.Struct, frozen=True, kw_only=True):
    """The chosen answer.

    ``selector`` is None where all answers are the same; ``is_ambiguous`` where nothing told them
    apart; ``is_assumed`` where the session wrote what this key was never observed after.
    ``turn`` is set if asking again brings the next answer.
    """

    entry: Entry
    selector: Selector | None = None
    is_ambiguous: bool = False
    is_assumed: bool = False
    turn: Turn | None = None


class StateUnknown(msgspec.Struct, frozen=True):
    """No answer was recorded in the state that the session has written; ``recorded`` ones were."""

    recorded: tuple[State, ...]


class Group(msgspec.Struct, frozen=True, kw_only=True):
    """The recorded answers of one key in one state, in recorded order."""

    state: State
    entries: list[Entry]


class Variants:
    """All recorded answers of one key, and what tells them apart."""

    def __init__(self, entries: Sequence[Entry], timeline: Timeline, *, advances: bool) -> None:
        """Learn from *entries* in recorded order; ``advances`` if each ask brings the next."""
        whole = without_pieces(entries)
        self.entries = without_handshakes(whole)
        self._hides = len(self.entries) < len(whole)
        self._timeline = timeline
        self._advances = advances
        self.is_one_answer = _is_one_answer(self.entries)
        self._last_us = max(entry.started_us for entry in entries)
        self.learnt = Learnt(relevant=frozenset()) if self.is_one_answer else self._learnt()
        self._groups = {} if self.is_one_answer else self._grouped()

    @property
    def groups(self) -> list[Group]:
        """Return the answers by state, in recorded order; one group if no write matters."""
        if self.is_one_answer:
            return [Group(state=NO_WRITES, entries=self.entries)]
        return [Group(state=state, entries=found) for state, found in self._groups.items()]

    def choose(self, made: Made, asked: Headers) -> Choice | StateUnknown:
        """Return the answer for a session that has *made* these writes and *asked* so."""
        if self.is_one_answer:
            entry = self._closest(self.entries, made)
            assumed = self._is_assumed(made)
            return Choice(entry=entry, is_ambiguous=self._hides, is_assumed=assumed)
        if made.unrecorded and place_of(self.entries[0].url) in made.unrecorded:
            return self._unknown()
        group, is_complete = self._group(made)
        if group is None:
            return self._unknown()
        rival = self._rival(group, asked)
        choice = self._in_group(rival or group, made, asked)
        if rival is not None and rival is not group:
            choice = msgspec.structs.replace(choice, selector=Selector.CREDENTIALS)
        assumed = not is_complete or rival is not None or self._is_assumed(made)
        return msgspec.structs.replace(choice, is_assumed=assumed)

    @property
    def told_apart_by(self) -> tuple[str, ...]:
        """Return the names of what tells the answers apart, "nothing" among them if some are not.

        () if there is only one answer.
        """
        names = dict.fromkeys(["state"] if len(self._groups) > 1 else [])
        for group in self._groups.values():
            names |= dict.fromkeys(self._told_apart_in(group))
        return tuple(names)

    def undecided(self) -> Iterator[list[Entry]]:
        """Yield different answers that nothing tells apart, as often as one of them was asked."""
        for group in () if self._advances else self._groups.values():
            for entry in group:
                left = group
                for _, narrow in _NARROWING:
                    left = narrow(left, entry.witness).entries
                if not _is_one_answer(left):
                    yield left

    def asked_with(self, entry: Entry, group: Group) -> tuple[str, ...]:
        """Return by which headers *entry* is told from the others of *group*, and their values."""
        shown: list[str] = []
        entries = group.entries
        for (_, narrow), traits in zip(_NARROWING, _TRAITS, strict=True):
            narrowed = narrow(entries, entry.witness)
            found = traits(entry.witness)
            shown += [f"{name}: {found.get(name, '(none)')}" for name in narrowed.names]
            entries = narrowed.entries
        return tuple(shown)

    def _told_apart_in(self, entries: list[Entry]) -> Iterator[str]:
        if self._advances and not _is_one_answer(entries):
            yield "turns"
            return
        for entry in entries:
            left = entries
            for name, narrow in _NARROWING:
                narrowed = narrow(left, entry.witness).entries
                if not _is_one_answer(left) and len(narrowed) < len(left):
                    yield name.value
                left = narrowed
            if not _is_one_answer(left):
                yield "nothing"

    def _learnt(self) -> Learnt:
        """Return which writes matter; a change of what is accepted accuses no write."""
        learnt = [
            self._timeline.learn([_observation(entry) for entry in part])
            for part in representations(self.entries)
        ]
        return Learnt(
            relevant=frozenset().union(*(part.relevant for part in learnt)),
            suspects=tuple(change for part in learnt for change in part.suspects),
        )

    def _grouped(self) -> dict[State, list[Entry]]:
        """Return the entries by the relevant writes made before; see Group.

        An entry that a relevant write overlapped shows one of two states; it stands for a state
        that no other entry shows.
        """
        relevant = self.learnt.relevant
        groups: dict[State, list[Entry]] = {}
        uncertain: list[tuple[State, Entry]] = []
        for entry in self.entries:
            state = self._timeline.state(entry, relevant)
            overlapping = self._timeline.unsettled(entry, relevant)
            if overlapping:
                uncertain += [(state, entry), (_with(state, overlapping), entry)]
            else:
                groups.setdefault(state, []).append(entry)
        for state, entry in uncertain:
            groups.setdefault(state, [entry])
        return groups

    def _group(self, made: Made) -> tuple[Group | None, bool]:
        """Return the answers for what was *made*, and whether that state was itself recorded."""
        state = made.relevant(self.learnt.relevant)
        found = self._groups.get(state)
        if found is not None:
            return Group(state=state, entries=found), True
        explained = [
            Group(state=recorded, entries=entries)
            for recorded, entries in self._groups.items()
            if self._explains(recorded, state)
        ]
        answers = {identity(entry) for group in explained for entry in group.entries}
        return (explained[0] if len(answers) == 1 else None), False

    def _rival(self, group: Group, asked: Headers) -> Group | None:
        """Return what the credentials of the request speak for, if that contradicts the state.

        When a cookie came with the writes, the recording cannot tell which of them counts. What
        the session did itself is the better witness: its writes if it made some, else its cookie.
        """
        told = by_explaining_credential(self.entries, asked)
        answers = {identity(entry) for entry in group.entries}
        if not told or not answers.isdisjoint(identity(entry) for entry in told):
            return None
        return group if group.state else Group(state=group.state, entries=told)

    def _explains(self, recorded: State, made: State) -> bool:
        """Say whether *made* lacks nothing of *recorded* but suspects of changes it made part of.

        Several writes may have caused one change; a session that made some of them may have
        made the one that counts.
        """
        ours, theirs = dict(made), dict(recorded)
        if any(count > theirs.get(key, 0) for key, count in ours.items()):
            return False
        lacking = {key for key, count in theirs.items() if count > ours.get(key, 0)}
        return all(
            any(key in change and change & ours.keys() for change in self.learnt.suspects)
            for key in lacking
        )

    def _in_group(self, group: Group, made: Made, asked: Headers) -> Choice:
        entries = group.entries
        if self._advances:
            turn = Turn(self.entries[0].number, group.state)
            entry = entries[min(made.turns[turn], len(entries) - 1)]
            return Choice(entry=entry, is_ambiguous=True, turn=turn)
        selector = Selector.STATE if len(self._groups) > 1 else None
        for name, narrow in _NARROWING:
            if not _is_one_answer(entries):
                narrowed = narrow(entries, asked).entries
                selector = name if len(narrowed) < len(entries) else selector
                entries = narrowed
        if _is_one_answer(entries):
            entry = self._closest(entries, made)
            return Choice(entry=entry, selector=selector, is_ambiguous=self._hides)
        return Choice(entry=last_good(entries), is_ambiguous=True)

    def _closest(self, entries: list[Entry], made: Made) -> Entry:
        """Return which of the same answers to serve: its cookies are those of that moment."""
        if len(entries) == 1:
            return entries[0]
        state = made.state
        same = [entry for entry in entries if self._full_states[entry.number] == state]
        return last_good(same or entries)

    @cached_property
    def _full_states(self) -> dict[int, State]:
        """All writes before each entry: they never change, and every request asks for them."""
        return {entry.number: self._timeline.full_state(entry) for entry in self.entries}

    def _is_assumed(self, made: Made) -> bool:
        """Say whether the session wrote something after which this key was never observed."""
        return bool(made.unrecorded) or any(
            key not in self.learnt.relevant and self._timeline.began_after(key, self._last_us)
            for key in made.recorded
        )

    def _unknown(self) -> StateUnknown:
        return StateUnknown(tuple(self._groups))


_NARROWING = (
    (Selector.CREDENTIALS, by_credentials),
    (Selector.NEGOTIATION, by_negotiation),
)


_TRAITS = (credentials, all_negotiating)


def _observation(entry: Entry) -> Observation:
    return Observation(
        number=entry.number,
        started_us=entry.started_us,
        ended_us=entry.ended_us,
        answer=identity(entry),
        run=entry.run,
    )


def _is_one_answer(entries: Iterable[Entry]) -> bool:
    return len({identity(entry) for entry in entries}) == 1


def _with(state: State, keys: Iterable[CanonicalKey]) -> State:
    counts = dict(state)
    for key in keys:
        counts[key] = counts.get(key, 0) + 1
    return frozenset(counts.items())
