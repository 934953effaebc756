"""A cassette on disk: readable by others, whole or not there, and nothing of it taken on trust."""

import hashlib
import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest

from envsvc.adapters.cassette_files import CassetteFiles
from envsvc.adapters.yaml_text import parse_yaml, write_yaml
from envsvc.cassette.rules import MatchRule
from envsvc.errors import EnvsvcError
from envsvc.exchange.message import Exchange
from envsvc.exchange.redact import Redactor
from envsvc.ports import Cassette
from tests.adapters.conftest import FullAfter
from tests.contracts.samples import EXCHANGES, exchange, manifest


@pytest.fixture
def store(tmp_path: Path) -> CassetteFiles:
    """Give a store that holds shop/v1."""
    store = CassetteFiles(tmp_path)
    store.write(manifest(), EXCHANGES)
    return store


@pytest.fixture
def folder(store: CassetteFiles) -> Path:
    """Give the folder of shop/v1."""
    return store.folder("shop", "v1")


def load(store: CassetteFiles) -> Cassette:
    """Load shop/v1."""
    return store.load("shop", "v1", Redactor({}))


def files(folder: Path) -> list[Path]:
    """Return all files of a cassette, sorted."""
    return sorted(path for path in folder.rglob("*") if path.is_file())


def body_file(folder: Path) -> Path:
    """Return a body file."""
    return min((folder / "bodies").iterdir())


def test_each_exchange_is_a_line_of_har(folder: Path) -> None:
    """D2: traffic.har is HAR 1.2, and a diff shows exchange by exchange."""
    lines = (folder / "traffic.har").read_text().splitlines()

    assert len(json.loads("\n".join(lines))["log"]["entries"]) == len(EXCHANGES) == len(lines) - 2


def test_each_body_is_a_file_named_by_its_content(folder: Path) -> None:
    """D2: a body that came twice is there once, request bodies too."""
    named = {path.stem: path.read_bytes() for path in (folder / "bodies").iterdir()}

    assert len(named) == 4
    assert all(hashlib.sha256(body).hexdigest() == name for name, body in named.items())


def test_the_manifest_is_made_for_reading(folder: Path) -> None:
    """D2, S3-09: plain YAML with app, version, times and versions of tools and answers."""
    read = parse_yaml((folder / "cassette.yaml").read_text(), "")

    assert isinstance(read, dict)
    assert read["answer_table_version"] == "2026-01-01"
    assert list(read)[:4] == ["format", "app", "version", "recorded_at"]


def test_a_changed_byte_in_any_file_is_noticed(store: CassetteFiles, folder: Path) -> None:
    """D2: no single byte of a cassette can change without an error, wherever it is."""
    for path in files(folder):
        content = path.read_bytes()
        for position in range(0, len(content), 3):
            changed = bytearray(content)
            changed[position] ^= 1
            path.write_bytes(changed)
            with pytest.raises(EnvsvcError) as caught:
                load(store)

            assert caught.value.code in {"E102", "E103", "E202", "E203"}
        path.write_bytes(content)
    load(store)


def test_a_changed_body_is_named_with_both_digests(store: CassetteFiles, folder: Path) -> None:
    """D2, D18: the error says which file, what it should be and what it is."""
    path = body_file(folder)
    path.write_bytes(b"other")
    found = hashlib.sha256(b"other").hexdigest()

    with pytest.raises(EnvsvcError, match=f"expected sha256 {path.stem}, found {found}") as caught:
        load(store)

    assert (caught.value.code, caught.value.where) == ("E203", str(path))


def test_a_changed_entry_that_still_parses_is_noticed(store: CassetteFiles, folder: Path) -> None:
    """D2: the traffic is part of the digest."""
    traffic = folder / "traffic.har"
    traffic.write_text(traffic.read_text().replace("shop.test/again", "shop.test/other"))

    with pytest.raises(EnvsvcError, match=r"cassette\.yaml or traffic\.har") as caught:
        load(store)

    assert caught.value.code == "E203"


def test_a_changed_manifest_is_noticed(store: CassetteFiles, folder: Path) -> None:
    """D2: no certificate or count can be written in by hand."""
    path = folder / "cassette.yaml"
    path.write_text(path.read_text().replace("passes: 1", "passes: 2"))

    with pytest.raises(EnvsvcError) as caught:
        load(store)

    assert caught.value.code == "E203"


def test_truncated_traffic_is_noticed_at_every_length(store: CassetteFiles, folder: Path) -> None:
    """D2: a copy that was cut off is not a shorter recording."""
    traffic = folder / "traffic.har"
    content = traffic.read_bytes()
    for length in [*range(0, len(content), 11), len(content) - 1]:
        traffic.write_bytes(content[:length])
        with pytest.raises(EnvsvcError) as caught:
            load(store)

        assert caught.value.code in {"E202", "E203"}
        assert str(traffic) in caught.value.where


