"""Sealing with match rules: those of app.yaml hold, others are proposed, conflicts refuse."""

import msgspec
import pytest

from envsvc.app.record_app import Task
from envsvc.app.seal import SealTools, seal
from envsvc.cassette.manifest import Manifest
from envsvc.cassette.rules import ConflictingRulesError, MatchRule
from envsvc.exchange.redact import Redactor
from envsvc.record.journal import Recorded, Started, StepDone
from tests.app.fakes import (
    INFO,
    SPEC,
    TOUR,
    FakeBrowser,
    FakeReplays,
    FixedClock,
    MemoryCassettes,
    MemoryJournal,
    exchange,
)

CACHE = {"cache": MatchRule(ignore_query=("_",))}


def sealed(
    *recorded: Recorded, rules: dict[str, MatchRule], cassettes: MemoryCassettes | None = None
) -> Manifest:
    """Seal what was *recorded* of an app whose app.yaml has *rules*."""
    spec = msgspec.structs.replace(SPEC, match_rules=rules)
    done = [StepDone(tour="t", number=1, label="open", pass_number=number) for number in (1, 2)]
    tools = SealTools(
        journal=MemoryJournal(Started(browser=INFO, tours=("t",)), *recorded, *done),
        staging=MemoryCassettes(),
        cassettes=cassettes or MemoryCassettes(),
        replays=FakeReplays(),
        browser=FakeBrowser(),
        clock=FixedClock(),
        redactor=Redactor({}),
        replay_redactor=Redactor({}),
        envsvc_version="9",
    )
    return seal(
        Task(spec=spec, version="v1", tours=(TOUR,)), tools, answer_table_version=None
    ).manifest


TWO_PASSES = (
    Recorded(exchange=exchange("/list?_=aa", b"page")),
    Recorded(exchange=exchange("/list?_=bb", b"page"), pass_number=2),
)


def test_what_differs_between_passes_is_proposed() -> None:
    """D3: in the manifest, for somebody to accept; it is not in force."""
    manifest = sealed(*TWO_PASSES, rules={})

    assert [one.rule.ignore_query for one in manifest.proposed_rules.values()] == [("_",)]
    assert manifest.match_rules == {}


def test_the_rules_of_app_yaml_are_sealed() -> None:
    """D3: they belong to the cassette, and need no proposal any more."""
    manifest = sealed(*TWO_PASSES, rules=CACHE)

    assert manifest.match_rules == CACHE
    assert manifest.proposed_rules == {}


def test_a_rule_that_conflicts_is_refused_before_anything_is_replaced() -> None:
    """D3: the journal stays, so that sealing goes on once the rule is corrected."""
    cassettes = MemoryCassettes()
    recorded = [
        Recorded(exchange=exchange(f"/?_={n}", body)) for n, body in enumerate((b"A", b"B"))
    ]

    with pytest.raises(ConflictingRulesError):
        sealed(*recorded, rules=CACHE, cassettes=cassettes)

    assert cassettes.written == []
