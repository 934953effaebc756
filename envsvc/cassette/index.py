"""Find the recorded answers of a request: built once at load, two look-ups to serve (D3, D4)."""

from collections.abc import Callable, Iterator
from enum import StrEnum

import msgspec

from envsvc.cassette.entry import microseconds, stored_response
from envsvc.cassette.har import HarEntry
from envsvc.cassette.rules import RuleConflict, Rules
from envsvc.cassette.script import Said, Script, said, script
from envsvc.cassette.stored import Entry, StoredResponse, identity
from envsvc.cassette.variants import Selector, StateUnknown, Variants
from envsvc.cassette.writes import SAFE_METHODS, Made, State, Timeline, Turn, Write
from envsvc.exchange.key import (
    CanonicalKey,
    CanonicalRequest,
    ExactKey,
    canonical_key,
    canonical_request,
    exact_key,
    key_of,
    meant_method,
)
from envsvc.exchange.message import Failure, Headers, Request, header_values, media_type
from envsvc.exchange.url import CanonicalUrl, canonical_url

# Beside what Vary names, these tell who asked and what was accepted (D4).
_WITNESSES = frozenset({"cookie", "authorization", "accept", "accept-language"})
_NOTHING_MADE = Made()
_NO_RULES = Rules({})
_SWITCHING = 101
_MAX_SHOWN = 60  # characters of a body: enough to tell two writes of one URL apart


class Level(StrEnum):
    """Which key found the answer."""

    EXACT = "exact"
    CANONICAL = "canonical"
    RULE = "rule"


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """The answer of a request, the key that found it, and what told it from others; see Choice.

    ``write`` is the key under which a session counts this request, if it is a write. ``rules`` are
    the match rules that were needed; () unless they found it.
    """

    entry: Entry
    level: Level
    rules: tuple[str, ...] = ()
    selector: Selector | None = None
    is_ambiguous: bool = False
    is_assumed: bool = False
    turn: Turn | None = None
    write: CanonicalKey | None = None