def test_traffic_that_ends_between_entries_was_cut_off(store: CassetteFiles, folder: Path) -> None:
    """D2: the last line of the file has to be there."""
    traffic = folder / "traffic.har"
    traffic.write_bytes(b"".join(traffic.read_bytes().splitlines(keepends=True)[:3]))

    with pytest.raises(EnvsvcError, match="cut off") as caught:
        load(store)

    assert (caught.value.code, caught.value.where) == ("E202", str(traffic))


def test_a_date_that_is_none_is_bad_traffic(store: CassetteFiles, folder: Path) -> None:
    """D2: whatever an entry says, reading it ends in an error that names the file."""
    traffic = folder / "traffic.har"
    traffic.write_text(traffic.read_text().replace("2026-01-01T", "2026-13-01T"))

    with pytest.raises(EnvsvcError, match="an entry cannot be read") as caught:
        list(store.entries("shop", "v1"))

    assert (caught.value.code, caught.value.where) == ("E202", str(traffic))


def _remove_a_response(folder: Path) -> Path:
    path = folder / "bodies" / f"{hashlib.sha256(b'<p>1 piece</p>').hexdigest()}.html"
    path.unlink()
    return path


def _remove_a_request(folder: Path) -> Path:
    (path,) = (folder / "bodies").glob("*.bin")
    path.unlink()
    return path


def _remove_the_traffic(folder: Path) -> Path:
    (folder / "traffic.har").unlink()
    return folder / "traffic.har"


def _add_a_body(folder: Path) -> Path:
    path = folder / "bodies" / f"{hashlib.sha256(b'more').hexdigest()}.txt"
    path.write_bytes(b"more")
    return path


def _add_a_name(folder: Path) -> Path:
    path = folder / "bodies" / "note.txt"
    path.write_text("x")
    return path


def _add_a_file(folder: Path) -> Path:
    path = folder / "answers.yaml"
    path.write_text("x")
    return path


def _link_a_body(folder: Path) -> Path:
    path = body_file(folder)
    shutil.move(path, folder.parent / "elsewhere")
    path.symlink_to(folder.parent / "elsewhere")
    return path


def _link_the_bodies(folder: Path) -> Path:
    path = folder / "bodies"
    shutil.move(path, folder.parent / "elsewhere")
    path.symlink_to(folder.parent / "elsewhere")
    return path


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (_remove_a_response, "missing"),
        (_remove_a_request, "missing"),
        (_remove_the_traffic, "missing"),
        (_add_a_body, "not part of the cassette"),
        (_add_a_name, "not part of the cassette"),
        (_add_a_file, "not part of the cassette"),
        (_link_a_body, "no links"),
        (_link_the_bodies, "no links"),
    ],
)
def test_a_file_less_more_or_elsewhere_is_named(
    store: CassetteFiles, folder: Path, change: Callable[[Path], Path], problem: str
) -> None:
    """D2: a cassette is exactly its files, and all of them are its own."""
    path = change(folder)

    with pytest.raises(EnvsvcError, match=problem) as caught:
        load(store)

    assert (caught.value.code, caught.value.where) == ("E203", str(path))


@pytest.mark.parametrize("path", ["../../../etc/passwd", "/etc/passwd", "bodies/../cassette.yaml"])
@pytest.mark.parametrize("kind", ["html", "bin"])
def test_traffic_cannot_name_a_file_elsewhere(
    store: CassetteFiles, folder: Path, path: str, kind: str
) -> None:
    """D2: a cassette from a stranger reads no file of ours, as a request or a response body."""
    body = next((folder / "bodies").glob(f"*.{kind}"))
    traffic = folder / "traffic.har"
    traffic.write_text(traffic.read_text().replace(f"bodies/{body.name}", path))

    with pytest.raises(EnvsvcError) as caught:
        load(store)

    assert caught.value.code == "E203"


def test_a_body_changed_after_loading_is_not_served(store: CassetteFiles, folder: Path) -> None:
    """D2: what a running server reads later is verified too."""
    cassette = load(store)
    path = body_file(folder)
    path.write_bytes(b"other")

    with pytest.raises(EnvsvcError) as caught:
        cassette.read_body(f"bodies/{path.name}")

    assert (caught.value.code, caught.value.where) == ("E203", str(path))


