"""``envsvc export``: a cassette for other tools."""

import json
from pathlib import Path

import pytest

from envsvc.adapters.cassette_files import CassetteFiles
from envsvc.cassette.manifest import Manifest
from envsvc.exchange.key import canonical_key
from envsvc.exchange.message import Exchange
from tests.cli.conftest import Envsvc

pytestmark = [pytest.mark.process, pytest.mark.usefixtures("cassette")]


def test_it_says_what_was_written(envsvc: Envsvc) -> None:
    """D2: how many entries, and how many have no place in a HAR."""
    assert envsvc("export", "--app", "shop/v1", "--har", "out.har", "--json").json == {
        "har": "out.har",
        "entries": 4,
        "left_out": 0,
    }


def test_it_may_go_to_a_pipe(envsvc: Envsvc) -> None:
    """D18: nothing but the HAR is on stdout."""
    ran = envsvc("export", "--app", "shop/v1", "--har", "-")

    assert len(json.loads(ran.out)["log"]["entries"]) == 4


def test_a_file_is_not_overwritten_unasked(envsvc: Envsvc, tmp_path: Path) -> None:
    """E219: it is kept as it was, until --overwrite is given."""
    (tmp_path / "out.har").write_text("mine")
    refused = envsvc("export", "--app", "shop/v1", "--har", "out.har")
    kept = (tmp_path / "out.har").read_text()
    ran = envsvc("export", "--app", "shop/v1", "--har", "out.har", "--overwrite")

    assert (refused.code, kept, ran.code) == (2, "mine", 0)
    assert "error E219" in refused.err


def test_a_damaged_cassette_leaves_no_file(envsvc: Envsvc, tmp_path: Path) -> None:
    """D2: what cannot be verified is not passed on, not even in part."""
    next((tmp_path / "har/shop/v1/bodies").iterdir()).write_bytes(b"changed")
    before = set(tmp_path.iterdir())
    ran = envsvc("export", "--app", "shop/v1", "--har", "out.har")

    assert "error E203" in ran.err
    assert set(tmp_path.iterdir()) == before


def test_it_can_be_imported_again(envsvc: Envsvc, cassette: Manifest, tmp_path: Path) -> None:
    """D2: every request is there under its key, with the same answer."""

    def recorded() -> list[tuple[bytes, object]]:
        entries = CassetteFiles(tmp_path / "har").entries("shop", "v1")
        return [_meaning(exchange) for _, exchange in entries]

    before = recorded()
    envsvc("export", "--app", "shop/v1", "--har", "out.har")
    imported = envsvc("import", "out.har", "--app", "shop/v1")

    assert imported.code == 0, imported.err
    assert recorded() == before


def _meaning(exchange: Exchange) -> tuple[bytes, object]:
    return canonical_key(exchange.request), exchange.answer