class Index:
    """All entries of a cassette by their keys. Every variant of a key is kept, in order."""

    def __init__(
        self,
        *,
        is_task: Callable[[str], bool] = lambda _: True,
        advances: Callable[[str], bool] = lambda _: False,
        rules: Rules = _NO_RULES,
    ) -> None:
        """Start empty; ``add`` in recorded order.

        Only writes to URLs that *is_task* accepts count; URLs that *advances* accepts give their
        next answer at each ask; *rules* say what does not count in a key.
        """
        self.entries: list[Entry] = []
        self._is_task = is_task
        self._advances = advances
        self._rules = rules
        self._requests: dict[int, Request] = {}
        self._meanings: list[CanonicalKey] = []
        self._keys: list[CanonicalKey] = []
        self._exact: dict[ExactKey, list[int]] = {}
        self._canonical: dict[CanonicalKey, list[int]] = {}
        self._ruled: dict[CanonicalKey, list[int]] = {}
        self._by_place: dict[tuple[str, CanonicalUrl | None], Entry] = {}
        self._answering: set[str] = set()
        self._failing: dict[str, Entry] = {}
        self._interned: dict[Headers, Headers] = {}
        self._learnt: dict[tuple[int, int], Variants] = {}
        self._conflicting: dict[int, RuleConflict | None] = {}
        self._timeline: Timeline | None = None
        self._said: dict[CanonicalKey, Said] = {}

    def add(self, recorded: HarEntry, request: Request) -> None:
        """Add *recorded* under the keys of *request*, which is its own after redaction.

        Raises: ValueError for a date that is none.
        """
        number = len(self.entries)
        self.entries.append(self._entry(number, recorded))
        meaning = canonical_request(request)
        self._meanings.append(key_of(meaning))
        ruled = self._rules.ruled(meaning)
        self._keys.append(self._meanings[-1] if ruled == meaning else key_of(ruled))
        self._exact.setdefault(exact_key(request), []).append(number)
        self._canonical.setdefault(self._meanings[-1], []).append(number)
        self._ruled.setdefault(self._keys[-1], []).append(number)
        if request.body or meant_method(request) != request.method:
            self._requests[number] = request
        self._note_host(self.entries[number])
        self._learnt.clear()
        self._by_place.clear()
        self._conflicting.clear()
        self._timeline = None

    def find(self, request: Request, made: Made = _NOTHING_MADE) -> Found | StateUnknown | None:
        """Return the recorded answer of *request* for a session that has *made* these writes.

        None if it was never recorded: there is no closest match, ever.
        """
        level, numbers = self._recorded(request)
        if not numbers:
            return None
        if len(numbers) == 1 and made.is_empty:
            number = numbers[0]
            return Found(
                entry=self.entries[number],
                level=level,
                rules=self._needed(level, request, number),
                write=self._write(number),
            )
        choice = self._variants(numbers).choose(made, request.headers)
        if isinstance(choice, StateUnknown):
            return choice
        return Found(
            entry=choice.entry,
            level=level,
            rules=self._needed(level, request, choice.entry.number),
            selector=choice.selector,
            is_ambiguous=choice.is_ambiguous,
            is_assumed=choice.is_assumed,
            turn=choice.turn,
            write=self._write(choice.entry.number),
        )

    def is_write(self, method: str, url: str) -> bool:
        """Say whether such a request counts as a write of the app's state."""
        return method not in SAFE_METHODS and self._is_task(url)

    def answered(self, method: str, url: str) -> Entry | None:
        """Return the last answer to *method* of *url*, whatever the body; None if there is none."""
        if not self._by_place:
            for entry in self.entries:
                if not isinstance(entry.answer, Failure):
                    self._by_place[entry.method, canonical_url(entry.url)] = entry
        return self._by_place.get((method, canonical_url(url)))

    def unreachable(self, host: str) -> Entry | None:
        """Return a failure of *host* (lower case) if nothing but failures was recorded of it.

        Whatever else is asked of such a host would have failed alike.
        """
        return None if host in self._answering else self._failing.get(host)

    def request(self, number: int) -> Request:
        """Return the recorded request of entry *number*; only one with a body has its headers."""
        entry = self.entries[number]
        return self._requests.get(number) or Request(method=entry.method, url=entry.url)

    def key(self, number: int) -> CanonicalKey:
        """Return the key of entry *number*: its canonical one, without what rules take out."""
        return self._keys[number]

    def key_for(self, request: Request) -> CanonicalKey:
        """Return the key that *request* would have, recorded or not."""
        return key_of(self._rules.ruled(canonical_request(request)))

    def several(self) -> Iterator[Variants]:
        """Yield every key whose recorded answers differ, in recorded order."""
        for numbers in self._canonical.values():
            widest = self._widest(numbers)
            if len(widest) > 1 and widest[0] == numbers[0]:
                variants = self._variants(widest)
                if not variants.is_one_answer:
                    yield variants

    def conflicts(self) -> Iterator[RuleConflict]:
        """Yield where a rule that is not built in makes one of what was answered differently."""
        for numbers in self._ruled.values():
            conflict = self._conflict(numbers)
            if conflict and any(name in self._rules.given for name in conflict.rules):
                yield conflict

    def wrote_between(self, before: Entry, after: Entry) -> bool:
        """Say whether a write may have taken effect between two entries of one key."""
        return self._written().wrote_between(before, after)

    def variants(self, request: Request) -> Variants | None:
        """Return all recorded answers of *request*, or None if it was never recorded."""
        _, numbers = self._recorded(request)
        return self._variants(numbers) if numbers else None

    def scripts(self, entry: Entry) -> list[Script]:
        """Return the recorded sockets of *entry*'s key, its own first, with the writes between."""
        writes = self._written().writes
        same = self._widest(self._canonical[self._meanings[entry.number]])
        others = [n for n in same if n != entry.number]
        return [script(self.entries[n], writes) for n in (entry.number, *others)]

    def writes(self, state: State) -> list[str]:
        """Return the writes of *state* for people: method and URL, and how often if not once."""
        shown = []
        for key, count in sorted(state, key=lambda made: self._first(made[0])):
            first = self.entries[self._first(key)]
            times = f", {count} times" if count > 1 else ""
            shown.append(f"{first.method} {first.url}{self._content(key)}{times}")
        return shown

    def _first(self, key: CanonicalKey) -> int:
        """Return the number of the first entry that wrote *key*, or on which it was said."""
        return self._ruled[key][0] if key in self._ruled else self._said[key].write.number

    def _content(self, key: CanonicalKey) -> str:
        """Return the start of what was sent, after a space; "" if it is no text."""
        if key in self._said:
            content = self._said[key].message.content
        else:
            request = self._requests.get(self._first(key))
            if request is None or media_type(request.headers).startswith("multipart/"):
                return ""
            content = request.body
        text = content.decode("utf-8", "replace")
        return f" {text[:_MAX_SHOWN]}…" if len(text) > _MAX_SHOWN else f" {text}"

    def _recorded(self, request: Request) -> tuple[Level, list[int]]:
        exact = self._exactly(request)
        if exact:
            same = self._canonical[self._meanings[exact[0]]]
            return Level.EXACT, exact if self._only_exact_counts(same) else self._widest(same)
        meaning = canonical_request(request)
        numbers = self._canonical.get(key_of(meaning))
        if numbers is None:
            by_rule = self._ruled.get(key_of(self._rules.ruled(meaning)), [])
            return Level.RULE, [] if self._conflict(by_rule) else by_rule
        return Level.CANONICAL, [] if self._only_exact_counts(numbers) else self._widest(numbers)

    def _exactly(self, request: Request) -> list[int]:
        """Return the entries of these very bytes.

        Of those whose Content-Type gave the bytes different meanings, only the ones of this one.
        """
        exact = self._exact.get(exact_key(request), [])
        if len({self._meanings[number] for number in exact}) < 2:  # noqa: PLR2004
            return exact
        meaning = canonical_key(request)
        return [number for number in exact if self._meanings[number] == meaning]

    def _widest(self, numbers: list[int]) -> list[int]:
        """Return the entries that rules make one with *numbers*, which are those of one meaning.

        Requests that a client makes anew each time are written in other words before a write
        than after it: only together do their answers show what the write changed.
        """
        wider = self._ruled[self._keys[numbers[0]]]
        return numbers if len(wider) == len(numbers) or self._conflict(wider) else wider

    def _conflict(self, numbers: list[int]) -> RuleConflict | None:
        """Return two of *numbers* with answers that only what rules take out tells apart."""
        if len(numbers) < 2:  # noqa: PLR2004
            return None
        if numbers[0] not in self._conflicting:
            self._conflicting[numbers[0]] = self._found_conflict(numbers)
        return self._conflicting[numbers[0]]

    def _found_conflict(self, numbers: list[int]) -> RuleConflict | None:
        if len({self._meanings[number] for number in numbers}) == 1:
            return None
        for entries in self._variants(numbers).undecided():
            first, other = entries[0], _answered_otherwise(entries, self._meanings)
            if other is not None:
                return RuleConflict(
                    rules=self._rules.needed(*map(self._meaning, (first.number, other.number))),
                    first=f"{first.method} {first.url}",
                    second=f"{other.method} {other.url}",
                )
        return None

    def _meaning(self, number: int) -> CanonicalRequest:
        return canonical_request(self.request(number))

    def _needed(self, level: Level, request: Request, number: int) -> tuple[str, ...]:
        if level is not Level.RULE:
            return ()
        return self._rules.needed(canonical_request(request), self._meaning(number))

    def _only_exact_counts(self, numbers: list[int]) -> bool:
        """Say whether URLs that differ in spelling only were answered differently.

        Then the app reads something into the spelling, and a third spelling is a guess.
        """
        if len(numbers) < 2:  # noqa: PLR2004
            return False
        variants = self._variants(numbers)
        if variants.is_one_answer:
            return False
        return len({entry.url for entry in variants.entries}) > 1

    def _variants(self, numbers: list[int]) -> Variants:
        # One group of numbers starts with the same number and is as long as no other one.
        place = (numbers[0], len(numbers))
        if place not in self._learnt:
            entries = [self.entries[number] for number in numbers]
            advances = self._advances(entries[0].url)
            self._learnt[place] = Variants(entries, self._written(), advances=advances)
        return self._learnt[place]

    def _written(self) -> Timeline:
        if self._timeline is None:
            writes = (
                Write(
                    number=entry.number,
                    started_us=entry.started_us,
                    ended_us=entry.ended_us,
                    key=self._keys[entry.number],
                    run=entry.run,
                )
                for entry in self.entries
                if self._write(entry.number) is not None
            )
            spoken = [one for entry in self.entries for one in said(entry, self.key(entry.number))]
            self._said = {one.write.key: one for one in reversed(spoken)}
            self._timeline = Timeline(writes, (one.write for one in spoken))
        return self._timeline

    def _write(self, number: int) -> CanonicalKey | None:
        entry = self.entries[number]
        counts = not isinstance(entry.answer, Failure) and self.is_write(entry.method, entry.url)
        return self._keys[number] if counts else None

    def _note_host(self, entry: Entry) -> None:
        url = canonical_url(entry.url)
        if url is None:
            return
        if isinstance(entry.answer, Failure):
            self._failing[url.host] = entry
        else:
            self._answering.add(url.host)

    def _entry(self, number: int, recorded: HarEntry) -> Entry:
        answer = recorded.extra.failure or stored_response(recorded)
        started_us = microseconds(recorded.started)
        is_socket = recorded.response.status == _SWITCHING
        return Entry(
            number=number,
            method=recorded.request.method,
            url=recorded.request.url,
            answer=answer,
            started_us=started_us,
            # A socket is answered at its handshake, however long it stays open.
            ended_us=started_us + (0 if is_socket else round(recorded.time * 1000)),
            fingerprint=recorded.extra.fingerprint,
            run=recorded.extra.run,
            witness=self._witness(recorded, answer),
        )

    def _witness(self, recorded: HarEntry, answer: StoredResponse | Failure) -> Headers:
        names = set(_WITNESSES)
        if not isinstance(answer, Failure):
            for value in header_values(answer.headers, "vary"):
                names |= {name.strip().lower() for name in value.split(",")}
        headers = recorded.request.headers
        kept = tuple((h.name, h.value) for h in headers if h.name.lower() in names)
        # Most requests of a page carry the same ones; ten thousand copies would fill the memory.
        return self._interned.setdefault(kept, kept)


def _answered_otherwise(entries: list[Entry], meanings: list[CanonicalKey]) -> Entry | None:
    """Return an entry of another meaning and another answer than the first; None if all agree.

    What was answered differently for one meaning already is not a matter of rules.
    """
    answers: dict[CanonicalKey, set[object]] = {}
    for entry in entries:
        answers.setdefault(meanings[entry.number], set()).add(identity(entry))
    here = answers[meanings[entries[0].number]]
    others = (entry for entry in entries if answers[meanings[entry.number]] != here)
    return next(others, None)
