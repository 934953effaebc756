"""``envsvc match-rules``: proposed by envsvc, accepted by people, in force at once."""

import json
from pathlib import Path

import msgspec
import pytest

from envsvc.adapters.cassette_files import CassetteFiles
from envsvc.cassette.manifest import Manifest
from tests.cassette.recordings import exchange
from tests.cli.conftest import Envsvc
from tests.contracts.samples import manifest

START = 1_767_355_200
CLOCKS = [
    exchange(f"GET /list?q={q}&_={(START + n) * 1000}", q, START + n)
    for n, q in enumerate(("red", "blue"))
]
ASKED = "http://shop.test/list?q=red&_=1999999999999"


@pytest.fixture
def clocks(cassette: Manifest, tmp_path: Path) -> Manifest:
    """Record requests with a clock in them, in place of what was there."""
    recorded = msgspec.structs.replace(manifest(), certificate=cassette.certificate)
    return CassetteFiles(tmp_path / "har").write(recorded, CLOCKS)


def outcome(envsvc: Envsvc) -> object:
    """Return how a request with a clock of its own is answered."""
    return envsvc("inspect", "--app", "shop/v1", "--key", ASKED, "--json").json["outcome"]


def test_what_follows_the_clock_is_suggested(envsvc: Envsvc, clocks: Manifest) -> None:
    """D3: with its values and why; nothing is written."""
    ran = envsvc("match-rules", "suggest", "--app", "shop/v1")

    assert ran.code == 0
    assert "query-_" in ran.out
    assert "ignore_query: [_]" in ran.out
    assert outcome(envsvc) == "miss_task"


def test_an_accepted_rule_is_in_force(envsvc: Envsvc, clocks: Manifest, tmp_path: Path) -> None:
    """D3: in app.yaml for later recordings, in the cassette for this one, certified as before."""
    ran = envsvc("match-rules", "accept", "query-_", "--app", "shop/v1", "--json")

    assert ran.code == 0, ran.err
    assert ran.json["certified"] is True
    assert ran.json["digest"] != clocks.digest
    assert outcome(envsvc) == "rule"
    assert "query-_:" in (tmp_path / "images/shop/app.yaml").read_text()
    assert envsvc("verify", "--app", "shop/v1").code == 0


def test_a_dry_run_writes_nothing(envsvc: Envsvc, clocks: Manifest, tmp_path: Path) -> None:
    """D18: neither file."""
    before = (tmp_path / "images/shop/app.yaml").read_text()
    ran = envsvc("match-rules", "accept", "--all", "--app", "shop/v1", "--dry-run")

    assert "Nothing was written" in ran.out
    assert (tmp_path / "images/shop/app.yaml").read_text() == before
    assert outcome(envsvc) == "miss_task"


def test_rules_written_by_hand_are_applied(
    envsvc: Envsvc, clocks: Manifest, tmp_path: Path
) -> None:
    """D3: without recording again; taken out again in the same way."""
    description = tmp_path / "images/shop/app.yaml"
    plain = description.read_text()
    description.write_text(f"{plain}\nmatch_rules:\n  cache: {{ignore_query: [_]}}\n")
    assert "match-rules apply" in envsvc("match-rules", "ls", "--app", "shop/v1").out

    assert envsvc("match-rules", "apply", "--app", "shop/v1").code == 0
    assert outcome(envsvc) == "rule"
    assert "both" in envsvc("match-rules", "ls", "--app", "shop/v1").out

    description.write_text(plain)
    assert envsvc("match-rules", "apply", "--app", "shop/v1").code == 0
    assert outcome(envsvc) == "miss_task"
    assert "no match rules" in envsvc("match-rules", "ls", "--app", "shop/v1").out


def test_a_rule_that_merges_different_answers_is_refused(
    envsvc: Envsvc, clocks: Manifest, tmp_path: Path
) -> None:
    """D3: both requests are named, and the cassette stays as it was."""
    description = tmp_path / "images/shop/app.yaml"
    description.write_text(
        f"{description.read_text()}\nmatch_rules:\n  all: {{ignore_query: [_, q]}}\n"
    )
    ran = envsvc("match-rules", "apply", "--app", "shop/v1")

    assert ran.code == 2
    assert "E110" in ran.err
    assert "q=red" in ran.err
    assert "q=blue" in ran.err
    assert CassetteFiles(tmp_path / "har").manifest("shop", "v1").digest == clocks.digest


def test_a_rule_that_nobody_suggests_cannot_be_accepted(envsvc: Envsvc, clocks: Manifest) -> None:
    """D18: the choices are named."""
    ran = envsvc("match-rules", "accept", "never", "--app", "shop/v1")

    assert ran.code == 2
    assert "E011" in ran.err
    assert "query-_" in ran.err


def test_a_report_of_misses_suggests_rules(
    envsvc: Envsvc, cassette: Manifest, tmp_path: Path
) -> None:
    """D3: what a session asked with another clock than the recording's."""
    recorded = [exchange(f"GET /y?t={START * 1000}", "page", 0)]
    CassetteFiles(tmp_path / "har").write(manifest(), recorded)
    ask = "import os, urllib.request as u; u.urlopen('http://shop.test/y?t=1999999999999')"
    envsvc(
        "exec", "--app", "shop/v1", "--report", "session.json", "--", "python", "-c", ask,
    )  # fmt: skip
    assert json.loads((tmp_path / "session.json").read_bytes())["misses"]
    assert envsvc("match-rules", "suggest", "--app", "shop/v1", "--json").json["suggested"] == {}

    words = ("--from-report", "session.json", "--app", "shop/v1")
    assert envsvc("match-rules", "accept", "--all", *words).code == 0
    replayed = envsvc("exec", "--app", "shop/v1", "--", "python", "-c", ask)

    assert replayed.code == 0
    assert "by match rule query-t" in replayed.err