@pytest.mark.parametrize(
    ("field", "value", "problem"),
    [
        ("version", "v2", "cassette of shop/v2, not of shop/v1"),
        ("app", "wiki", "cassette of wiki/v1, not of shop/v1"),
        ("format", 2, "this envsvc reads format 1"),
        ("colour", "red", "unknown field `colour`"),
    ],
)
def test_a_manifest_that_is_not_of_this_cassette(
    store: CassetteFiles, folder: Path, field: str, value: object, problem: str
) -> None:
    """D2: a folder that was copied under another name, or made by another envsvc."""
    path = folder / "cassette.yaml"
    read = parse_yaml(path.read_text(), "")
    assert isinstance(read, dict)
    path.write_text(write_yaml({**read, field: value}))

    with pytest.raises(EnvsvcError, match=problem) as caught:
        store.manifest("shop", "v1")

    assert caught.value.code == "E103"


def test_rules_that_conflict_are_refused(store: CassetteFiles) -> None:
    """D3: also where they were sealed by other means than ours."""
    rules = {"paths": MatchRule(ignore_query=("v",))}
    recorded = [exchange("/?v=1", b"one"), exchange("/?v=2", b"two")]
    store.write(msgspec.structs.replace(manifest(), match_rules=rules), recorded)

    with pytest.raises(EnvsvcError) as caught:
        load(store)

    assert caught.value.code == "E110"


@pytest.mark.parametrize(
    ("field", "value", "version", "code"),
    [
        ("format", 2, "999.0", "E209"),
        ("colour", "red", "999", "E209"),
        ("colour", "red", "0.0.1", "E103"),
        ("colour", "red", "unknown", "E103"),
        ("colour", "red", 7, "E103"),
    ],
)
def test_a_cassette_of_a_newer_envsvc_says_so(
    store: CassetteFiles, folder: Path, field: str, value: object, version: object, code: str
) -> None:
    """D2: whoever reads it need not guess what the field may be."""
    path = folder / "cassette.yaml"
    read = parse_yaml(path.read_text(), "")
    assert isinstance(read, dict)
    path.write_text(write_yaml({**read, field: value, "envsvc_version": version}))

    with pytest.raises(EnvsvcError) as caught:
        store.manifest("shop", "v1")

    assert caught.value.code == code


def test_a_full_disk_leaves_the_cassette_of_before(
    store: CassetteFiles, folder: Path, full_after: FullAfter
) -> None:
    """D8: the error names the cassette; nothing was replaced, nothing half-written stays."""
    before = load(store).manifest

    with full_after(1000), pytest.raises(EnvsvcError, match=str(folder)) as caught:
        store.write(manifest(), [exchange("/big", bytes(2000))])

    assert caught.value.code == "E205"
    assert load(store).manifest == before
    assert list(folder.parent.iterdir()) == [folder]


def test_a_real_full_disk_is_named(tiny_disk: Path) -> None:
    """D18: the reason is the system's own."""
    with pytest.raises(EnvsvcError, match="No space left on device") as caught:
        CassetteFiles(tiny_disk).write(manifest(), [exchange("/big", bytes(100_000))])

    assert caught.value.code == "E205"


def test_a_folder_that_cannot_be_written_is_named(unwritable: Path) -> None:
    """D18: what is in the way is said."""
    with pytest.raises(EnvsvcError, match=str(unwritable)) as caught:
        CassetteFiles(unwritable).write(manifest(), EXCHANGES)

    assert caught.value.code == "E205"


def test_a_cassette_is_not_there_until_it_is_complete(tmp_path: Path) -> None:
    """D2: while it is written its name leads nowhere."""
    store = CassetteFiles(tmp_path)
    seen = []

    def watched() -> Iterator[Exchange]:
        for recorded in EXCHANGES:
            seen.append(store.folder("shop", "v1").exists())
            yield recorded

    store.write(manifest(), watched())

    assert seen == [False] * len(EXCHANGES)


def test_what_a_killed_writer_left_is_removed(store: CassetteFiles, folder: Path) -> None:
    """D8: crashes do not fill the disk."""
    (folder.parent / ".v1.partial-1" / "bodies").mkdir(parents=True)
    (folder.parent / ".v1.replaced").mkdir()
    store.write(manifest(), EXCHANGES[:1])

    assert list(folder.parent.iterdir()) == [folder]


def test_a_cassette_set_aside_by_a_crash_is_pointed_out(store: CassetteFiles, folder: Path) -> None:
    """D8: killed between the two renames, the old one is whole and the error says where."""
    folder.rename(folder.parent / ".v1.replaced")

    with pytest.raises(EnvsvcError, match=r"rename .*/\.v1\.replaced to v1") as caught:
        load(store)

    assert caught.value.code == "E201"
