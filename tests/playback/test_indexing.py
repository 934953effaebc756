"""The index that a manifest asks for, and what people are told of its keys."""

from contextlib import nullcontext

import msgspec
import pytest

from envsvc.cassette.index import Index
from envsvc.cassette.manifest import AmbiguousKey, BrowserInfo, Manifest, RecordedAnswer
from envsvc.cassette.rules import ConflictingRulesError, MatchRule, Rules
from envsvc.exchange.message import Exchange, Failure, Request, Response
from envsvc.playback.indexing import (
    ambiguous_keys,
    empty_index,
    refuse_conflicts,
    several_answers,
)
from tests.cassette.recordings import SHOP, after, ask, found, in_order, index_of, served

MANIFEST = Manifest(
    app="shop",
    version="v1",
    recorded_at="2026-01-02T03:04:05Z",
    virtual_host="shop.test",
    task_hosts=("shop.test",),
    noise=("shop.test/beacon",),
    repeat={"shop.test/jobs/*": "advance"},
    tool_schema_version=None,
    answer_table_version=None,
    envsvc_version="0",
    browser=BrowserInfo(build="", locale="", timezone="", viewport=(1, 1)),
    tours=(),
    passes=1,
    entries=0,
    body_bytes=0,
    redaction={},
)


def manifest_index(*recorded: tuple[str, Response | Failure | str] | Exchange) -> Index:
    """Return the index that the manifest asks for, of what was *recorded* in order."""
    return index_of(in_order(*recorded), empty_index(MANIFEST))


@pytest.mark.parametrize(
    ("write", "counts"),
    [
        ("POST http://shop.test/cart", True),
        ("POST http://shop.test/beacon", False),
        ("POST http://stats.test/hit", False),
        ("GET http://shop.test/cart", False),
        ("PROPFIND http://shop.test/cart", False),
    ],
)
def test_only_unsafe_requests_to_the_app_are_writes(write: str, *, counts: bool) -> None:
    """D4: writes to noise and third-party hosts never count."""
    method, url = write.split(" ")

    assert empty_index(MANIFEST).is_write(method, url) is counts


def test_a_beacon_between_two_answers_explains_nothing() -> None:
    """D4: it is noise."""
    index = manifest_index(("GET /", "A"), ("POST /beacon", ""), ("GET /", "B"))

    assert found(index, ask("GET /")).is_ambiguous


def test_keys_that_advance_do() -> None:
    """D4: as app.yaml said."""
    index = manifest_index(("GET /jobs/1", "waiting"), ("GET /jobs/1", "done"))

    assert served(index, ask("GET /jobs/1")) == "waiting"


def test_several_answers_are_described() -> None:
    """D4: what tells them apart, and after which writes each was given."""
    index = manifest_index(
        ("GET /cart", "empty"),
        ("POST /cart one", "added"),
        ("GET /cart", "one"),
        ("GET /cart", "one"),
    )
    (several,) = several_answers(index)

    assert (several.method, several.url) == ("GET", f"{SHOP}/cart")
    assert several.told_apart_by == ("state",)
    assert several.answers == (
        RecordedAnswer(status=200),
        RecordedAnswer(status=200, after=(f"POST {SHOP}/cart one",), times=2),
    )


def test_a_failure_has_status_0() -> None:
    """HAR has no word for it either."""
    index = manifest_index(("GET /", Failure(kind="dns", message="")), ("GET /", "page"))

    assert [answer.status for answer in next(several_answers(index)).answers] == [0, 200]


def test_ambiguous_keys_are_those_that_nothing_tells_apart() -> None:
    """S3-06: they are listed with how many answers they have."""
    index = manifest_index(
        ("GET /", "A"),
        ("GET /", "B"),
        ("GET /cart", "empty"),
        ("POST /cart one", "added"),
        ("GET /cart", "one"),
    )

    assert list(ambiguous_keys(index)) == [AmbiguousKey(method="GET", url=f"{SHOP}/", answers=2)]


@pytest.mark.parametrize(
    ("body", "headers", "shown"),
    [
        (b"", (), ""),
        (b"a=1", (), " a=1"),
        (b"x" * 100, (), " " + "x" * 60 + "…"),
        (b"--b", (("Content-Type", "multipart/form-data; boundary=b"),), ""),
    ],
)
def test_writes_are_named_with_a_short_body(
    body: bytes, headers: tuple[tuple[str, str], ...], shown: str
) -> None:
    """Two writes of one URL are told apart by it."""
    request = Request(method="POST", url=f"{SHOP}/cart", headers=headers, body=body)
    one = Exchange(
        started_us=0, duration_ms=1, request=request, answer=Response(status=200, body=b"ok")
    )
    twice = [one, msgspec.structs.replace(one, started_us=9_000)]
    index = index_of(twice)
    made = after(index)
    key = found(index, request).write
    assert key is not None
    made.wrote(key)
    assert index.writes(made.state) == [f"POST {SHOP}/cart{shown}"]
    made.wrote(key)

    assert index.writes(made.state) == [f"POST {SHOP}/cart{shown}, 2 times"]


def test_match_rules_are_those_of_the_manifest_and_the_built_in_ones() -> None:
    """D3: both find what differs in their part only."""
    named = msgspec.structs.replace(MANIFEST, match_rules={"cache": MatchRule(ignore_query=("_",))})
    index = index_of(in_order(("GET /a;jsessionid=1?_=1", "A")), empty_index(named))

    assert found(index, ask("GET /a;jsessionid=2?_=2")).rules == ("session-in-url", "cache")


@pytest.mark.parametrize(
    ("url", "counts"), [("http://127.0.0.1:5001/cart", True), ("http://127.0.0.1:5002/cart", False)]
)
def test_a_write_to_another_name_of_the_app_is_one(url: str, *, counts: bool) -> None:
    """D3, D4: what was recorded at an address is asked for by a name."""
    rule = MatchRule(host_alias={"shop.test": "127.0.0.1:5001"})
    named = msgspec.structs.replace(MANIFEST, match_rules={"address": rule})

    assert empty_index(named).is_write("POST", url) is counts


@pytest.mark.parametrize(("answer", "is_refused"), [("A", False), ("B", True)])
def test_a_rule_that_merges_different_answers_is_refused(answer: str, *, is_refused: bool) -> None:
    """D3: equal ones may be one."""
    rules = Rules({"cache": MatchRule(ignore_query=("_",))})
    index = index_of(in_order(("GET /?_=1", "A"), ("GET /?_=2", answer)), Index(rules=rules))

    with pytest.raises(ConflictingRulesError) if is_refused else nullcontext():
        refuse_conflicts(index)
