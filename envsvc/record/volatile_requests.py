"""Find what clients made anew each time in what they asked, and propose match rules (D3).

A value counts only if no answer before had it: what an app hands out names a thing of the app, and
a replay hands it out again.
"""

from collections.abc import Hashable, Iterable, Iterator, Sequence

import msgspec

from envsvc.cassette.manifest import ProposedRule
from envsvc.cassette.rules import Rules
from envsvc.exchange.key import CanonicalRequest, canonical_request
from envsvc.exchange.message import Exchange, Request, Response
from envsvc.exchange.moment import moment_us
from envsvc.exchange.placeholder import PLACEHOLDER_PREFIX, is_placeholder
from envsvc.exchange.shape import shape_of
from envsvc.exchange.url import CanonicalUrl
from envsvc.record.proposals import Evidence, proposed_rules
from envsvc.record.request_leaves import Dissected, Leaf, Value, dissected

# A page may stay open for long and use again what it read from its clock at the start.
_OLDEST_US = 3_600_000_000
_NEWEST_US = 60_000_000


class _Asked(msgspec.Struct, frozen=True, kw_only=True):
    """A request taken apart; ``number`` counts the exchanges of its pass from 0."""

    number: int
    exchange: Exchange
    form: CanonicalRequest
    url: CanonicalUrl
    parts: Dissected

    @property
    def step(self) -> Hashable:
        """Return at which step of which tour it was asked."""
        return self.exchange.tour, self.exchange.step.partition(" ")[0]


class _Pass:
    """The requests of one pass, and what the app had told before each."""

    def __init__(self, exchanges: Sequence[Exchange], rules: Rules) -> None:
        self.asked = list(_asked(exchanges, rules))
        self._answers = [_text(exchange) for exchange in exchanges]
        self._told_at: dict[str, int] = {}

    def is_own(self, text: str, number: int | None = None) -> bool:
        """Say whether no answer before request *number* (None: none at all) held *text*."""
        if PLACEHOLDER_PREFIX in text or is_placeholder(text):
            return False  # a credential, which is the same in every replay
        if text not in self._told_at:
            sought = text.encode()
            holding = (n for n, answer in enumerate(self._answers) if sought in answer)
            self._told_at[text] = next(holding, len(self._answers))
        before = len(self._answers) if number is None else number
        return self._told_at[text] >= before


def propose(passes: Sequence[Sequence[Exchange]], rules: Rules) -> dict[str, ProposedRule]:
    """Return rules by name for what differs between *passes* or follows the clock in the first.

    *passes* followed the same tours. What *rules* take out already is not proposed again. {} if
    nothing was found.
    """
    if not passes:
        return {}
    first, *later = (_Pass(exchanges, rules) for exchanges in passes)
    changed = [found for other in later for found in _changed(first, other)]
    return proposed_rules([*changed, *_clocks(first)])


def propose_for_misses(
    missed: Iterable[Request], recorded: Sequence[Exchange], rules: Rules
) -> dict[str, ProposedRule]:
    """Return rules by name with which *missed* requests would find one of the *recorded* ones.

    Only for those that differ from it in nothing but values of the same volatile shape.
    """
    known = _Pass(recorded, rules)
    by_places: dict[object, list[_Asked]] = {}
    for asked in known.asked:
        by_places.setdefault(asked.parts.places, []).append(asked)
    evidence: list[Evidence] = []
    for request in missed:
        parts = dissected(rules.ruled(canonical_request(request)))
        near = by_places.get(parts.places, []) if parts else []
        evidence += _nearest(parts, near, known) if parts else []
    return proposed_rules(evidence)


def _asked(exchanges: Sequence[Exchange], rules: Rules) -> Iterator[_Asked]:
    for number, exchange in enumerate(exchanges):
        form = rules.ruled(canonical_request(exchange.request))
        parts = dissected(form)
        if parts and not isinstance(form.url, str):
            yield _Asked(number=number, exchange=exchange, form=form, url=form.url, parts=parts)


def _changed(first: _Pass, later: _Pass) -> Iterator[Evidence]:
    """Yield the values in which requests at one step differ that have no equal in the other."""
    left: dict[object, list[_Asked]] = {}
    for asked in _without(later.asked, first.asked):
        left.setdefault((asked.step, asked.parts.places), []).append(asked)
    for asked in _without(first.asked, later.asked):
        candidates = left.get((asked.step, asked.parts.places))
        if candidates:
            partner = min(candidates, key=lambda other: len(asked.parts.differing(other.parts)))
            candidates.remove(partner)
            for ours, theirs in asked.parts.differing(partner.parts):
                if first.is_own(ours.text, asked.number) and later.is_own(
                    theirs.text, partner.number
                ):
                    yield _evidence(asked, ours, theirs.text, because=_DIFFERS)


_DIFFERS = "it differs between two passes over the same tour"
_FOLLOWS = "it follows the clock of the client"
_MISSED = "a request that was missed differs in nothing else"


def _without(these: Iterable[_Asked], others: Iterable[_Asked]) -> list[_Asked]:
    known = {other.form for other in others}
    return [asked for asked in these if asked.form not in known]


def _clocks(one: _Pass) -> Iterator[Evidence]:
    """Yield values that read as the time of their request, where a host got different ones."""
    found: dict[tuple[str, Leaf], list[Evidence]] = {}
    for asked in one.asked:
        for value in asked.parts.values:
            if _is_now(value.text, asked.exchange.started_us) and one.is_own(
                value.text, asked.number
            ):
                evidence = _evidence(asked, value, because=_FOLLOWS)
                found.setdefault((asked.url.host, value.leaf), []).append(evidence)
    for group in found.values():
        if len({evidence.texts for evidence in group}) > 1:
            yield from group


def _is_now(text: str, now_us: int) -> bool:
    moment = moment_us(text)
    return moment is not None and -_OLDEST_US <= moment - now_us <= _NEWEST_US


def _nearest(parts: Dissected, near: Iterable[_Asked], known: _Pass) -> list[Evidence]:
    """Return in what *parts* differ from the nearest that differs in volatile values only."""
    found: list[list[Evidence]] = []
    for asked in near:
        pairs = asked.parts.differing(parts)
        if all(_are_alike(recorded, missed, asked.number, known) for recorded, missed in pairs):
            found.append(
                [_evidence(asked, ours, theirs.text, because=_MISSED) for ours, theirs in pairs]
            )
    return min(found, key=len, default=[])


def _are_alike(recorded: Value, missed: Value, number: int, known: _Pass) -> bool:
    shape = shape_of(recorded.text)
    same = shape is not None and shape is shape_of(missed.text)
    return same and known.is_own(recorded.text, number) and known.is_own(missed.text)


def _evidence(asked: _Asked, value: Value, *others: str, because: str) -> Evidence:
    return Evidence(
        leaf=value.leaf,
        method=asked.form.method,
        url=asked.url,
        texts=(value.text, *others),
        because=because,
    )


def _text(exchange: Exchange) -> bytes:
    """Return all that the app said in an answer."""
    answer = exchange.answer
    if not isinstance(answer, Response):
        return b""
    headers = "\n".join(value for _, value in answer.headers).encode()
    said = [message.content for message in exchange.messages if not message.from_client]
    return b"\n".join([headers, answer.body, *said])
