"""Files that other programs really write are recognised and read."""

import gc
import io
import json
import warnings
import zipfile
from collections.abc import Iterable
from pathlib import Path

import pytest
from mitmproxy import http
from mitmproxy.io import FlowWriter
from mitmproxy.test import tflow
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from envsvc.adapters.importing.sources import Source, UnknownFormatError
from envsvc.adapters.importing.warc import BadWarcError
from envsvc.adapters.mitm.flow_file import BadFlowsError
from envsvc.cassette.foreign_har import Left, Taken
from envsvc.exchange.message import Exchange, Response

PNG = b"\x89PNG\r\n\x1a\n"
ENTRY = {
    "request": {"method": "GET", "url": "http://app.test/i.png", "headers": []},
    "response": {
        "status": 200,
        "headers": [],
        "content": {"size": 8, "mimeType": "image/png", "_file": "abc.png"},
    },
}
HAR = json.dumps({"log": {"entries": [ENTRY]}})


def exchanges(path: Path) -> list[Exchange]:
    """Return what *path* holds, all of which must be kept."""
    found = list(Source(path, salvage=False).entries())
    assert all(isinstance(entry, Taken) for entry in found), found
    return [entry.exchange for entry in found if isinstance(entry, Taken)]


def body(exchange: Exchange) -> bytes:
    """Return the body of its answer."""
    assert isinstance(exchange.answer, Response)
    return exchange.answer.body


def zipped(path: Path, members: Iterable[tuple[str, bytes]]) -> Path:
    """Write an archive of *members* at *path*."""
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members:
            archive.writestr(name, content)
    return path


def test_a_har_reads_the_files_beside_it(tmp_path: Path) -> None:
    """Playwright's attach mode, and our own cassettes."""
    (tmp_path / "abc.png").write_bytes(PNG)
    (tmp_path / "visit.txt").write_text(HAR)

    assert Source(tmp_path / "visit.txt", salvage=False).format == "HAR"
    assert [body(e) for e in exchanges(tmp_path / "visit.txt")] == [PNG]


@pytest.mark.parametrize("name", ["../abc.png", "/etc/hostname", "gone.png", "link.png", "."])
def test_no_file_outside_of_the_folder_is_read(tmp_path: Path, name: str) -> None:
    """A HAR is not trusted: paths that leave, links that lead out."""
    folder = tmp_path / "har"
    folder.mkdir()
    (tmp_path / "abc.png").write_bytes(PNG)
    (folder / "link.png").symlink_to(tmp_path / "abc.png")
    (folder / "x.har").write_text(HAR.replace("abc.png", name))
    (found,) = Source(folder / "x.har", salvage=False).entries()

    assert isinstance(found, Left)
    assert found.reason.startswith("body missing")


@pytest.mark.parametrize("har", ["har.har", "visit/har.har"])
def test_an_archive_of_playwright_is_read(tmp_path: Path, har: str) -> None:
    """Bodies lie beside the HAR in the archive."""
    beside = str(Path(har).parent / "abc.png")
    path = zipped(tmp_path / "a.zip", [(har, HAR.encode()), (beside, PNG)])

    assert Source(path, salvage=False).format == "Playwright archive"
    assert [body(e) for e in exchanges(path)] == [PNG]


def test_a_name_that_leaves_an_archive_has_no_file(tmp_path: Path) -> None:
    """Members are looked up by their name alone."""
    leaving = HAR.replace("abc.png", "../abc.png").encode()
    path = zipped(tmp_path / "a.zip", [("har.har", leaving), ("abc.png", PNG)])

    assert isinstance(next(iter(Source(path, salvage=False).entries())), Left)


@pytest.mark.browser
@pytest.mark.parametrize("content", ["embed", "attach", "zip"])
def test_what_playwright_records_is_read(tmp_path: Path, content: str) -> None:
    """A real Chromium, in each of its three ways to write."""
    from envsvc.adapters.browser.chromium import running_chromium  # noqa: PLC0415 - only this needs it

    path = tmp_path / ("visit.zip" if content == "zip" else "visit.har")
    with running_chromium() as browser:
        context = browser.new_context(
            record_har_path=path,
            record_har_content="attach" if content == "zip" else content,  # type: ignore[arg-type]
        )
        context.route("**/*", lambda route: route.fulfill(body="<h1>hello</h1>"))
        context.new_page().goto("http://app.test/")
        context.close()

    assert [body(e) for e in exchanges(path)] == [b"<h1>hello</h1>"]


def flow(**changes: object) -> http.HTTPFlow:
    """Return a flow with an answer."""
    made = tflow.tflow(resp=True)
    for name, value in changes.items():
        setattr(made, name, value)
    return made


def flows(path: Path, *written: object) -> Path:
    """Write *written* flows at *path*, as mitmdump -w does."""
    with path.open("wb") as file:
        writer = FlowWriter(file)  # type: ignore[no-untyped-call]
        for one in written:
            writer.add(one)  # type: ignore[arg-type]
    return path


