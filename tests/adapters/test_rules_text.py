"""Match rules are added to an app.yaml, and all else in it stays."""

from pathlib import Path

import msgspec
import pytest

from envsvc.adapters.config_file import parse_config
from envsvc.adapters.rules_text import RulesNotAddedError, add_rules, rules_text, with_rules_added
from envsvc.cassette.rules import MatchRule
from envsvc.exchange.shape import Shape
from envsvc.record.app_spec import AppSpec

PLAIN = """\
# The shop.
app: shop
virtual_host: shop.test   # stable
versions: {v1: {command: [serve]}}
default_tour: full
tours: {full: full.yaml}
"""
HAVING = f"""\
{PLAIN}match_rules:  # what does not count

    # a cache-buster
    old: {{ignore_query: [v]}}
noise: [stats.test/*]
"""
CACHE = MatchRule(ignore_query=("_",), shape=Shape.TIME, where="shop.test/*")


def rules(text: str) -> dict[str, MatchRule]:
    """Return the rules of an app.yaml."""
    return parse_config(text, AppSpec, "app.yaml").match_rules


@pytest.mark.parametrize(
    "text",
    [PLAIN, PLAIN.rstrip("\n"), HAVING, f"{PLAIN}match_rules:\n", f"match_rules:\n{PLAIN}"],
    ids=["none yet", "no last line feed", "some", "an empty key at the end", "and at the start"],
)
def test_rules_are_added_and_no_line_is_lost(text: str) -> None:
    """D3: comments and layout are people's."""
    if text.endswith("match_rules:\n") or text.startswith("match_rules:"):
        text = text.replace("match_rules:\n", "match_rules:\n  old: {ignore_query: [v]}\n")
    added = with_rules_added(text, {"query-_": CACHE}, "app.yaml")

    assert rules(added) == {**rules(text), "query-_": CACHE}
    assert [line for line in text.splitlines() if line not in added.splitlines()] == []


def test_rules_that_are_there_change_nothing() -> None:
    """Asking twice is no harm."""
    text = with_rules_added(PLAIN, {"query-_": CACHE}, "app.yaml")

    assert with_rules_added(text, {"query-_": CACHE}, "app.yaml") == text


@pytest.mark.parametrize(
    "text",
    [
        f"{PLAIN}match_rules: {{old: {{ignore_query: [v]}}}}\n",
        f"{PLAIN}match_rules:\n  query-_: {{ignore_query: [v]}}\n",
    ],
    ids=["on one line", "the name is taken"],
)
def test_what_cannot_be_added_is_given_to_be_pasted(text: str) -> None:
    """D18: nothing is overwritten."""
    with pytest.raises(RulesNotAddedError) as raised:
        with_rules_added(text, {"query-_": CACHE}, "app.yaml")

    assert "query-_:\n" in raised.value.fix


def test_a_file_is_replaced_whole(tmp_path: Path) -> None:
    """No half-written description is left, nor any other file."""
    path = tmp_path / "app.yaml"
    path.write_text(PLAIN)
    path.chmod(0o640)
    add_rules(path, {"query-_": CACHE})

    assert rules(path.read_text()) == {"query-_": CACHE}
    assert path.stat().st_mode & 0o777 == 0o640
    assert list(tmp_path.iterdir()) == [path]


def test_rules_are_written_as_people_would() -> None:
    """What is not said is not there."""
    assert rules_text({"cache": msgspec.structs.replace(CACHE, shape=None)}, "  ") == (
        "  cache:\n    ignore_query:\n    - _\n    where: shop.test/*\n"
    )
    assert rules_text({}) == ""
