"""The traffic file is HAR 1.2 with one entry per line, and damage is named by its line."""

import json

import pytest

from envsvc.cassette.har import (
    BadTrafficError,
    Content,
    Extra,
    HarEntry,
    HarRequest,
    HarResponse,
    SocketMessage,
    Timings,
    read_line,
    traffic_end,
    traffic_head,
    traffic_line,
)

ENTRY = HarEntry(
    started="2026-01-02T03:04:05.000006Z",
    time=12,
    request=HarRequest(method="GET", url="http://shop.test/", headers=(), body_size=0),
    response=HarResponse(
        status=200,
        status_text="OK",
        http_version="HTTP/1.1",
        headers=(),
        content=Content(size=0, media_type="text/html"),
        redirect_url="",
    ),
    timings=Timings(wait=12),
    extra=Extra(tour="full", chunks=((0, 5),)),
)
LINE = traffic_line(ENTRY, is_last=False)


def traffic(*entries: HarEntry) -> bytes:
    """Return a whole traffic file of *entries*."""
    lines = [traffic_line(e, is_last=n == len(entries)) for n, e in enumerate(entries, 1)]
    return b"".join([traffic_head("1.2.3"), *lines, traffic_end()])


@pytest.mark.parametrize("entries", [(), (ENTRY,), (ENTRY, ENTRY)])
def test_the_file_is_one_json_document(entries: tuple[HarEntry, ...]) -> None:
    """D2: any reader of HAR opens it; log, creator and pages are there."""
    log = json.loads(traffic(*entries))["log"]

    assert log["version"] == "1.2"
    assert log["creator"] == {"name": "envsvc", "version": "1.2.3"}
    assert log["pages"] == []
    assert len(log["entries"]) == len(entries)


def test_an_entry_has_the_fields_that_har_demands() -> None:
    """D2: browsers refuse an entry without cache, timings, cookies, sizes or redirectURL."""
    entry = json.loads(LINE.rstrip(b",\n"))

    assert entry["cache"] == {}
    assert entry["timings"] == {"send": 0, "wait": 12, "receive": 0}
    assert {"cookies", "queryString", "headersSize", "bodySize"} <= set(entry["request"])
    assert {"cookies", "redirectURL", "headersSize", "bodySize"} <= set(entry["response"])


def test_every_line_of_the_file_is_read() -> None:
    """One line is one entry, but for the first and the last."""
    lines = traffic(ENTRY, ENTRY).splitlines(keepends=True)

    assert [read_line(line, n) for n, line in enumerate(lines, 1)] == [None, ENTRY, ENTRY, None]


def test_a_field_of_another_producer_is_passed_over() -> None:
    """HAR allows fields of one's own."""
    line = LINE.replace(b'{"startedDateTime"', b'{"_initiator":{"type":"other"},"startedDateTime"')

    assert read_line(line, 2) == ENTRY


def test_a_line_that_was_cut_off_is_refused() -> None:
    """Wherever the cut is, the error names the line and what to do."""
    for end in range(len(LINE) - len(b",\n")):
        with pytest.raises(BadTrafficError, match=r"line 7 .*Restore"):
            read_line(LINE[:end], 7)


@pytest.mark.parametrize(
    "line",
    [
        b"\n",
        b"[]\n",
        b'{"log":{"version":"1.2"\n',
        LINE.replace(b'"GET"', b'"\xff"'),
        LINE.replace(b'"status":200', b'"status":"200"'),
        LINE.replace(b'"method"', b'"verb"'),
        LINE.replace(b'"time":12', b'"time":NaN'),
    ],
)
def test_a_line_that_is_no_entry_is_refused(line: bytes) -> None:
    """Types are checked, nothing is guessed."""
    with pytest.raises(BadTrafficError, match=r"line 2 of traffic\.har is not an entry"):
        read_line(line, 2)


def test_binary_socket_messages_are_base64() -> None:
    """As Chrome exports them."""
    blob = SocketMessage(type="receive", time=1.0, opcode=2, data="/wA=")

    assert blob.content() == b"\xff\x00"


def test_text_socket_messages_are_text() -> None:
    """Opcode 1 is UTF-8."""
    assert SocketMessage(type="send", time=1.0, opcode=1, data="é").content() == "é".encode()


def test_damaged_binary_messages_are_refused() -> None:
    """Half a message is not the message."""
    with pytest.raises(ValueError, match="padding"):
        SocketMessage(type="send", time=1.0, opcode=2, data="/wA").content()
