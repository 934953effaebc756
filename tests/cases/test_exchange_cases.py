"""Cases of kind ``exchange``: record, then ask a real server, and look at every byte."""

import base64
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from envsvc.adapters.replay_server.server import ServeOptions
from envsvc.adapters.replay_server.thread import ReplayThread, RunningReplay
from envsvc.exchange.message import Headers, Response, header_values
from envsvc.exchange.redact import Redactor
from envsvc.playback.outcome import MISS_OUTCOMES, Outcome
from envsvc.playback.session import MissRecord, SessionReport
from tests.cases.load import Case, Data, cases, request_of, response_of
from tests.cases.recorded import cassette, exchanges, named_secrets, policy
from tests.cases.wire import Seen, Wire

pytestmark = [pytest.mark.cases, pytest.mark.loopback]

_VERDICTS = {
    **dict.fromkeys(MISS_OUTCOMES.values(), "miss"),
    Outcome.SYNTHESIZED: "synthesized",
}
_MATCHES = {"alias": Outcome.RULE}
# All of them mean here: served, but by nothing that tells it from the other answers.
_FLAGS = {"ambiguous_key", "vary_fallback", "auth_skipped"}
_REASONS = {
    "only bad recordings": "never_recorded",
    "only 304 recorded": "only_304_recorded",
    "incomplete entity": "incomplete_entity",
}
# For people, or checked where the feature has its own tests.
_TOLD = {"note", "shift", "verdict", "use", "upstream_connections", "decoded_body"}
_CHECKED = _TOLD | {
    "body",
    "body_b64",
    "body_json",
    "status",
    "match",
    "flag",
    "reason",
    "hint",
    "near_miss",
    "chunks_at_least",
    "headers_absent",
    "headers_present",
    "headers_list",
    "set_cookie_names",
}


