"""A recording is still true, is not, or nobody can tell."""

import pytest

from envsvc.drift.compare import Compared, Sample, Verdict, compare
from envsvc.exchange.message import Headers

JSON: Headers = (("Content-Type", "application/json"),)
HTML: Headers = (("Content-Type", "text/html; charset=utf-8"),)
PLAIN: Headers = (("Content-Type", "text/plain"),)


def asked(recorded: str, *live: str, headers: Headers = ()) -> Compared:
    """Compare what was recorded with what the live app says, of one kind."""
    samples = [Sample(headers=headers, body=body.encode()) for body in (recorded, *live)]
    return compare(samples[0], samples[1:])


def moved(status: int, location: str = "", body: bytes = b"x") -> Compared:
    """Compare a 200 with a live answer of *status*."""
    headers = (("Location", location),) if location else ()
    return compare(Sample(body=b"x"), [Sample(status=status, headers=headers, body=body)])


@pytest.mark.parametrize(
    ("recorded", "live", "headers"),
    [
        ('{"a":1,"b":[1,2]}', '{"b":[1.0,2],"a":1}', JSON),
        ('{"a":1}', '{ "a": 1 }', ()),
        ("<p>a</p>", "<p>a </p>", HTML),
        ("<p>a</p>", "<p>a </p>", ()),
        ("a", "a", PLAIN),
        ("{broken", "{broken", JSON),
        ("[" * 300 + "]" * 300, "[" * 300 + "]" * 300, JSON),
        ("", "", ()),
    ],
)
def test_the_same_meaning_is_the_same(recorded: str, live: str, headers: Headers) -> None:
    """D12: by kind, which the first byte tells where no header does."""
    assert asked(recorded, live, headers=headers).verdict is Verdict.SAME


@pytest.mark.parametrize(
    ("recorded", "live", "headers", "reason"),
    [
        ('{"a":{"b":1}}', '{"a":{"b":2}}', JSON, "/a/b: 1e0, now 2e0"),
        ('{"a":1}', '{"a":"1"}', JSON, '/a: 1e0, now "1"'),
        ('{"a":1}', "{}", JSON, "/a: 1e0, now nothing"),
        ("[1]", "[1,2]", JSON, "body: array of 1, now array of 2"),
        ("[1,2]", "[2,1]", JSON, "/0: 1e0, now 2e0"),
        ("<p>Price 10</p>", "<p>Price 11</p>", HTML, "/body[1]/p[1]: Price 10, now Price 11"),
        ("a", "b", PLAIN, "body: a, now b"),
        ("{broken", "{broken too", JSON, "body: {broken, now {broken too"),
        ("a" * 99, "b", PLAIN, f"body: {'a' * 60}…, now b"),
    ],
)
def test_another_meaning_is_drift(recorded: str, live: str, headers: Headers, reason: str) -> None:
    """D12: the first difference is shown."""
    assert asked(recorded, live, headers=headers) == Compared(verdict=Verdict.DRIFT, reason=reason)


def test_what_is_not_text_is_compared_by_its_bytes() -> None:
    """D12: a body that is not even UTF-8 is no JSON."""
    image = Sample(headers=JSON, body=b"\xff")

    assert compare(image, [image]).verdict is Verdict.SAME


def test_what_changes_by_itself_is_left_out_and_named() -> None:
    """D12: two live answers tell; what is inside of it too."""
    pages = [f"<p>10</p><aside>{ad}</aside>" for ad in ("A", "B", "<b>A</b>C")]

    assert asked(*pages, headers=HTML) == Compared(
        verdict=Verdict.SAME, volatile=("volatile region: aside", "volatile region: b")
    )


def test_what_changed_once_is_not_hidden_by_it() -> None:
    """D12: visible text that no two live answers differ in."""
    compared = asked("<p>10</p><i>A</i>", "<p>11</p><i>B</i>", "<p>11</p><i>C</i>", headers=HTML)

    assert compared.verdict is Verdict.DRIFT
    assert compared.volatile == ("volatile region: i",)


@pytest.mark.parametrize(
    ("status", "location", "reason"),
    [
        (429, "", "live answered 429"),
        (503, "", "live answered 503"),
        (401, "", "live answered 401"),
        (302, "/accounts/login?next=/", "live sent to its login"),
    ],
)
def test_a_refusal_says_nothing(status: int, location: str, reason: str) -> None:
    """D12: it is unknown whether the recording is true, never fresh and never stale."""
    assert moved(status, location) == Compared(verdict=Verdict.UNKNOWN, reason=reason)


def test_a_captcha_says_nothing() -> None:
    """D12: it stands where the page would."""
    assert moved(200, body=b"solve this CAPTCHA").verdict is Verdict.UNKNOWN


@pytest.mark.parametrize(
    ("status", "location", "reason"),
    [
        (302, "/new", "status 200, now 302"),
        (404, "", "status 200, now 404"),
        (200, "/x", "location , now /x"),
    ],
)
def test_another_status_or_target_is_drift(status: int, location: str, reason: str) -> None:
    """D12: whatever the body says."""
    assert moved(status, location) == Compared(verdict=Verdict.DRIFT, reason=reason)


def test_an_error_that_was_recorded_is_an_answer() -> None:
    """D8: an app may refuse on purpose."""
    refused = Sample(status=403, body=b"no")

    assert compare(refused, [refused]).verdict is Verdict.SAME


def test_no_answer_is_unknown() -> None:
    """D12: unreachable is never fresh."""
    assert compare(Sample(), []).verdict is Verdict.UNKNOWN
