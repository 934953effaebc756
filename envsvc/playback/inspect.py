"""Say how a request would be answered, and why: the same decision as in a replay, in words."""

from typing import assert_never

import msgspec

from envsvc.cassette.index import Index
from envsvc.cassette.manifest import SeveralAnswers
from envsvc.cassette.writes import Made
from envsvc.exchange.key import CanonicalKey, canonical_key
from envsvc.exchange.message import Request
from envsvc.playback.decide import Fail, GoLive, Hit, Miss, Synthesize, decide
from envsvc.playback.explain import Explanation, explain, explain_state
from envsvc.playback.indexing import several_answers_of
from envsvc.playback.noise import MissClassifier
from envsvc.playback.outcome import MISS_OUTCOMES, MissPolicy, Outcome


class Inspection(msgspec.Struct, frozen=True, kw_only=True):
    """How one request would be answered.

    ``entry`` is the number of the answer that is served, counted from 0, None if there is none.
    ``several`` describes the recorded answers if they differ; ``miss`` why there is no answer.
    """

    method: str
    url: str
    outcome: Outcome
    status: int | None = None
    entry: int | None = None
    is_assumed: bool = False
    after: tuple[str, ...] = ()
    several: SeveralAnswers | None = None
    miss: Explanation | None = None


def inspect(request: Request, index: Index, classifier: MissClassifier, made: Made) -> Inspection:
    """Return how *request*, already redacted, is answered in a session that has *made* writes."""
    decision = decide(request, index, classifier, MissPolicy.ERROR, made=made)
    assert not isinstance(decision, GoLive)  # noqa: S101 - the policy is another one
    variants = index.variants(request)
    differ = variants is not None and not variants.is_one_answer
    several = several_answers_of(index, variants) if variants and differ else None
    plain = Inspection(
        method=request.method,
        url=request.url,
        outcome=Outcome.FAILURE,
        after=tuple(index.writes(made.state)),
        several=several,
    )
    match decision:
        case Hit():
            return msgspec.structs.replace(
                plain,
                outcome=decision.outcome,
                status=decision.response.status,
                entry=decision.entry.number,
                is_assumed=decision.is_assumed,
            )
        case Fail():
            return msgspec.structs.replace(plain, entry=decision.entry.number)
        case Miss():
            known = _why(decision, made, index)
            return msgspec.structs.replace(
                plain,
                outcome=MISS_OUTCOMES[decision.miss_class],
                miss=known or explain(request, index),
            )
        case Synthesize():
            return msgspec.structs.replace(
                plain, outcome=Outcome.SYNTHESIZED, status=204, entry=decision.entry.number
            )
        case _:
            assert_never(decision)


def _why(miss: Miss, made: Made, index: Index) -> Explanation | None:
    if miss.states:
        return explain_state(miss.states, made, index)
    return Explanation(reason=miss.reason) if miss.reason is not None else None


def recorded_write(method: str, url: str, index: Index) -> CanonicalKey | None:
    """Return the key of the first recorded write of *method* to *url*; None if there is none."""
    place = canonical_key(Request(method=method, url=url))
    for entry in index.entries:
        bare = canonical_key(Request(method=entry.method, url=entry.url))
        if bare == place and index.is_write(entry.method, entry.url):
            return index.key(entry.number)
    return None
