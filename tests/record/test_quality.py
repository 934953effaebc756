"""A fault never gets into a recording: it is tried again, then dropped with its reason."""

import pytest

from envsvc.exchange.message import Exchange, Failure, Request, Response
from envsvc.record.quality import Drop, Keep, Retry, Verdict, judge, may_repeat

OK = Response(status=200)
BAD_GATEWAY = Response(status=502)
BUSY = Response(status=503)
TOO_MANY = Response(status=429)
TIMEOUT = Failure(kind="timeout", message="30 s")
BROKEN = Failure(kind="aborted", message="12 of 20 bytes")
UNREACHABLE = Failure(kind="dns", message="no such host")


def play(
    *transcript: tuple[Response | Failure, Verdict],
    method: str = "GET",
    intended: frozenset[int] = frozenset(),
) -> None:
    """Give the answers one after another as attempts and compare the verdicts."""
    request = Request(method=method, url="http://shop.test/")
    for attempt, (answer, expected) in enumerate(transcript, 1):
        exchange = Exchange(started_us=0, duration_ms=0, request=request, answer=answer)
        assert judge(exchange, attempt, intended) == expected


def test_a_good_answer_is_kept() -> None:
    """S3-08: nothing to do."""
    play((OK, Keep()))


def test_a_page_that_stays_bad_is_dropped_with_its_reason() -> None:
    """S3-08, D8: the third 5xx drops the exchange; the reason says status and attempts."""
    play(
        (BAD_GATEWAY, Retry(0.5)),
        (BAD_GATEWAY, Retry(1.0)),
        (BAD_GATEWAY, Drop("status 502, 3 attempts")),
    )


def test_a_page_that_recovers_is_kept() -> None:
    """S3-08: one bad moment does not cost the page."""
    play((BUSY, Retry(0.5)), (TIMEOUT, Retry(1.0)), (OK, Keep()))


def test_an_answer_that_broke_off_is_dropped_in_the_end() -> None:
    """S3-08: half a page is not a page."""
    play(
        (BROKEN, Retry(0.5)),
        (BROKEN, Retry(1.0)),
        (BROKEN, Drop("aborted: 12 of 20 bytes, 3 attempts")),
    )


def test_an_order_that_failed_is_not_sent_twice() -> None:
    """S1-26: nobody knows whether a POST that failed has acted."""
    play((BAD_GATEWAY, Drop("status 502, 1 attempt")), method="POST")


def test_an_order_that_was_refused_is_sent_again() -> None:
    """503 and 429 say that nothing was done."""
    play((BUSY, Retry(0.5)), (TOO_MANY, Retry(1.0)), (OK, Keep()), method="POST")


def test_an_unreachable_host_is_kept() -> None:
    """D8: it is a fact of that day, replayed as a failure."""
    play((UNREACHABLE, Keep()))


def test_an_intended_error_is_kept() -> None:
    """D8: app.yaml says which faults the app gives on purpose."""
    play((BAD_GATEWAY, Keep()), intended=frozenset({502}))
    play((TOO_MANY, Keep()), intended=frozenset({429}))


@pytest.mark.parametrize("status", [100, 204, 302, 400, 404, 499])
def test_other_statuses_are_answers(status: int) -> None:
    """S3-08: a page that does not exist is what the app says."""
    play((Response(status=status), Keep()))


@pytest.mark.parametrize(
    ("method", "answer", "may"),
    [
        ("GET", BAD_GATEWAY, True),
        ("PUT", TIMEOUT, True),
        ("DELETE", BROKEN, True),
        ("POST", TIMEOUT, False),
        ("PATCH", BAD_GATEWAY, False),
        ("PATCH", BUSY, True),
        ("POST", TOO_MANY, True),
    ],
)
def test_only_what_cannot_act_twice_is_repeated(
    method: str, answer: Response | Failure, *, may: bool
) -> None:
    """RFC 9110 9.2.2: idempotent methods, or a refusal."""
    assert may_repeat(method, answer) is may
