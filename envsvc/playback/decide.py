"""Choose how to answer a request: from the cassette, with a neutral miss, or live (D6, D7)."""

from functools import partial
from typing import assert_never

import msgspec

from envsvc.cassette.index import Found, Index, Level
from envsvc.cassette.stored import Entry, StoredResponse, identity
from envsvc.cassette.variants import Selector, StateUnknown
from envsvc.cassette.writes import Made, State, Turn
from envsvc.exchange.key import CanonicalKey
from envsvc.exchange.message import Failure, Headers, Request
from envsvc.exchange.url import host_of
from envsvc.playback.explain import Reason
from envsvc.playback.noise import MissClassifier
from envsvc.playback.outcome import AmbiguityPolicy, MissClass, MissPolicy, Outcome
from envsvc.playback.preflight import asked_method, is_preflight, preflight_headers
from envsvc.playback.representation import can_answer, held


class Hit(msgspec.Struct, frozen=True):
    """Serve the recorded response; see Found for the rest."""

    entry: Entry
    response: StoredResponse
    outcome: Outcome
    is_assumed: bool = False
    write: CanonicalKey | None = None
    turn: Turn | None = None
    rules: tuple[str, ...] = ()


class Fail(msgspec.Struct, frozen=True):
    """Fail as the host failed while recording."""

    entry: Entry


class Miss(msgspec.Struct, frozen=True):
    """Answer that there is nothing; ``ends_episode`` if the episode is unreplayable now.

    ``states`` are those in which the request was recorded, if the session's is another one.
    ``reason`` says why what was recorded is not served; None if nothing was.
    """

    miss_class: MissClass
    ends_episode: bool
    states: tuple[State, ...] = ()
    reason: Reason | None = None


class Synthesize(msgspec.Struct, frozen=True):
    """Answer a preflight whose request was recorded with these headers, and status 204."""

    entry: Entry
    headers: Headers


class GoLive(msgspec.Struct, frozen=True):
    """Fetch the answer from the live app, and say so."""

    miss_class: MissClass


type Decision = Hit | Fail | Synthesize | Miss | GoLive


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
    (RFC 9110 9.3.2), a preflight by those of the request that it announces. Of a host that never
    answered while recording, everything fails.
    """
    chosen = _chosen(request, index, classifier, made, ambiguity)
    return _under(policy, chosen) if isinstance(chosen, Miss) else chosen


def _chosen(
    request: Request,
    index: Index,
    classifier: MissClassifier,
    made: Made,
    ambiguity: AmbiguityPolicy,
) -> Hit | Fail | Synthesize | Miss:
    found, is_derived = _found(request, index, made)
    miss_class = partial(classifier.classify_request, request)
    if isinstance(found, StateUnknown):
        is_noise = miss_class() is MissClass.NOISE
        unknown = MissClass.NOISE if is_noise else MissClass.STATE_UNKNOWN
        return Miss(unknown, ends_episode=False, states=found.recorded)
    if found is None:
        made_up = _preflight(request, index) or _dead(request, index)
        return made_up or Miss(miss_class(), ends_episode=False)
    if isinstance(found.entry.answer, Failure):
        return Fail(found.entry)
    reason = _refusal(request, found, found.entry.answer, ambiguity)
    if reason is not None:
        return Miss(miss_class(), ends_episode=False, reason=reason)
    outcome = _outcome(found)
    return Hit(
        found.entry,
        found.entry.answer,
        Outcome.DERIVED if is_derived and outcome is not Outcome.AMBIGUOUS else outcome,
        is_assumed=found.is_assumed,
        write=found.write,
        turn=found.turn,
        rules=found.rules,
    )


def _refusal(
    request: Request, found: Found, answer: StoredResponse, ambiguity: AmbiguityPolicy
) -> Reason | None:
    """Return why what was found is not served, or None if it is."""
    if found.is_ambiguous and not found.turn and ambiguity is AmbiguityPolicy.REFUSE:
        return Reason.AMBIGUOUS
    if can_answer(request, answer):
        return None
    return _INCOMPLETE.get(answer.status, Reason.INCOMPLETE_ENTITY)


def _found(request: Request, index: Index, made: Made) -> tuple[Found | StateUnknown | None, bool]:
    """Return what *index* has for *request*, and whether only the GET of a HEAD was there."""
    found = index.find(request, made)
    if isinstance(found, Found) and found.is_ambiguous:
        return _part(request, found, index), False
    if found is not None or request.method != "HEAD":
        return found, False
    return index.find(msgspec.structs.replace(request, method="GET"), made), True


def _part(request: Request, found: Found, index: Index) -> Found:
    """Return the part that holds what *request* asks, where parts of one answer were recorded.

    They differ because each was asked by another range; the last one is no better than the others.
    """
    variants = index.variants(request)
    entries = variants.entries if variants else []
    answers = [entry.answer for entry in entries]
    if any(isinstance(answer, Failure) or held(answer) is None for answer in answers):
        return found
    parts = [entry for entry in entries if _can_answer(request, entry)]
    if len({identity(part) for part in parts}) != 1:
        return found
    return msgspec.structs.replace(
        found, entry=parts[-1], selector=Selector.NEGOTIATION, is_ambiguous=False
    )


def _can_answer(request: Request, entry: Entry) -> bool:
    return not isinstance(entry.answer, Failure) and can_answer(request, entry.answer)


_INCOMPLETE = {304: Reason.ONLY_304_RECORDED}


def _dead(request: Request, index: Index) -> Fail | None:
    dead = index.unreachable(host_of(request.url))
    return Fail(dead) if dead else None


def _preflight(request: Request, index: Index) -> Synthesize | None:
    if not is_preflight(request):
        return None
    entry = index.answered(asked_method(request), request.url)
    headers = preflight_headers(request, entry.headers) if entry else None
    return Synthesize(entry, headers) if entry and headers is not None else None


_LEVELS = {
    Level.EXACT: Outcome.EXACT,
    Level.CANONICAL: Outcome.CANONICAL,
    Level.RULE: Outcome.RULE,
}
_SELECTORS = {
    Selector.STATE: Outcome.STATE,
    Selector.CREDENTIALS: Outcome.CREDENTIALS,
    Selector.NEGOTIATION: Outcome.NEGOTIATED,
}


def _outcome(found: Found) -> Outcome:
    """Return what had the last word: what narrowed most, or the key alone.

    What only a match rule found is counted as that, whatever narrowed it afterwards.
    """
    if found.is_ambiguous:
        return Outcome.AMBIGUOUS
    if found.rules:
        return Outcome.RULE
    if found.selector is not None:
        return _SELECTORS[found.selector]
    return _LEVELS[found.level]


def _under(policy: MissPolicy, miss: Miss) -> Miss | GoLive:
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
