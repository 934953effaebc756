"""``envsvc verify``: is it still what was sealed?"""

from pathlib import Path

from envsvc.cassette.manifest import Manifest
from tests.cli.conftest import Envsvc


def test_a_whole_cassette_has_its_digest_printed(envsvc: Envsvc, cassette: Manifest) -> None:
    """D2: exit code 0 and the digest."""
    ran = envsvc("verify", "--app", "shop/v1")

    assert ran.code == 0
    assert cassette.digest in ran.out


def test_json_says_what_was_verified(envsvc: Envsvc, cassette: Manifest) -> None:
    """D18: a program reads digest, counts and certificate."""
    assert envsvc("verify", "--app", "v1", "--json").json == {
        "app": "shop/v1",
        "digest": cassette.digest,
        "entries": 4,
        "body_bytes": cassette.body_bytes,
        "recorded_at": "2026-01-01T00:00:00Z",
        "certified": True,
    }


def test_a_changed_cassette_is_refused(envsvc: Envsvc, cassette: Manifest, tmp_path: Path) -> None:
    """D2: the file is named, and the exit code is not 0."""
    body = next((tmp_path / "har/shop/v1/bodies").iterdir())
    body.write_bytes(b"changed")
    ran = envsvc("verify", "--app", "shop/v1")

    assert ran.code == 2
    assert str(body) in ran.err
    assert "error E203" in ran.err
