"""Entries of a HAR, one after the other, whatever is wrong with the file."""

import codecs
import io
import json
import tracemalloc

import pytest

from envsvc.adapters.importing import har_stream
from envsvc.adapters.importing.har_stream import BadHarError, har_entries


def read(text: str | bytes, *, salvage: bool = False) -> list[object]:
    """Return the entries of a file with this content."""
    content = text.encode() if isinstance(text, str) else text
    return list(har_entries(io.BytesIO(content), "x.har", salvage=salvage))


@pytest.mark.parametrize(
    ("text", "entries"),
    [
        ('{"log":{"entries":[]}}', []),
        ('{"log":{"entries":[{"a":1}, {"b":NaN2}]}}'.replace("NaN2", "2"), [{"a": 1}, {"b": 2}]),
        ('{"log":{"pages":[{"title":"\\"entries\\": ["}],"entries" : [1 , 2]}}', [1, 2]),
        ('\n {"entries":[1]}', [1]),
    ],
)
def test_entries_are_read_in_order(text: str, entries: list[object]) -> None:
    """HAR 1.2: the list of the log; a title that looks like it is none."""
    assert read(text) == entries


@pytest.mark.parametrize(
    "content",
    [
        codecs.BOM_UTF8 + b'{"log":{"entries":["\xc3\xa9"]}}',
        '{"log":{"entries":["é"]}}'.encode("utf-16"),
        codecs.BOM_UTF16_BE + '{"log":{"entries":["é"]}}'.encode("utf-16-be"),
    ],
)
def test_byte_order_marks_tell_the_encoding(content: bytes) -> None:
    """Fiddler writes UTF-8 with one, others UTF-16."""
    assert read(content) == ["é"]


CUT = [
    '{"log":{"entries":[{"a":1},{"b":{"meth',
    '{"log":{"entries":[{"a":1},{"b":12',
    '{"log":{"entries":[{"a":1},{"b":nul',
    '{"log":{"entries":[{"a":1},{"b":"\\u00',
    '{"log":{"entries":[{"a":1},{"b"',
    '{"log":{"entries":[{"a":1},',
    '{"log":{"entries":[{"a":1}',
]


@pytest.mark.parametrize("text", CUT)
def test_a_file_that_was_cut_off_names_the_entry(text: str) -> None:
    """S3-08: nothing of it is read by accident."""
    with pytest.raises(BadHarError, match="truncated at entry 1") as caught:
        read(text)

    assert "--salvage" in str(caught.value)


@pytest.mark.parametrize("text", CUT)
def test_whole_entries_can_be_salvaged(text: str) -> None:
    """Hours of a visit are not lost for its last second."""
    assert read(text, salvage=True) == [{"a": 1}]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "no list of entries"),
        ('{"log":{}}', "no list of entries"),
        ('{"log":{"entries":[{"a" 1}]}}', "entry 0 is no JSON"),
        ('{"log":{"entries":[1,{"a":1}}]}}', "entry 2 is no JSON"),
        ('{"log":{"entries":[' + "[" * 100_000 + "]" * 100_000 + "]}}", "nests too deeply"),
    ],
)
def test_what_is_no_har_is_a_clear_error(text: str, complaint: str) -> None:
    """D18: what, where, and which entry."""
    with pytest.raises(BadHarError, match=complaint):
        read(text)


def test_entries_larger_than_a_piece_are_read_whole() -> None:
    """A video in base64 is one line."""
    entries = [{"x": "y" * 3_000_000}, {"z": 1}]

    assert read(json.dumps({"log": {"entries": entries}})) == entries


def test_no_more_than_one_entry_is_held() -> None:
    """A HAR may be larger than the memory."""
    entry = json.dumps({"x": "y" * 100_000}).encode()
    content = b'{"log":{"entries":[' + b",".join([entry] * 500) + b"]}}"
    tracemalloc.start()
    count = sum(1 for _ in har_entries(io.BytesIO(content), "x.har", salvage=False))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert count == 500
    assert peak < len(content) / 4


def test_endless_entries_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """No visit makes that many."""
    monkeypatch.setattr(har_stream, "MAX_ENTRIES", 3)

    with pytest.raises(BadHarError, match="more than 3 entries"):
        read('{"log":{"entries":[1,2,3,4]}}')


def test_an_endless_entry_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """It would fill the memory."""
    monkeypatch.setattr(har_stream, "_MAX_ENTRY_CHARS", 1_500_000)

    with pytest.raises(BadHarError, match="entry 0 is too large"):
        read(json.dumps({"log": {"entries": ["y" * 5_000_000]}}))
