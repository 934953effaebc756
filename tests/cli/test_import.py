"""``envsvc import``: a cassette out of what another program recorded."""

import gzip
import io
import json
import os
import zipfile
from pathlib import Path
from typing import Any

import pytest

from envsvc.adapters.cassette_files import CassetteFiles
from envsvc.cassette.manifest import Manifest
from envsvc.exchange.message import Request
from envsvc.exchange.redact import Redactor
from tests.cassette.recordings import served
from tests.cli.conftest import Envsvc

TOKEN = "s3cr3t-t0ken-0123456789"


def entry(path: str, text: str | None, second: int = 0, **request: Any) -> dict[str, Any]:  # noqa: ANN401
    """Return a HAR entry; without *text* its body was lost."""
    content = {"mimeType": "text/plain"} if text is None else {"size": len(text), "text": text}
    return {
        "startedDateTime": f"2026-01-01T00:00:{second:02}Z",
        "time": 10,
        "request": {"method": "GET", "url": f"http://shop.test{path}", "headers": [], **request},
        "response": {"status": 200, "headers": [], "content": content},
    }


def har(folder: Path, *entries: object) -> Path:
    """Write a HAR of *entries*."""
    path = folder / "visit.har"
    path.write_text(json.dumps({"log": {"version": "1.2", "entries": entries}}))
    return path


@pytest.fixture
def visit(tmp_path: Path, cassette: Manifest) -> Path:
    """Write a visit in which a write changes a page, and whose first body was lost."""
    signed = [{"name": "Authorization", "value": f"Bearer {TOKEN}"}]
    return har(
        tmp_path,
        entry("/lost", None),
        entry("/cart", "empty", 1, headers=signed),
        entry("/cart", f"added by {TOKEN}", 2, method="POST", headers=signed),
        entry("/cart", "one", 3, headers=signed),
        {**entry("/x", "x"), "request": {"method": "GET", "url": "data:,x", "headers": []}},
    )


def test_what_is_kept_and_dropped_is_said(envsvc: Envsvc, visit: Path) -> None:
    """D2: every loss with its reason."""
    ran = envsvc("import", str(visit), "--app", "shop/v1")

    assert ran.code == 0, ran.err
    assert "body missing" in ran.out
    assert "http://shop.test/lost" in ran.out


def test_json_counts_everything(envsvc: Envsvc, visit: Path) -> None:
    """D18: for programs."""
    read = envsvc("import", str(visit), "--app", "shop/v1", "--json").json

    assert (read["kept"], read["ignored"], read["reasons"]) == (3, 1, {"body missing": 1})
    assert read["lost_bodies"] == {"text/plain": 1}


def test_an_imported_cassette_answers_by_state(envsvc: Envsvc, visit: Path, tmp_path: Path) -> None:
    """D4: it is a cassette like any other."""
    assert envsvc("import", str(visit), "--app", "shop/v1").code == 0
    loaded = CassetteFiles(tmp_path / "har").load("shop", "v1", Redactor({}))

    cart = Request(method="GET", url="http://shop.test/cart")
    assert loaded.read_body(served(loaded.index, cart)) == b"empty"
    assert [key.told_apart_by for key in loaded.manifest.several_answers] == [("state",)]
    assert loaded.manifest.imported_from == "visit.har"


def test_credentials_are_taken_out(envsvc: Envsvc, visit: Path, tmp_path: Path) -> None:
    """D9: as in a recording, also where they were learnt later."""
    assert envsvc("import", str(visit), "--app", "shop/v1").code == 0
    files = [path for path in (tmp_path / "har/shop/v1").rglob("*") if path.is_file()]

    assert files
    assert not any(TOKEN.encode() in path.read_bytes() for path in files)


def test_a_dry_run_writes_nothing(envsvc: Envsvc, visit: Path, cassette: Manifest) -> None:
    """D18: --dry-run where something is written."""
    ran = envsvc("import", str(visit), "--app", "shop/v1", "--dry-run", "--json")

    assert (ran.json["kept"], ran.json["digest"]) == (3, "")
    assert envsvc("verify", "--app", "shop/v1", "--json").json["digest"] == cassette.digest


