"""The manifest says all that is to say about a cassette, and its digest binds every byte."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from envsvc.cassette.manifest import (
    BrowserInfo,
    Certificate,
    FileDigest,
    Manifest,
    TourRecord,
    cassette_digest,
)

MANIFEST = Manifest(
    app="shop",
    version="v1",
    recorded_at="2026-01-02T03:04:05.000000Z",
    virtual_host="shop.test",
    task_hosts=("shop.test",),
    noise=(),
    tool_schema_version=None,
    answer_table_version="v1",
    envsvc_version="0.1.0",
    browser=BrowserInfo(build="Chromium 1", locale="en-US", timezone="UTC", viewport=(1280, 900)),
    tours=(TourRecord(name="full", sha256="ab", steps=3),),
    passes=1,
    entries=2,
    body_bytes=10,
    redaction={"secret.cookie": 1},
    matcher_version=1,
)
FILES = [FileDigest("traffic.har", "11"), FileDigest("bodies/ab.html", "22")]
GOLDEN = "88570b83eb503e492fbeb58dd35774308cac15b939d967694b5f99134236136e"
CLEAN = Certificate(
    replayed_at="2026-01-02T03:04:06Z", requests=9, task_misses=0, outbound_connections=0
)


@given(st.permutations(FILES))
def test_the_order_of_files_does_not_matter(files: list[FileDigest]) -> None:
    """D2: the digest is over the sorted list."""
    assert cassette_digest(MANIFEST, files) == cassette_digest(MANIFEST, FILES)


def test_the_digest_is_not_part_of_itself() -> None:
    """D2: a manifest that holds its digest has the same one."""
    sealed = msgspec.structs.replace(MANIFEST, digest=cassette_digest(MANIFEST, FILES))

    assert cassette_digest(sealed, FILES) == sealed.digest


def test_the_digest_is_the_one_that_was_published() -> None:
    """S1-35: a golden value, so that no refactoring silently breaks every cassette there is."""
    assert cassette_digest(MANIFEST, FILES) == GOLDEN


@pytest.mark.parametrize(
    "change",
    [
        {"version": "v2"},
        {"recorded_at": "2026-01-02T03:04:05.000001Z"},
        {"noise": ("x/*",)},
        {"tool_schema_version": ""},
        {"redaction": {}},
        {"certificate": CLEAN},
        {"matcher_version": 2},
    ],
)
def test_any_change_of_the_manifest_changes_the_digest(change: dict[str, object]) -> None:
    """S3-09, D2: metadata is part of what is sealed."""
    changed = msgspec.structs.replace(MANIFEST, **change)

    assert cassette_digest(changed, FILES) != cassette_digest(MANIFEST, FILES)


@pytest.mark.parametrize(
    "files",
    [
        [],
        FILES[:1],
        [*FILES, FileDigest("bodies/cd.txt", "33")],
        [FileDigest("traffic.har", "22"), FileDigest("bodies/ab.html", "11")],
        [FileDigest("traffic.har", "12"), FILES[1]],
    ],
)
def test_any_change_of_a_file_changes_the_digest(files: list[FileDigest]) -> None:
    """D2: a file that is missing, new, changed or swapped is noticed."""
    assert cassette_digest(MANIFEST, files) != cassette_digest(MANIFEST, FILES)


@pytest.mark.parametrize(
    "name", ["app", "version", "recorded_at", "tool_schema_version", "answer_table_version"]
)
def test_the_manifest_needs_all_its_metadata(name: str) -> None:
    """S3-09, S0-19: app version, recording time, tool schema and answer table version."""
    fields = msgspec.to_builtins(MANIFEST)
    del fields[name]

    with pytest.raises(msgspec.ValidationError, match=name):
        msgspec.convert(fields, Manifest)


def test_an_unknown_field_is_refused() -> None:
    """S0-05: a misspelt field is not passed over."""
    fields = {**msgspec.to_builtins(MANIFEST), "recordedAt": "now"}

    with pytest.raises(msgspec.ValidationError, match="recordedAt"):
        msgspec.convert(fields, Manifest)


def test_the_manifest_survives_being_written() -> None:
    """What the YAML file holds is all there is."""
    written = msgspec.to_builtins(msgspec.structs.replace(MANIFEST, certificate=CLEAN))

    assert msgspec.to_builtins(msgspec.convert(written, Manifest)) == written


@pytest.mark.parametrize(
    ("change", "is_clean"),
    [
        ({}, True),
        ({"task_misses": 1}, False),
        ({"outbound_connections": 1}, False),
        ({"problems": ("step 2 failed",)}, False),
    ],
)
def test_a_certificate_is_clean_if_nothing_was_missing(
    change: dict[str, object], *, is_clean: bool
) -> None:
    """D8: every step passed, no task miss, no way out."""
    assert msgspec.structs.replace(CLEAN, **change).is_clean is is_clean


def test_fields_of_later_versions_leave_old_digests_alone() -> None:
    """D2: what is empty was not there before; what is not is sealed."""
    told = msgspec.structs.replace(MANIFEST, repeat={"shop.test/jobs/*": "advance"})

    assert cassette_digest(told, FILES) != cassette_digest(MANIFEST, FILES)
