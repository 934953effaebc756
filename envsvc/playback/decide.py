"""Choose how to answer a request: from the cassette, with a neutral miss, or live (D6, D7)."""

from typing import assert_never

import msgspec

from envsvc.cassette.index import Found, Index, Level
from envsvc.cassette.stored import Entry, StoredResponse
from envsvc.cassette.variants import Selector, StateUnknown
from envsvc.cassette.writes import Made, State, Turn
from envsvc.exchange.key import CanonicalKey
from envsvc.exchange.message import Failure, Request
from envsvc.exchange.url import host_of
from envsvc.playback.noise import MissClassifier
from envsvc.playback.outcome import AmbiguityPolicy, MissClass, MissPolicy, Outcome


class Hit(msgspec.Struct, frozen=True):
    """Serve the recorded response; see Found for the rest."""

    entry: Entry
    response: StoredResponse
    outcome: Outcome
    is_assumed: bool = False
    write: CanonicalKey | None = None
    turn: Turn | None = None


class Fail(msgspec.Struct, frozen=True):
    """Fail as the host failed while recording."""

    entry: Entry


class Miss(msgspec.Struct, frozen=True):
    """Answer that there is nothing; ``ends_episode`` if the episode is unreplayable now.

    ``states`` are those in which the request was recorded, if the session's is another one.
    ``is_ambiguous`` if there are answers that nothing tells apart.
    """

    miss_class: MissClass
    ends_episode: bool
    states: tuple[State, ...] = ()
    is_ambiguous: bool = False


class GoLive(msgspec.Struct, frozen=True):
    """Fetch the answer from the live app, and say so."""

    miss_class: MissClass


type Decision = Hit | Fail | Miss | GoLive


def decide(
    request: Request,
    index: Index,
    classifier: MissClassifier,
    policy: MissPolicy,
    *,
    made: Made,
    ambiguity: AmbiguityPolicy = AmbiguityPolicy.SERVE,
) -> Decision:
    """Choose how to answer *request*, already redacted, for a session that has *made* writes.

    A HEAD without a recording of its own is answered by the headers of the recorded GET
    (RFC 9110 9.3.2). Of a host that never answered while recording, everything fails.
    """
    found, is_derived = _found(request, index, made)
    if isinstance(found, StateUnknown):
        is_noise = classifier.classify(request.url) is MissClass.NOISE
        unknown = MissClass.NOISE if is_noise else MissClass.STATE_UNKNOWN
        return _missed(Miss(unknown, ends_episode=False, states=found.recorded), policy)
    if found is None:
        dead = index.unreachable(host_of(request.url))
        if dead is not None:
            return Fail(dead)
        return _missed(Miss(classifier.classify(request.url), ends_episode=False), policy)
    if isinstance(found.entry.answer, Failure):
        return Fail(found.entry)
    if found.is_ambiguous and not found.turn and ambiguity is AmbiguityPolicy.REFUSE:
        miss_class = classifier.classify(request.url)
        return _missed(Miss(miss_class, ends_episode=False, is_ambiguous=True), policy)
    outcome = _outcome(found)
    if is_derived and outcome is not Outcome.AMBIGUOUS:
        outcome = Outcome.DERIVED
    return Hit(
        found.entry,
        found.entry.answer,
        outcome,
        is_assumed=found.is_assumed,
        write=found.write,
        turn=found.turn,
    )


def _found(request: Request, index: Index, made: Made) -> tuple[Found | StateUnknown | None, bool]:
    """Return what *index* has for *request*, and whether only the GET of a HEAD was there."""
    found = index.find(request, made)
    if found is not None or request.method != "HEAD":
        return found, False
    return index.find(msgspec.structs.replace(request, method="GET"), made), True


_LEVELS = {Level.EXACT: Outcome.EXACT, Level.CANONICAL: Outcome.CANONICAL}
_SELECTORS = {
    Selector.STATE: Outcome.STATE,
    Selector.CREDENTIALS: Outcome.CREDENTIALS,
    Selector.NEGOTIATION: Outcome.NEGOTIATED,
}


def _outcome(found: Found) -> Outcome:
    """Return the rule that had the last word: what narrowed most, or the key alone."""
    if found.is_ambiguous:
        return Outcome.AMBIGUOUS
    if found.selector is not None:
        return _SELECTORS[found.selector]
    return _LEVELS[found.level]


def _missed(miss: Miss, policy: MissPolicy) -> Miss | GoLive:
    match policy:
        case MissPolicy.STRICT:
            ends = miss.miss_class is not MissClass.NOISE
            return msgspec.structs.replace(miss, ends_episode=ends)
        case MissPolicy.ERROR:
            return miss
        case MissPolicy.LIVE:
            return GoLive(miss.miss_class)
        case _:
            assert_never(policy)
