"""Decide whether an answer is good enough to be frozen, worth another try, or to be dropped."""

import msgspec

from envsvc.exchange.message import Exchange, Failure, Response

MAX_ATTEMPTS = 3
# Doubled at each try: 0.5 s and 1 s outlast a worker restart without stalling a tour.
FIRST_DELAY_S = 0.5

_SERVER_ERROR = 500
_TOO_MANY_REQUESTS = 429
_UNAVAILABLE = 503
# Sending these again changes nothing that sending them once did not (RFC 9110 9.2.2).
_IDEMPOTENT = frozenset({"GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"})


class Keep(msgspec.Struct, frozen=True):
    """The answer goes into the recording."""


class Retry(msgspec.Struct, frozen=True):
    """Ask again after ``delay_s`` seconds."""

    delay_s: float


class Drop(msgspec.Struct, frozen=True):
    """The exchange is left out and listed with its reason."""

    reason: str


type Verdict = Keep | Retry | Drop


def judge(exchange: Exchange, attempt: int, intended_statuses: frozenset[int]) -> Verdict:
    """Judge the answer of the given *attempt*, counted from 1 (S3-08).

    A fault that got into a recording would be replayed for ever, so 5xx, 429 and answers that
    broke off are tried again, then dropped. An unreachable host is kept: it is a fact.
    """
    fault = _fault(exchange.answer, intended_statuses)
    if fault is None:
        return Keep()
    if attempt < MAX_ATTEMPTS and may_repeat(exchange.request.method, exchange.answer):
        return Retry(FIRST_DELAY_S * 2 ** (attempt - 1))
    return Drop(f"{fault}, {attempt} attempt{'s' if attempt > 1 else ''}")


def may_repeat(method: str, answer: Response | Failure) -> bool:
    """Say whether asking again cannot do something twice.

    503 and 429 say that nothing was done (RFC 9110 15.6.4, RFC 6585 4).
    """
    refused = isinstance(answer, Response) and answer.status in {_UNAVAILABLE, _TOO_MANY_REQUESTS}
    return refused or method in _IDEMPOTENT


def _fault(answer: Response | Failure, intended_statuses: frozenset[int]) -> str | None:
    if isinstance(answer, Failure):
        return f"{answer.kind}: {answer.message}" if answer.kind in _BROKEN else None
    bad = answer.status >= _SERVER_ERROR or answer.status == _TOO_MANY_REQUESTS
    return f"status {answer.status}" if bad and answer.status not in intended_statuses else None


_BROKEN = frozenset({"timeout", "aborted"})
