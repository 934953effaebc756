"""Match rules take out what they name, of the requests that they name, and nothing else."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from envsvc.cassette.rules import MatchRule, RuleConflict, Rules
from envsvc.exchange.key import CanonicalRequest, canonical_request
from envsvc.exchange.message import Headers, Request
from envsvc.exchange.shape import Shape

JSON: Headers = (("Content-Type", "application/json"),)
FORM: Headers = (("Content-Type", "application/x-www-form-urlencoded"),)
NO_CACHE = MatchRule(ignore_query=("_",))
ALIAS = MatchRule(host_alias={"shop.test": "127.0.0.1:5001"})


def asked(url: str, method: str = "GET", body: str = "", headers: Headers = ()) -> CanonicalRequest:
    """Return a request in canonical form, of a.test if *url* names no host."""
    absolute = url if "://" in url else f"http://a.test{url}"
    return canonical_request(
        Request(method=method, url=absolute, headers=headers, body=body.encode())
    )


def are_one(one: CanonicalRequest, other: CanonicalRequest, **rules: MatchRule) -> bool:
    """Say whether *rules* make one of the two."""
    named = Rules(rules)
    return named.ruled(one) == named.ruled(other)


@pytest.mark.parametrize(
    ("rule", "one", "other"),
    [
        (NO_CACHE, asked("/?q=1&_=1"), asked("/?_=2&q=1")),
        (MatchRule(ignore_bare_query=Shape.NUMBER), asked("/?1"), asked("/?2")),
        (MatchRule(ignore_path_parameter=("v",)), asked("/a;v=1"), asked("/a;v=2")),
        (MatchRule(ignore_path_segment=Shape.NUMBER), asked("/a/1"), asked("/a/2")),
        (ALIAS, asked("http://shop.test/a"), asked("http://127.0.0.1:5001/a")),
        (
            MatchRule(ignore_json=("/ts", "/id")),
            asked("/", "POST", '{"q":1,"ts":1,"id":"a"}', JSON),
            asked("/", "POST", '{"q":1,"ts":2,"id":"b"}', JSON),
        ),
        (
            MatchRule(ignore_form=("ts",)),
            asked("/", "POST", "q=1&ts=1", FORM),
            asked("/", "POST", "q=1&ts=2", FORM),
        ),
        (
            MatchRule(ignore_xml_order=("s",), where="a.test/*"),
            asked("/", "POST", "<s><a/><b/></s>"),
            asked("/", "POST", "<s><b/><a/></s>"),
        ),
    ],
)
def test_each_kind_of_rule_takes_its_part_out(
    rule: MatchRule, one: CanonicalRequest, other: CanonicalRequest
) -> None:
    """D3: and without the rule the two are two."""
    assert are_one(one, other, rule=rule)
    assert not are_one(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (asked("/?q=1&_=1"), asked("/?q=2&_=1")),
        (asked("/a?_=1"), asked("/b?_=1")),
        (asked("/?_=1"), asked("/?_=1", "POST")),
        (asked("/?_=1"), asked("http://b.test/?_=1")),
    ],
)
def test_the_rest_of_the_request_still_decides(
    one: CanonicalRequest, other: CanonicalRequest
) -> None:
    """D3: a rule is no closest match."""
    assert not are_one(one, other, rule=NO_CACHE)


@pytest.mark.parametrize(
    ("limit", "holds"),
    [
        ({"where": "a.test/x/*"}, True),
        ({"where": "a.test/y/*"}, False),
        ({"method": "get"}, True),
        ({"method": "POST"}, False),
        ({"having_query": ("q", "_")}, True),
        ({"having_query": ("q", "z")}, False),
        ({"shape": Shape.NUMBER}, True),
        ({"shape": Shape.UUID}, False),
    ],
)
def test_a_rule_holds_where_it_says(limit: dict[str, object], *, holds: bool) -> None:
    """D3: each limit by itself."""
    rule = msgspec.structs.replace(NO_CACHE, **limit)

    assert are_one(asked("/x/?q=1&_=1"), asked("/x/?q=1&_=2"), rule=rule) is holds


def test_that_a_parameter_is_there_counts_where_a_rule_needs_it() -> None:
    """D3: a page's own script adds a clock, a hand-written request does not; they are two."""
    rule = msgspec.structs.replace(NO_CACHE, having_query=("_",))

    assert not are_one(asked("/?_=1"), asked("/"), rule=rule)
    assert are_one(asked("/?_=1"), asked("/?_=2"), rule=rule)


@pytest.mark.parametrize("where", ["shop.test/*", "127.0.0.1/*"])
def test_a_pattern_may_use_any_name_of_a_host(where: str) -> None:
    """The recorded one or an alias: both sides are seen alike."""
    rule = msgspec.structs.replace(NO_CACHE, where=where)
    one, other = asked("http://shop.test/a?_=1"), asked("http://127.0.0.1:5001/a?_=2")

    assert are_one(one, other, alias=ALIAS, rule=rule)