def test_nothing_to_keep_is_no_success(envsvc: Envsvc, tmp_path: Path, cassette: Manifest) -> None:
    """D18: exit code 1, and the cassette that was there stays."""
    ran = envsvc("import", str(har(tmp_path, entry("/", None))), "--app", "shop/v1")

    assert ran.code == 1
    assert "nothing was written" in ran.err
    assert envsvc("verify", "--app", "shop/v1", "--json").json["digest"] == cassette.digest


def test_a_copy_without_its_body_gives_way(
    envsvc: Envsvc, tmp_path: Path, cassette: Manifest
) -> None:
    """A browser lists what its cache or service worker answered once more, empty."""
    empty = {**entry("/a", ""), "_fetchedViaServiceWorker": True}
    ran = envsvc("import", str(har(tmp_path, empty, entry("/a", "real"))), "--app", "v1", "--json")

    assert (ran.json["kept"], ran.json["reasons"]) == (1, {"a copy without its body": 1})


def test_a_file_that_was_cut_off(envsvc: Envsvc, visit: Path) -> None:
    """D18: the entry is named, and what is whole can be kept."""
    text = visit.read_text()
    visit.write_text(text[: text.index("added by")])
    refused = envsvc("import", str(visit), "--app", "shop/v1")

    assert (refused.code, "truncated at entry 2" in refused.err) == (2, True)
    assert envsvc("import", str(visit), "--app", "shop/v1", "--salvage", "--json").json["kept"] == 1


@pytest.mark.parametrize("content", [b"hello", b"PK\x03\x04nonsense", b"\x1f\x8b\x08\x00x"])
def test_any_other_file_is_a_clear_error(
    envsvc: Envsvc, tmp_path: Path, cassette: Manifest, content: bytes
) -> None:
    """D18: what can be imported is named."""
    (tmp_path / "x").write_bytes(content)
    ran = envsvc("import", "x", "--app", "shop/v1")

    assert ran.code == 2
    assert "error E211" in ran.err


def test_a_credential_that_is_left_refuses_the_import(
    envsvc: Envsvc, visit: Path, cassette: Manifest, tmp_path: Path
) -> None:
    """D9: the last look at every byte; the cassette before stays as it was."""
    described = tmp_path / "images/shop/app.yaml"
    text = described.read_text().replace("secrets: {}", "secrets: {password: SHOP_PASSWORD}")
    described.write_text(text)
    # A password that is also a word of the format is in every line that is stored.
    ran = envsvc("import", str(visit), "--app", "shop/v1", SHOP_PASSWORD="startedDateTime")

    assert ran.code == 1
    assert "error E317" in ran.err
    assert envsvc("verify", "--app", "shop/v1", "--json").json["digest"] == cassette.digest


@pytest.mark.parametrize("name", ["cut.zip", "wrong.zip", "cut.warc.gz", "wrong.warc.gz"])
def test_a_damaged_archive_is_a_clear_error(
    envsvc: Envsvc, cassette: Manifest, tmp_path: Path, name: str
) -> None:
    """D18: exit code 2, the file named, whatever is wrong with it."""
    kind, _, packing = name.partition(".")
    whole = _zipped() if packing == "zip" else gzip.compress(b"WARC/1.0\r\n" + os.urandom(600))
    middle = len(whole) // 2
    wrong = whole[:middle] + bytes(byte ^ 0xFF for byte in whole[middle : middle + 20])
    content = whole[:-30] if kind == "cut" else wrong + whole[middle + 20 :]
    (tmp_path / name).write_bytes(content)
    ran = envsvc("import", name, "--app", "shop/v1")

    assert ran.code == 2, ran.err
    assert "error E21" in ran.err
    assert name in ran.err


def _zipped() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        log = {"version": "1.2", "entries": [entry(f"/{number}", "text") for number in range(50)]}
        archive.writestr("har.har", json.dumps({"log": log}))
    return file.getvalue()
