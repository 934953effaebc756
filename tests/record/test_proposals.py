"""Rules that are proposed are as narrow as what was seen."""

import msgspec
import pytest

from envsvc.cassette.manifest import ProposedRule
from envsvc.cassette.rules import MatchRule
from envsvc.exchange.shape import Shape
from envsvc.exchange.url import canonical_url
from envsvc.record.proposals import Evidence, proposed_rules
from envsvc.record.request_leaves import Kind, Leaf

UUIDS = ("3f0c9a52-7a55-4c1d-9b1e-0a6f3a1c2d11", "9c0b1d77-2a10-4a2b-8f3e-1f2e3d4c5b6a")


def seen(leaf: Leaf, *texts: str, url: str = "http://a.test/x", method: str = "GET") -> Evidence:
    """Return evidence of *texts* at *leaf*."""
    parts = canonical_url(url)
    assert parts is not None
    return Evidence(leaf=leaf, method=method, url=parts, texts=texts, because="it changes")


QUERY = Leaf(Kind.QUERY, "_")


@pytest.mark.parametrize(
    ("evidence", "name", "rule"),
    [
        (
            seen(QUERY, "1507495059747", "1507495059748"),
            "query-_",
            MatchRule(ignore_query=("_",), having_query=("_",), shape=Shape.TIME),
        ),
        (
            seen(Leaf(Kind.BARE_QUERY), "1507495059747", "1507495059748"),
            "bare-query-time",
            MatchRule(ignore_bare_query=Shape.TIME),
        ),
        (
            seen(Leaf(Kind.JSON, "/items/*/id"), *UUIDS),
            "json-items-id",
            MatchRule(ignore_json=("/items/*/id",), shape=Shape.UUID),
        ),
        (seen(Leaf(Kind.FORM, "stamp"), "a", "b"), "form-stamp", MatchRule(ignore_form=("stamp",))),
        (
            seen(Leaf(Kind.PATH_PARAMETER, "v"), "a", UUIDS[0]),
            "path-parameter-v",
            MatchRule(ignore_path_parameter=("v",)),
        ),
    ],
)
def test_each_leaf_has_its_rule(evidence: Evidence, name: str, rule: MatchRule) -> None:
    """D3: limited to the host, the path, the method and the shape that were seen."""
    limited = {"where": "a.test/x", "method": "GET"}

    assert proposed_rules([evidence]) == {
        name: ProposedRule(rule=_with(rule, **limited), because="it changes", seen=evidence.texts)
    }


def _with(rule: MatchRule, **limits: object) -> MatchRule:
    return msgspec.structs.replace(rule, **limits)


def test_a_segment_of_a_path_is_open_in_the_pattern() -> None:
    """The rest of the path is not."""
    leaf = Leaf(Kind.PATH_SEGMENT)
    found = proposed_rules(seen(leaf, u, url=f"http://a.test/drafts/{u}/[x]") for u in UUIDS)

    assert [one.rule for one in found.values()] == [
        MatchRule(ignore_path_segment=Shape.UUID, where="a.test/drafts/*/[[]x]", method="GET")
    ]


def test_what_is_known_by_its_shape_needs_one() -> None:
    """A rule that ignores any segment would let nothing decide."""
    assert proposed_rules([seen(Leaf(Kind.PATH_SEGMENT), "red", "blue")]) == {}


@pytest.mark.parametrize(
    ("paths", "where"),
    [
        (["/api/a", "/api/a"], "a.test/api/a"),
        (["/api/a", "/api/b"], "a.test/api/*"),
        (["/api/a/x", "/api/b/x"], "a.test/api/*"),
        (["/api", "/other/a"], "a.test/*"),
    ],
)
def test_one_rule_covers_the_folder_of_all_paths(paths: list[str], where: str) -> None:
    """D3: no wider than that."""
    found = proposed_rules(
        seen(QUERY, str(number), url=f"http://a.test{path}") for number, path in enumerate(paths)
    )

    assert [one.rule.where for one in found.values()] == [where]


def test_several_methods_leave_the_method_open() -> None:
    """The clock is in both."""
    found = proposed_rules([seen(QUERY, "1"), seen(QUERY, "2", method="POST")])

    assert [one.rule.method for one in found.values()] == [""]


def test_each_host_has_a_rule_of_its_own() -> None:
    """With a name of its own."""
    found = proposed_rules([seen(QUERY, "1"), seen(QUERY, "2", url="http://b.test/")])

    assert list(found) == ["query-_", "query-_-b.test"]


def test_only_the_beginning_of_few_values_is_shown() -> None:
    """A manifest is read by people."""
    found = proposed_rules([seen(QUERY, "x" * 100, "x" * 100, "2", "3", "4")])

    assert found["query-_"].seen == ("x" * 80, "2", "3")
