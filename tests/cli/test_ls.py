"""``envsvc ls``: what there is, at a glance."""

from pathlib import Path

import msgspec
import pytest

from envsvc.cassette.manifest import Manifest
from envsvc.cli.ls import AppRow, CassetteRow, age
from tests.cli.conftest import Envsvc


def test_a_cassette_is_shown_at_a_glance(envsvc: Envsvc, cassette: Manifest) -> None:
    """S0-19: entries, age, digest and certificate in one line."""
    (row,) = [line for line in envsvc("ls").out.splitlines() if "shop/v1" in line]

    assert row.split()[:3] == ["shop/v1", "explore", "4"]
    assert " ago " in row
    assert row.split()[-2:] == [cassette.digest[:12], "clean"]


def test_what_was_not_recorded_is_shown_too(envsvc: Envsvc, tmp_path: Path) -> None:
    """D1: a version without a cassette is one to record."""
    envsvc("init", "--app", "shop", "--url", "http://127.0.0.1:1")

    assert "not recorded" in envsvc("ls").out


def test_json_has_the_whole_of_it(envsvc: Envsvc, cassette: Manifest) -> None:
    """D18: a program gets full digests and times."""
    (app,) = msgspec.convert(envsvc("ls", "--json").json["apps"], tuple[AppRow, ...])
    (version,) = app.versions

    assert (app.app, app.tours, version.version) == ("shop", ("explore",), "v1")
    assert version.cassette is not None
    assert msgspec.structs.replace(version.cassette, age_s=0) == CassetteRow(
        entries=4,
        body_bytes=cassette.body_bytes,
        recorded_at="2026-01-01T00:00:00Z",
        age_s=0,
        digest=cassette.digest,
        tours=(),
        certificate="clean",
    )


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (-5, "0 s"),
        (59, "59 s"),
        (60, "1 min"),
        (7199, "1 h"),
        (86_400, "1 d"),
        (9_000_000, "104 d"),
    ],
)
def test_an_age_is_shown_in_its_largest_unit(seconds: int, shown: str) -> None:
    """S0-19: old is seen to be old."""
    assert age(seconds) == shown
