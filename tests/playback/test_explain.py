"""A miss is explained to the evaluator: why, what is nearest, what differs."""

import pytest

from envsvc.cassette.entry import entry_of
from envsvc.cassette.index import Index
from envsvc.cassette.variants import StateUnknown
from envsvc.exchange.message import Exchange, Headers, Request, Response
from envsvc.playback.explain import (
    MAX_NEAREST,
    Difference,
    Explanation,
    Reason,
    explain,
    explain_state,
)
from tests.cassette.recordings import SHOP, after, ask, in_order, index_of

FORM: Headers = (("Content-Type", "application/x-www-form-urlencoded"),)
JSON: Headers = (("Content-Type", "application/json"),)
MULTIPART: Headers = (("Content-Type", "multipart/form-data; boundary=b"),)


def get(url: str) -> Request:
    """Return a plain request."""
    return Request(method="GET", url=url)


def post(headers: Headers, body: str) -> Request:
    """Return a request that sends *body*."""
    return Request(method="POST", url="http://shop.test/", headers=headers, body=body.encode())


def part(name: str, value: str) -> str:
    """Return a multipart body of one part."""
    return f"--b\r\nContent-Disposition: {name}\r\n\r\n{value}\r\n--b--\r\n"


def explained(asked: Request, *recorded: Request) -> Explanation:
    """Explain the miss of *asked* in a cassette of what was *recorded*, each answered by itself."""
    index = Index()
    for number, request in enumerate(recorded):
        answer = Response(status=200, body=str(number).encode())
        exchange = Exchange(started_us=0, duration_ms=0, request=request, answer=answer)
        index.add(entry_of(exchange, lambda body, _: body.decode()), request)
    return explain(asked, index)


def differences(asked: Request, recorded: Request) -> list[tuple[str, str, str]]:
    """Return what differs between *asked* and *recorded*, as tuples."""
    nearest = explained(asked, recorded).nearest[0]
    return [(d.field, d.asked, d.recorded) for d in nearest.differences]


@pytest.mark.parametrize(
    ("url", "recorded", "reason"),
    [
        ("http://shop.test/a", [], Reason.CASSETTE_EMPTY),
        ("/a", ["http://shop.test/a"], Reason.HOST_NEVER_RECORDED),
        ("http://other.test/a", ["http://shop.test/a", "/b"], Reason.HOST_NEVER_RECORDED),
        ("https://shop.test/a", ["http://shop.test/a"], Reason.HOST_NEVER_RECORDED),
        ("http://shop.test/b", ["http://shop.test/a"], Reason.PATH_NEVER_RECORDED),
        ("http://shop.test/a?x=2", ["http://shop.test/a?x=1"], Reason.QUERY_DIFFERS),
        ("http://shop.test/a?x=", ["http://shop.test/a"], Reason.QUERY_DIFFERS),
        ("http://shop.test/a?x=1&x=2", ["http://shop.test/a?x=1,%202"], Reason.QUERY_DIFFERS),
        (
            "http://shop.test/a?y=2&%78=1",
            ["http://shop.test/a?x=1&y=2", "http://shop.test/a?y=2&x=1"],
            Reason.SPELLING_DECIDES,
        ),
    ],
)
def test_a_miss_has_a_reason(url: str, recorded: list[str], reason: Reason) -> None:
    """S0-14, D6: the farthest thing that differs from the nearest recording."""
    assert explained(get(url), *map(get, recorded)).reason is reason


@pytest.mark.parametrize(
    ("asked", "recorded"),
    [
        (post(FORM, "a=1"), post(FORM, "a=2")),
        (post(FORM, "a=1"), post((), "a=1")),
        (post(JSON, "[1]"), post(JSON, "[2]")),
        (post(MULTIPART, part("x", "1")), post(MULTIPART, part("y", "1"))),
        (post((), "x"), post((), "y")),
    ],
)
def test_a_body_that_differs_is_the_reason(asked: Request, recorded: Request) -> None:
    """D6: also where only its type or the head of a part differs."""
    assert explained(asked, recorded).reason is Reason.BODY_DIFFERS


def test_a_method_that_differs_is_the_reason() -> None:
    """The page was recorded, but not as this request."""
    delete = Request(method="DELETE", url="http://shop.test/a")

    assert explained(delete, get("http://shop.test/a")).reason is Reason.METHOD_DIFFERS


def test_what_differs_is_shown_side_by_side() -> None:
    """S0-09: readable by a program, one difference per field."""
    asked = get("https://shop.test:8443/b?x=2&y=1")
    nearest = explained(asked, get("http://shop.test/a?x=1")).nearest[0]

    assert (nearest.method, nearest.url) == ("GET", "http://shop.test/a?x=1")
    assert nearest.differences == (
        Difference(field="origin", asked="https://shop.test:8443", recorded="http://shop.test"),
        Difference(field="path", asked="/b", recorded="/a"),
        Difference(field="query x", asked="2", recorded="1"),
        Difference(field="query y", asked="1", recorded=""),
    )


def test_an_empty_value_is_told_from_none() -> None:
    """A flag without a value and no flag at all are two questions."""
    assert differences(get("http://shop.test/?flag"), get("http://shop.test/")) == [
        ("query flag", "(empty)", "")
    ]


