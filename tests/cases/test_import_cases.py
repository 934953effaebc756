"""Cases of kinds ``har_import`` and ``har_text``: what an import keeps, and what is answered."""

import base64
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from envsvc.adapters.cassette_files import CassetteFiles
from envsvc.adapters.importing.har_stream import BadHarError
from envsvc.adapters.importing.sources import Source
from envsvc.adapters.replay_server.server import ServeOptions
from envsvc.adapters.replay_server.thread import ReplayThread, RunningReplay
from envsvc.app.import_traffic import Imported, Target, import_traffic
from envsvc.cassette.plain_har import plain_har
from envsvc.exchange.message import Response, header_values
from envsvc.exchange.redact import Redactor
from envsvc.playback.outcome import MISS_OUTCOMES, MissPolicy
from envsvc.record.app_spec import AppSpec, VersionSpec
from tests.cases.load import Case, Data, cases, request_of
from tests.cases.wire import Seen, Wire

pytestmark = [pytest.mark.cases, pytest.mark.loopback]

KNOWN = {"kind", "har_entries", "expect", "replay", "side_files_b64", "also", "note"}
SPEC = AppSpec(
    app="app",
    virtual_host="app.test",
    versions={"v1": VersionSpec(url="http://app.test")},
    default_tour="none",
    tours={"none": "none.yaml"},
)


def imported(folder: Path, *, salvage: bool = False) -> Imported:
    """Import the HAR in *folder* into it."""
    target = Target(spec=SPEC, version="v1", name="in.har", envsvc_version="0")
    source = Source(folder / "in.har", salvage=salvage)
    store = CassetteFiles(folder / "store")
    return import_traffic(source.entries, target, Redactor({}), store, dry_run=False)


@contextmanager
def replayed(folder: Path) -> Iterator[RunningReplay]:
    """Serve what was imported into *folder*."""
    loaded = CassetteFiles(folder / "store").load("app", "v1", Redactor({}))
    options = ServeOptions(policy=MissPolicy.ERROR)
    with ReplayThread(Redactor({}), options, folder / "ca").serve(loaded) as running:
        yield running


@pytest.mark.parametrize("case", cases("har_import"), ids=lambda case: case.id)
def test_har_import(case: Case, tmp_path: Path) -> None:
    """D2: every entry is kept or named with its reason, and what is kept is answered."""
    har = {"log": {"version": "1.2", "entries": case.input["har_entries"]}}
    (tmp_path / "in.har").write_text(json.dumps(har))
    for name, text in (case.input.get("side_files_b64") or {}).items():
        (tmp_path / name).write_bytes(base64.b64decode(text))
    made = imported(tmp_path)

    assert set(case.input) <= KNOWN, set(case.input) - KNOWN
    check_import(case.input["expect"], case.input["har_entries"], made)
    check_frames(case.input["expect"], tmp_path)
    for step in case.input.get("replay") or []:
        with replayed(tmp_path) as running, Wire(running.port, running.ca_certificate) as wire:
            seen = wire.ask(request_of(step["request"]))
            outcomes = running.report("default").outcomes
            used = running.used("default")
        check_step(step["expect"], seen, is_miss=bool(outcomes.keys() & MISS_OUTCOMES.values()))
        if "use" in step["expect"]:
            entries = CassetteFiles(tmp_path / "store").entries("app", "v1")
            stored = [exchange for _, exchange in entries]
            wanted = case.input["har_entries"][step["expect"]["use"]]["request"]
            (request,) = [stored[number].request for number in used]
            assert (request.method, request.url) == (wanted["method"], wanted["url"])


def check_frames(expect: Data, folder: Path) -> None:
    """Compare what was said on a web socket, if the case expects one."""
    assert expect.get("kind") in {None, "websocket"}
    if "kind" not in expect:
        assert "received_frames" not in expect
        return
    ((_, exchange),) = CassetteFiles(folder / "store").entries("app", "v1")
    received = [message for message in exchange.messages if not message.from_client]
    assert isinstance(exchange.answer, Response)
    assert exchange.answer.status == 101
    assert len(received) == expect["received_frames"]


def check_import(expect: Data, entries: list[Data], made: Imported) -> None:
    """Compare what was kept; nothing may be expected that is not understood."""
    known = {"kept", "dropped", "ignored", "warnings", "kind", "received_frames"}
    assert set(expect) <= known, set(expect) - known
    assert made.kept == expect["kept"]
    assert made.ignored == expect.get("ignored", 0)
    if "warnings" in expect:
        assert sum(made.warnings.values()) == expect["warnings"]
    dropped = [(one.url, one.reason) for one in made.dropped]
    for one in expect.get("dropped", []):
        url = entries[one["index"]]["request"]["url"]
        assert any(u == url and r.startswith(one["reason"]) for u, r in dropped), dropped


def check_step(expect: Data, seen: Seen, *, is_miss: bool) -> None:
    """Compare an answer."""
    known = {"verdict", "use", "body", "body_b64", "status", "headers_present",
             "headers_absent", "set_cookie_names"}  # fmt: skip
    assert set(expect) <= known, set(expect) - known
    assert is_miss is (expect["verdict"] == "miss")
    if "status" in expect:
        assert seen.status == expect["status"]
    if "body" in expect:
        assert seen.body == expect["body"].encode()
    if "body_b64" in expect:
        assert seen.body == base64.b64decode(expect["body_b64"])
    for name in expect.get("headers_absent", []):
        assert header_values(seen.headers, name) == []
    for name, value in expect.get("headers_present", []):
        found = header_values(seen.headers, name)
        # The value of a cookie is a placeholder, and its date goes with time.
        end = "=" if name.lower() == "set-cookie" else "\n"
        assert value.partition(end)[0] in [one.partition(end)[0] for one in found]
    if "set_cookie_names" in expect:
        cookies = header_values(seen.headers, "set-cookie")
        assert [cookie.partition("=")[0] for cookie in cookies] == expect["set_cookie_names"]


@pytest.mark.parametrize("case", cases("har_text"), ids=lambda case: case.id)
def test_har_text(case: Case, tmp_path: Path) -> None:
    """D2: lenient with what writers leave out, strict with what is cut off."""
    expect = case.input["expect"]
    assert set(case.input) <= {"kind", "text", "expect", "export", "note"}, set(case.input)
    assert set(expect) <= {"kept", "error", "with_salvage"}, set(expect)
    (tmp_path / "in.har").write_text(case.input["text"])
    if "error" in expect:
        with pytest.raises(BadHarError, match=expect["error"]):
            imported(tmp_path)
    else:
        assert imported(tmp_path).kept == expect["kept"]
    if "export" in case.input:
        assert case.input["export"] == "own export has no NaN/Infinity and has log.pages"
        entries = CassetteFiles(tmp_path / "store").entries("app", "v1")
        text = b"".join(plain_har((exchange for _, exchange in entries), "0"))
        log = json.loads(text, parse_constant=pytest.fail)["log"]
        assert isinstance(log["pages"], list)
    if "with_salvage" in expect:
        assert imported(tmp_path, salvage=True).kept == expect["with_salvage"]["kept"]