def test_flows_of_mitmproxy_are_read(tmp_path: Path) -> None:
    """Requests, answers and web sockets; what failed is left out."""
    failed = tflow.tflow(err=True)
    path = flows(tmp_path / "flows", flow(), tflow.twebsocketflow(), failed, tflow.ttcpflow())
    kept = [e for e in Source(path, salvage=False).entries() if isinstance(e, Taken)]
    lost = [e for e in Source(path, salvage=False).entries() if isinstance(e, Left)]

    assert Source(path, salvage=False).format == "mitmproxy flows"
    assert [body(kept[0].exchange), len(kept[1].exchange.messages)] == [b"message", 3]
    assert [entry.is_foreign for entry in lost] == [False, True]


def test_a_flow_without_its_body_is_left_out(tmp_path: Path) -> None:
    """It was streamed, so mitmproxy kept nothing of it."""
    streamed = flow()
    assert streamed.response is not None
    streamed.response.content = None
    (found,) = Source(flows(tmp_path / "flows", streamed), salvage=False).entries()

    assert isinstance(found, Left)


def test_damaged_flows_are_a_clear_error(tmp_path: Path) -> None:
    """D18."""
    (tmp_path / "flows").write_bytes(b"12:nonsense")

    with pytest.raises(BadFlowsError):
        list(Source(tmp_path / "flows", salvage=False).entries())


def warc(*, gzip: bool = False) -> bytes:
    """Return a web archive: a pair, a revisit of it, and an answer alone."""
    with warnings.catch_warnings():
        # warcio leaves its temporary files to the garbage collector, which complains.
        warnings.simplefilter("ignore", ResourceWarning)
        content = _warc(gzip=gzip)
        gc.collect()
    return content


def _warc(*, gzip: bool) -> bytes:
    out = io.BytesIO()
    writer = WARCWriter(out, gzip=gzip)

    def record(kind: str, line: str, content: bytes, url: str, **more: str) -> object:
        parts = line.split(" ", 1)
        headers = StatusAndHeaders(parts[1], [("X-A", "b")], protocol=parts[0])
        return writer.create_warc_record(
            url, kind, payload=io.BytesIO(content), http_headers=headers, warc_headers_dict=more
        )

    answer = record("response", "HTTP/1.1 200 OK", b"hello", "http://app.test/")
    request = record("request", "POST / HTTP/1.1", b"a=1", "http://app.test/")
    writer.write_request_response_pair(request, answer)
    digest = answer.rec_headers.get_header("WARC-Payload-Digest")  # type: ignore[attr-defined]
    writer.write_record(
        record(
            "revisit", "HTTP/1.1 200 OK", b"", "http://app.test/again",
            **{"WARC-Payload-Digest": digest},
        )
    )  # fmt: skip
    writer.write_record(record("response", "HTTP/1.1 404 No", b"gone", "http://app.test/no"))
    return out.getvalue()


@pytest.mark.parametrize("gzip", [False, True])
def test_web_archives_are_read(tmp_path: Path, *, gzip: bool) -> None:
    """ISO 28500: requests with their answers, revisits with their earlier bodies."""
    (tmp_path / "crawl").write_bytes(warc(gzip=gzip))
    found = exchanges(tmp_path / "crawl")

    assert Source(tmp_path / "crawl", salvage=False).format == "WARC"
    assert [(e.request.method, e.request.url, e.request.body, body(e)) for e in found] == [
        ("POST", "http://app.test/", b"a=1", b"hello"),
        ("GET", "http://app.test/again", b"", b"hello"),
        ("GET", "http://app.test/no", b"", b"gone"),
    ]


def test_a_wacz_is_read(tmp_path: Path) -> None:
    """WACZ 1.1: web archives in a zip."""
    members = [("datapackage.json", b"{}"), ("archive/data.warc.gz", warc(gzip=True))]
    path = zipped(tmp_path / "crawl.wacz", members)

    assert Source(path, salvage=False).format == "WACZ"
    assert len(exchanges(path)) == 3


def test_a_damaged_web_archive_is_a_clear_error(tmp_path: Path) -> None:
    """D18."""
    (tmp_path / "crawl").write_bytes(b"WARC/1.0\r\nnonsense")

    with pytest.raises(BadWarcError):
        list(Source(tmp_path / "crawl", salvage=False).entries())


@pytest.mark.parametrize("content", [b"", b"hello", b"\x89PNG", b"\x1f\x8b\x08nonsense"])
def test_any_other_file_is_a_clear_error(tmp_path: Path, content: bytes) -> None:
    """D18: what can be imported is named."""
    (tmp_path / "x").write_bytes(content)

    with pytest.raises((UnknownFormatError, EOFError, OSError)):
        Source(tmp_path / "x", salvage=False)


def test_an_archive_of_something_else_is_a_clear_error(tmp_path: Path) -> None:
    """D18."""
    with pytest.raises(UnknownFormatError):
        Source(zipped(tmp_path / "a.zip", [("a.txt", b"x")]), salvage=False)
