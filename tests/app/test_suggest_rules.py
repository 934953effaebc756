"""Rules are suggested from all that is known, and chosen by name."""

import msgspec
import pytest

from envsvc.app.suggest_rules import NoSuchRuleError, chosen, suggestions
from envsvc.cassette.manifest import ProposedRule
from envsvc.cassette.rules import MatchRule
from envsvc.exchange.shape import Shape
from tests.cassette.recordings import ask, exchange
from tests.contracts.samples import manifest

START = 1_767_355_200
CACHE = MatchRule(
    ignore_query=("_",),
    having_query=("_",),
    shape=Shape.TIME,
    where="shop.test/x",
    method="GET",
)
CLOCKS = [exchange(f"GET /x?_={(START + n) * 1000}", "page", START + n) for n in (1, 2)]
PROPOSED = {"query-_": ProposedRule(rule=MatchRule(ignore_query=("_",)), because="it changes")}


def test_what_was_recorded_is_looked_through() -> None:
    """D3: also a cassette that was recorded before there were proposals."""
    found = suggestions(manifest(), CLOCKS, [], {})

    assert {name: one.rule for name, one in found.items()} == {"query-_": CACHE}


def test_what_recording_proposed_comes_first_and_names_stay_apart() -> None:
    """D3: it saw more than one pass."""
    found = suggestions(
        msgspec.structs.replace(manifest(), proposed_rules=PROPOSED), CLOCKS, [], {}
    )

    assert list(found) == ["query-_", "query-_-2"]
    assert found["query-_"] == PROPOSED["query-_"]


def test_misses_suggest_rules_too() -> None:
    """D3: a session asked with another clock."""
    recorded = [exchange("GET /y?t=1767355200000", "page", 0)]
    found = suggestions(manifest(), recorded, [ask("GET /y?t=1999999999999")], {})

    assert [one.rule.ignore_query for one in found.values()] == [("t",)]


def test_what_the_cassette_has_is_not_suggested() -> None:
    """D3: and no name that it has is given twice."""
    having = msgspec.structs.replace(
        manifest(),
        match_rules={"query-_": MatchRule(ignore_query=("v",)), "cache": CACHE},
        proposed_rules=PROPOSED,
    )

    assert list(suggestions(having, CLOCKS, [], {})) == ["query-_-2"]


@pytest.mark.parametrize(
    ("rule", "name"), [(CACHE, "query-_"), (MatchRule(ignore_query=("v",)), "query-_-2")]
)
def test_a_name_of_another_rule_of_app_yaml_is_not_given(rule: MatchRule, name: str) -> None:
    """D3: another version of the app may have it from there."""
    assert list(suggestions(manifest(), CLOCKS, [], {"query-_": rule})) == [name]


def test_rules_are_chosen_by_name_or_all() -> None:
    """A person decides."""
    suggested = {**PROPOSED, "other": ProposedRule(rule=CACHE, because="it changes")}

    assert chosen(suggested, ["other"], everything=False) == {"other": CACHE}
    assert list(chosen(suggested, [], everything=True)) == ["query-_", "other"]


@pytest.mark.parametrize("names", [["never"], []])
def test_a_rule_that_is_not_suggested_cannot_be_chosen(names: list[str]) -> None:
    """D18: those that can are named."""
    with pytest.raises(NoSuchRuleError) as raised:
        chosen(PROPOSED, names, everything=False)

    assert "query-_" in raised.value.fix
