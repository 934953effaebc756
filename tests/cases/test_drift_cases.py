"""Cases of kind ``drift``: is a recorded answer still what the live app says?"""

import base64
from collections.abc import Sequence

import pytest

from envsvc.drift.compare import Compared, Sample, compare
from envsvc.exchange.content import decode
from envsvc.exchange.message import header
from tests.cases.load import Case, cases
from tests.cases.schema import Strict

pytestmark = pytest.mark.cases


class Live(Strict, frozen=True, kw_only=True):
    """What the live app says, and what that means; ``live_samples`` are several of its answers."""

    live_status: int | None = None
    live_headers: Sequence[tuple[str, str]] = ()
    live_body: str | None = None
    live_body_b64: str | None = None
    live_samples: Sequence[str] = ()
    expect: str
    reason: str = ""
    flag: str = ""
    note: str = ""


class Input(Live, frozen=True, kw_only=True):
    """A recorded answer, what the live app says, and ``also`` what else it might have said."""

    kind: str
    content_type: str = ""
    recorded_status: int = 200
    recorded_headers: Sequence[tuple[str, str]] = ()
    recorded_body: str | None = None
    recorded_body_b64: str | None = None
    also: Sequence[Live] = ()


@pytest.mark.parametrize("case", cases("drift"), ids=lambda case: case.id)
def test_drift(case: Case) -> None:
    """D12: same, drift, or unknown, with the reason and what was left out."""
    given = case.read(Input)
    for live in (given, *given.also):
        compared = judged(given, live)

        assert compared.verdict == live.expect, compared
        assert live.reason in compared.reason
        assert not live.flag or live.flag in compared.volatile


def judged(given: Input, live: Live) -> Compared:
    """Compare what was recorded with *live*."""
    kind = (("Content-Type", given.content_type),) if given.content_type else ()
    recorded = sample(
        given.recorded_status,
        (*kind, *given.recorded_headers),
        given.recorded_body,
        given.recorded_body_b64,
    )
    status = given.recorded_status if live.live_status is None else live.live_status
    headers = (*kind, *live.live_headers)
    texts: Sequence[str | None] = live.live_samples or (live.live_body,)
    return compare(recorded, [sample(status, headers, text, live.live_body_b64) for text in texts])


def sample(
    status: int, headers: Sequence[tuple[str, str]], text: str | None, b64: str | None
) -> Sample:
    """Return an answer, decoded as a client does."""
    body = base64.b64decode(b64) if text is None and b64 else (text or "").encode()
    encoding = header(tuple(headers), "content-encoding")
    return Sample(
        status=status, headers=tuple(headers), body=decode(body, encoding) if body else b""
    )
