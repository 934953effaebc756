"""Procedures about what other programs read."""

import json
from pathlib import Path

import jsonschema
import pytest

from tests.cassette.har_schema import HAR
from tests.cli.conftest import Envsvc, cassette, envsvc

__all__ = ["cassette", "envsvc"]  # fixtures

pytestmark = [pytest.mark.cases, pytest.mark.process]


@pytest.mark.usefixtures("cassette")
def test_har_needs_pages(envsvc: Envsvc, tmp_path: Path) -> None:
    """D2: pages is a list, creator has its version, each entry has all that HAR 1.2 asks for."""
    assert envsvc("export", "--app", "shop/v1", "--har", "out.har").code == 0
    exported = json.loads((tmp_path / "out.har").read_text(encoding="utf-8"))

    jsonschema.validate(exported, HAR)
    assert exported["log"]["pages"] == []
    assert len(exported["log"]["entries"]) == 4
