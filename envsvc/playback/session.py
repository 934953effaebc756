"""One client's account of a replay: every request counted once, every miss kept (D5, D7)."""

from collections import Counter
from collections.abc import Callable
from enum import StrEnum

import msgspec

from envsvc.cassette.writes import Made, Turn
from envsvc.exchange.key import CanonicalKey
from envsvc.exchange.message import Headers, Request, with_headers
from envsvc.playback.explain import Explanation
from envsvc.playback.outcome import MISS_OUTCOMES, MissClass, MissPolicy, Outcome

# An agent in a loop must not fill the memory: each different miss is kept once, up to this many.
MAX_KEPT_MISSES = 10_000


class Verdict(StrEnum):
    """What a session's result may be used for."""

    REPLAYED = "replayed"
    UNREPLAYABLE = "unreplayable"
    MIXED = "mixed"


class MissRecord(msgspec.Struct, kw_only=True):
    """A request that found no answer, how often it was asked, and how to record it.

    ``headers`` and ``body`` are what asking again needs: redacted, and no more than that.
    """

    method: str
    url: str
    miss_class: MissClass
    explanation: Explanation
    record_command: str
    headers: Headers = ()
    body: bytes = b""
    count: int = 1


# Headers that choose an answer and identify nobody.
_ASKED_AGAIN = frozenset({"accept", "accept-language", "content-type", "x-requested-with"})


def missed_headers(request: Request) -> Headers:
    """Return the headers of *request* that asking it again needs."""
    return with_headers(request.headers, _ASKED_AGAIN)


class LiveRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A request that was answered by the live app, and by which version."""

    method: str
    url: str
    app_version: str
    status: int


class SessionReport(msgspec.Struct, frozen=True, kw_only=True):
    """What was and was not answered in one session. ``outcomes`` sum up to ``requests``.

    ``state_assumed`` of the hits were served although the session had written something after
    which that request was never recorded. ``rule_hits`` counts by name how many hits needed a
    match rule; one hit may need several. ``used`` are the numbers of the entries served.
    """

    session: str
    app: str
    version: str
    cassette_digest: str
    recorded_at: str
    matcher_version: int
    policy: MissPolicy
    verdict: Verdict
    requests: int
    outcomes: dict[Outcome, int]
    misses: tuple[MissRecord, ...]
    live: tuple[LiveRecord, ...]
    entries_used: int
    entries_unused: int
    outbound_connections: int
    state_assumed: int = 0
    rule_hits: dict[str, int] = {}
    used: tuple[int, ...] = ()

    def count(self, outcome: Outcome) -> int:
        """Return how many requests ended as *outcome*."""
        return self.outcomes.get(outcome, 0)


class CassetteIdentity(msgspec.Struct, frozen=True, kw_only=True):
    """Which recording a session is answered from; see Manifest.

    ``matcher_version`` is the one that answers, which may be later than the one that recorded.
    """

    app: str
    version: str
    digest: str
    recorded_at: str
    matcher_version: int
    entries: int


class Session:
    """The counters and writes of one session; sessions never see each other.

    ``epoch`` changes whenever the same request may be answered differently than before.
    """

    def __init__(self, session_id: str, policy: MissPolicy) -> None:
        """Start a session called *session_id* with nothing counted."""
        self.session_id = session_id
        self.policy = policy
        self.epoch = 0
        self.on_write: list[Callable[[CanonicalKey], None]] = []
        self.reset()

    def reset(self) -> None:
        """Forget everything, as for a new episode."""
        self.outcomes: Counter[Outcome] = Counter()
        self.used: set[int] = set()
        self.rule_hits: Counter[str] = Counter()
        self.made = Made()
        self.epoch += 1
        self.state_assumed = 0
        self.is_unreplayable = False
        self._misses: dict[tuple[str, str, bytes], MissRecord] = {}
        self._live: list[LiveRecord] = []

    def hit(self, outcome: Outcome, entry_number: int, *, is_assumed: bool = False) -> None:
        """Count an answer from the cassette."""
        self.outcomes[outcome] += 1
        self.used.add(entry_number)
        self.state_assumed += is_assumed

    def needed_rules(self, names: tuple[str, ...]) -> None:
        """Count the match rules that an answer needed, by name."""
        self.rule_hits.update(names)

    def wrote(self, key: CanonicalKey) -> None:
        """Count a recorded write, which other answers may depend on."""
        self.made.wrote(key)
        self.epoch += 1
        for tell in list(self.on_write):
            tell(key)

    def told(self, key: CanonicalKey) -> None:
        """Count a recorded message on a web socket, which other answers may depend on."""
        self.made.told(key)
        self.epoch += 1

    def wrote_unrecorded(self, url: str) -> None:
        """Note a write that was never recorded."""
        self.made.wrote_unrecorded(url)
        self.epoch += 1

    def took_turn(self, turn: Turn) -> None:
        """Count an ask that brings the next answer at the next one."""
        self.made.turns[turn] += 1

    def miss(self, record: MissRecord, *, ends_episode: bool) -> None:
        """Count a miss and keep it, once per request and with its number."""
        self.outcomes[MISS_OUTCOMES[record.miss_class]] += 1
        self.is_unreplayable = self.is_unreplayable or ends_episode
        key = (record.method, record.url, record.body)
        known = self._misses.get(key)
        if known is not None:
            known.count += 1
        elif len(self._misses) < MAX_KEPT_MISSES:
            self._misses[key] = record

    def live(self, record: LiveRecord) -> None:
        """Count an answer of the live app."""
        self.outcomes[Outcome.LIVE] += 1
        self._live.append(record)

    def report(self, cassette: CassetteIdentity, outbound_connections: int) -> SessionReport:
        """Return the account so far."""
        return SessionReport(
            session=self.session_id,
            app=cassette.app,
            version=cassette.version,
            cassette_digest=cassette.digest,
            recorded_at=cassette.recorded_at,
            matcher_version=cassette.matcher_version,
            policy=self.policy,
            verdict=self._verdict(),
            requests=self.outcomes.total(),
            outcomes=dict(self.outcomes),
            misses=tuple(msgspec.structs.replace(miss) for miss in self._misses.values()),
            live=tuple(self._live),
            entries_used=len(self.used),
            entries_unused=cassette.entries - len(self.used),
            outbound_connections=outbound_connections,
            state_assumed=self.state_assumed,
            rule_hits=dict(self.rule_hits),
            used=tuple(sorted(self.used)),
        )

    def _verdict(self) -> Verdict:
        if self.is_unreplayable:
            return Verdict.UNREPLAYABLE
        return Verdict.MIXED if self._live else Verdict.REPLAYED