@pytest.fixture(scope="module")
def ca_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give one certificate authority to all: making a key takes long."""
    return tmp_path_factory.mktemp("ca")


@contextmanager
def served(case: Case, folder: Path, ca_folder: Path) -> Iterator[RunningReplay]:
    """Serve what *case* has recorded."""
    config = case.input.get("config") or {}
    loaded = cassette(folder, case.input["recorded"], config)
    options = ServeOptions(policy=policy(config))
    redactor = Redactor(named_secrets(config))
    with ReplayThread(redactor, options, ca_folder).serve(loaded) as running:
        running.open_session("case", policy(config))
        yield running


# Whether answers leak into a recording is asked of the leak scan, which is not part of replay.
REPLAYED = [case for case in cases("exchange") if "answers" not in case.input]


@pytest.mark.parametrize("case", REPLAYED, ids=lambda case: case.id)
def test_exchange(case: Case, tmp_path: Path, ca_folder: Path) -> None:
    """Each request ends as the case says, with the answer that it says."""
    with served(case, tmp_path, ca_folder) as running:
        port = int(running.open_session("case").rpartition(":")[2])
        wire = Wire(port)
        for number, step in enumerate(case.input.get("replay") or []):
            before = running.report("case")
            if number and not case.input.get("same_connection"):
                wire.__exit__()
                wire = Wire(port)
            seen = wire.ask(request_of(step["request"]))
            Step(case, step, seen, before, running.report("case")).check()
        wire.__exit__()


class Step:
    """One request of a case, and how it ended."""

    def __init__(
        self, case: Case, step: Data, seen: Seen, before: SessionReport, after: SessionReport
    ) -> None:
        """Compare what was *seen* with what *step* expects."""
        self.case, self.expect, self.seen = case, step["expect"], seen
        ended = [o for o in Outcome if after.count(o) != before.count(o)]
        assert len(ended) == 1, ended
        self.outcome = ended[0]
        self.method = step["request"].get("method", "GET")
        self.after = after

    def check(self) -> None:
        """Look at everything that is expected; nothing may be expected that is not understood."""
        expect = self.expect
        assert set(expect) <= _CHECKED, set(expect) - _CHECKED
        assert _VERDICTS.get(self.outcome, "hit") == expect["verdict"], self.outcome
        assert self.after.outbound_connections == 0
        self._check_which()
        self._check_body()
        self._check_headers()
        self._check_account()

    def _check_which(self) -> None:
        if self.expect["verdict"] != "hit" or "use" not in self.expect:
            return
        answer = self._recorded_answer(self.expect["use"])
        if "status" not in self.expect:
            assert self.seen.status == answer.status
        given = {"body", "body_b64", "body_json", "status", "decoded_body"} & self.expect.keys()
        if not given and self.method != "HEAD":
            assert self.seen.body == answer.body

    def _recorded_answer(self, number: int) -> Response:
        """Return the answer with this number, as a recording keeps it."""
        config = self.case.input.get("config") or {}
        redactor = Redactor(named_secrets(config))
        recorded = [redactor.exchange(e) for e in exchanges(self.case.input["recorded"], config)]
        answer = recorded[number].answer
        assert isinstance(answer, Response)
        return answer

    def _check_body(self) -> None:
        expect, seen = self.expect, self.seen
        if "status" in expect:
            allowed = expect["status"]
            assert seen.status in (allowed if isinstance(allowed, list) else [allowed])
        if "body" in expect:
            assert seen.body == expect["body"].encode()
        if "body_b64" in expect:
            assert seen.body == base64.b64decode(expect["body_b64"])
        if "body_json" in expect:
            assert json.loads(seen.body) == expect["body_json"]
        if "decoded_body" in expect:
            assert seen.body == expect["decoded_body"].encode()
        assert seen.pieces >= expect.get("chunks_at_least", 0)

    def _check_headers(self) -> None:
        headers: Headers = self.seen.headers
        for name in self.expect.get("headers_absent", []):
            assert header_values(headers, name) == []
        for name, value in self.expect.get("headers_present", []):
            assert value in header_values(headers, name)
        wanted = self.expect.get("headers_list", [])
        names = {name.lower() for name, _ in wanted}
        assert [list(pair) for pair in headers if pair[0].lower() in names] == wanted
        if "set_cookie_names" in self.expect:
            cookies = header_values(headers, "set-cookie")
            assert [c.partition("=")[0] for c in cookies] == self.expect["set_cookie_names"]

    def _check_account(self) -> None:
        expect = self.expect
        if "match" in expect:
            assert self.outcome == _MATCHES.get(expect["match"], expect["match"])
        if "flag" in expect:
            assert expect["flag"] in _FLAGS
            assert self.outcome is Outcome.AMBIGUOUS
        if expect["verdict"] == "miss":
            self._check_miss(self.after.misses[-1])

    def _check_miss(self, miss: MissRecord) -> None:
        expect, explained = self.expect, miss.explanation
        if "reason" in expect:
            assert _REASONS[expect["reason"]] in explained.reason
        if "hint" in expect:
            assert explained.hint == expect["hint"]
        near = expect.get("near_miss")
        if near is None:
            return
        assert explained.nearest
        if isinstance(near, dict):
            recorded = self.case.input["recorded"][near["use"]]["request"]
            assert explained.nearest[0].url == recorded["url"]
            assert [(d.field, d.recorded, d.asked) for d in explained.nearest[0].differences] == [
                (
                    f"json {d['path'].removeprefix('$').replace('.', '/')}",
                    str(d["recorded"]),
                    str(d["asked"]),
                )
                for d in near["diff"]
            ]


def test_a_case_cannot_pass_by_expecting_nothing() -> None:
    """Each step of each case says how its request ends."""
    steps = [step for case in REPLAYED for step in case.input.get("replay") or []]

    assert all(step["expect"]["verdict"] in {"hit", "miss", "synthesized"} for step in steps)
    assert response_of({"status": 200}).status == 200
