"""Choose how to answer a request: from the cassette, with a neutral miss, or live (D6, D7)."""

from typing import assert_never

import msgspec

from envsvc.cassette.index import Entry, Index, Level, StoredResponse
from envsvc.exchange.message import Failure, Request
from envsvc.exchange.url import host_of
from envsvc.playback.noise import MissClassifier
from envsvc.playback.outcome import MissClass, MissPolicy, Outcome


class Hit(msgspec.Struct, frozen=True):
    """Serve the recorded response."""

    entry: Entry
    response: StoredResponse
    outcome: Outcome


class Fail(msgspec.Struct, frozen=True):
    """Fail as the host failed while recording."""

    entry: Entry


class Miss(msgspec.Struct, frozen=True):
    """Answer that there is nothing; ``ends_episode`` if the episode is unreplayable now."""

    miss_class: MissClass
    ends_episode: bool


class GoLive(msgspec.Struct, frozen=True):
    """Fetch the answer from the live app, and say so."""

    miss_class: MissClass


type Decision = Hit | Fail | Miss | GoLive


def decide(
    request: Request, index: Index, classifier: MissClassifier, policy: MissPolicy
) -> Decision:
    """Choose how to answer *request*, which is already redacted.

    A HEAD without a recording of its own is answered by the headers of the recorded GET
    (RFC 9110 9.3.2). Of a host that never answered while recording, everything fails.
    """
    found = index.find(request)
    if found is not None:
        return _recorded(found.entry, _OUTCOMES[found.level], is_ambiguous=found.is_ambiguous)
    if request.method == "HEAD":
        found = index.find(msgspec.structs.replace(request, method="GET"))
        if found is not None:
            return _recorded(found.entry, Outcome.DERIVED, is_ambiguous=found.is_ambiguous)
    dead = index.unreachable(host_of(request.url))
    return Fail(dead) if dead else _missed(classifier.classify(request.url), policy)


_OUTCOMES = {Level.EXACT: Outcome.EXACT, Level.CANONICAL: Outcome.CANONICAL}


def _recorded(entry: Entry, outcome: Outcome, *, is_ambiguous: bool) -> Hit | Fail:
    if isinstance(entry.answer, Failure):
        return Fail(entry)
    return Hit(entry, entry.answer, Outcome.AMBIGUOUS if is_ambiguous else outcome)


def _missed(miss_class: MissClass, policy: MissPolicy) -> Miss | GoLive:
    match policy:
        case MissPolicy.STRICT:
            return Miss(miss_class, ends_episode=miss_class is not MissClass.NOISE)
        case MissPolicy.ERROR:
            return Miss(miss_class, ends_episode=False)
        case MissPolicy.LIVE:
            return GoLive(miss_class)
        case _:
            assert_never(policy)