@pytest.mark.parametrize(
    ("asked", "recorded", "difference"),
    [
        (post(FORM, "a=1&b=2"), post(FORM, "b=2&a=3"), ("form a", "1", "3")),
        (
            post(JSON, '{"b":{"c":[1,2.5]}}'),
            post(JSON, '{"b":{"c":[1,3]}}'),
            ("json /b/c/1", "2.5", "3"),
        ),
        (post(JSON, '{"a/b":"1"}'), post(JSON, '{"a/b":1}'), ("json /a~1b", '"1"', "1")),
        (post(JSON, '{"a":[]}'), post(JSON, '{"a":{}}'), ("json /a", "[]", "{}")),
        (post(JSON, "true"), post(JSON, "null"), ("json ", "true", "null")),
        (post(JSON, '{"a":1}'), post((), "raw"), ("body", '{"a":1e0}', "raw")),
        (post(FORM, "b=2&a=1"), post((), "raw"), ("body", "a=1&b=2", "raw")),
        (
            post(MULTIPART, part("x", "1")),
            post((), "\ud7ff"),
            ("body", "content-disposition: x; 1", "\ud7ff"),
        ),
    ],
)
def test_bodies_are_shown_by_what_they_mean(
    asked: Request, recorded: Request, difference: tuple[str, str, str]
) -> None:
    """Forms field by field, JSON leaf by leaf (RFC 6901), other bodies as text."""
    assert differences(asked, recorded) == [difference]


def test_a_body_that_is_no_text_is_shown_all_the_same() -> None:
    """Bytes that are no UTF-8 become a mark."""
    binary = Request(method="POST", url="http://shop.test/", body=b"\xff")

    assert differences(binary, post((), "x")) == [("body", "\ufffd", "x")]


def test_long_values_are_cut() -> None:
    """A line of a terminal holds what differs, not the whole upload."""
    ((_, asked, _),) = differences(post((), "x" * 1000), post((), "y"))

    assert asked == "x" * 120 + "…"


def test_the_nearest_come_first_and_are_few() -> None:
    """S3-11: first what differs least."""
    far = [f"http://shop.test/p{n}?x=1" for n in range(5)]
    near = explained(get("http://shop.test/a?x=2"), *map(get, far), get("http://shop.test/a?x=1"))

    assert len(near.nearest) == MAX_NEAREST
    assert near.nearest[0].url == "http://shop.test/a?x=1"


def test_the_same_recording_is_shown_once() -> None:
    """A page that was visited ten times is one neighbour."""
    home = get("http://shop.test/")

    assert len(explained(get("http://shop.test/a"), home, home).nearest) == 1


def test_hosts_that_were_not_asked_are_not_shown() -> None:
    """S3-10: nothing of another host helps, so nothing of it is told."""
    nearest = explained(
        get("http://shop.test/b"), get("http://shop.test/a"), get("http://x.test/b")
    )

    assert [n.url for n in nearest.nearest] == ["http://shop.test/a"]


def test_an_unknown_state_is_explained_by_what_was_written() -> None:
    """D4: the recorded states are named, and the writes of the session that count."""
    index = index_of(
        in_order(
            ("GET /cart", "empty"),
            ("POST /cart one", "added"),
            ("GET /cart", "one"),
            ("POST /like", "liked"),
        )
    )
    made = after(index, "POST /cart one", "POST /cart one", "POST /like", "POST /never")
    unknown = index.find(ask("GET /cart"), made)
    assert isinstance(unknown, StateUnknown)

    assert explain_state(unknown.recorded, made, index) == Explanation(
        reason=Reason.STATE_UNKNOWN,
        made=(f"POST {SHOP}/cart one, 2 times", f"{SHOP}/never"),
        states=((), (f"POST {SHOP}/cart one",)),
    )


@pytest.mark.parametrize(
    ("asked", "recorded", "hint"),
    [
        ("?from=2025-03-01&to=2025-03-07", "?from=2024-01-01&to=2024-01-07", "2024-01-01"),
        ("?from=2025-03-01&to=2025-03-09", "?from=2024-01-01&to=2024-01-07", ""),
        ("?from=2025-03-01&q=a", "?from=2024-01-01&q=b", ""),
        ("?from=today", "?from=2024-01-01", ""),
    ],
)
def test_dates_that_all_moved_alike_name_the_clock(asked: str, recorded: str, hint: str) -> None:
    """D11: a client that computes them from its clock needs the clock of the recording."""
    miss = explained(get(f"http://shop.test/{asked}"), get(f"http://shop.test/{recorded}"))

    assert miss.hint == (f"pin the client clock to {hint}" if hint else "")


@pytest.mark.parametrize(
    ("asked", "recorded", "is_credential"),
    [
        ("/a?key=redacted-token-x0123456789ab", "/a?key=redacted-token-1", True),
        ("/a?key=redacted-token-x0123456789ab&b=1", "/a?key=redacted-token-1&b=2", False),
        ("/a?key=redacted-token-2", "/a?key=redacted-token-1", False),
        ("/a?key=redacted-token-x0123456789ab", "/a?key=plain", False),
    ],
)
def test_a_credential_that_is_not_known_is_to_be_named(
    asked: str, recorded: str, *, is_credential: bool
) -> None:
    """D9: a client's own key is found if app.yaml names it."""
    miss = explained(get(SHOP + asked), get(SHOP + recorded))

    assert ("under secrets in app.yaml" in miss.hint) is is_credential