@pytest.mark.parametrize(
    ("url", "names"),
    [
        (
            "http://127.0.0.1:5001/a?q=1",
            ["http://127.0.0.1:5001/a", "http://127.0.0.1:5001/a", "http://shop.test/a"],
        ),
        ("http://other.test/a", ["http://other.test/a", "http://other.test/a"]),
        ("*", ["*"]),
    ],
)
def test_a_host_is_known_by_its_aliases(url: str, names: list[str]) -> None:
    """D3: whoever asks may use any of them."""
    assert Rules({"alias": ALIAS}).known_as(url) == names


def test_what_is_no_absolute_url_stays() -> None:
    """It has no parts that a rule could name."""
    request = canonical_request(Request(method="GET", url="*"))

    assert Rules({"rule": NO_CACHE}).ruled(request) is request


def test_a_given_rule_replaces_a_built_in_one() -> None:
    """By its name."""
    rules = Rules({"cache": MatchRule(ignore_query=("v",))}, {"cache": NO_CACHE})

    assert rules.ruled(asked("/?_=1&v=2")) == asked("/?_=1")


@pytest.mark.parametrize(
    ("one", "other", "needed"),
    [
        (asked("/?_=1"), asked("/?_=2"), ("cache",)),
        (asked("/?_=1&v=1"), asked("/?_=2&v=2"), ("cache", "version")),
        (asked("/?_=1&v=1"), asked("/?_=1&v=2"), ("version",)),
        (asked("/?_=1"), asked("/?_=1"), ()),
    ],
)
def test_the_rules_that_were_needed_are_named(
    one: CanonicalRequest, other: CanonicalRequest, needed: tuple[str, ...]
) -> None:
    """D7: a rule that changed nothing is not credited."""
    rules = Rules({"cache": NO_CACHE, "version": MatchRule(ignore_query=("v",))})

    assert rules.needed(one, other) == needed


def test_two_rules_that_take_out_the_same_are_both_named() -> None:
    """D7: neither alone was needed, yet one of them was."""
    rules = Rules({"one": NO_CACHE, "same": NO_CACHE, "other": MatchRule(ignore_query=("v",))})

    assert rules.needed(asked("/?_=1"), asked("/?_=2")) == ("one", "same")
    assert rules.needed(asked("/"), asked("/?_=2")) == ("one", "same")


@given(
    st.lists(st.tuples(st.sampled_from("_qv"), st.text("012", max_size=2)), max_size=4),
    st.lists(st.tuples(st.sampled_from("_qv"), st.text("012", max_size=2)), max_size=4),
)
def test_requests_are_one_exactly_if_nothing_else_differs(
    one: list[tuple[str, str]], other: list[tuple[str, str]]
) -> None:
    """D3: a rule merges what it names, all of it and nothing more."""
    texts = ["/?" + "&".join(f"{name}={value}" for name, value in pairs) for pairs in (one, other)]
    left = [sorted((n, i, v) for i, (n, v) in enumerate(p) if n != "_") for p in (one, other)]
    without_places = [
        {name: [v for n, _, v in side if n == name] for name in "qv"} for side in left
    ]

    assert are_one(asked(texts[0]), asked(texts[1]), rule=NO_CACHE) is (
        without_places[0] == without_places[1]
    )


@pytest.mark.parametrize(
    ("rule", "problem"),
    [
        (MatchRule(where="a.test/*"), "ignores nothing"),
        (MatchRule(ignore_json=("/a", "$.ts")), "'$.ts' is no JSON pointer"),
        (MatchRule(ignore_json=("",)), "'' is no JSON pointer"),
        (MatchRule(host_alias={"http://a.test/": "b.test"}), "'http://a.test/' is no"),
        (MatchRule(host_alias={"a.test": ""}), "'' is no"),
        (MatchRule(ignore_xml_order=("s",)), "needs a where"),
    ],
)
def test_a_rule_that_cannot_be_meant_is_a_problem(rule: MatchRule, problem: str) -> None:
    """D18: it is said which field, before anything is recorded."""
    (found,) = rule.problems()

    assert problem in found


@pytest.mark.parametrize("rule", [NO_CACHE, ALIAS, MatchRule(ignore_json=("/items/*/id",))])
def test_a_sound_rule_has_no_problems(rule: MatchRule) -> None:
    """Nothing to correct."""
    assert list(rule.problems()) == []


def test_a_conflict_names_the_rules_and_both_requests() -> None:
    """D3: whoever reads it can decide which of them is wrong."""
    error = RuleConflict(rules=("a", "b"), first="GET http://x/1", second="GET http://x/2").error()

    assert "match rule a and b" in str(error)
    assert "GET http://x/1 and GET http://x/2" in str(error)
