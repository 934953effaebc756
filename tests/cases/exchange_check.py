"""Record what a case of kind ``exchange`` says, ask a real server, and look at every byte."""

import base64
import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from pathlib import Path

import msgspec

from envsvc.adapters.replay_server.live import LiveApp
from envsvc.adapters.replay_server.server import ServeOptions
from envsvc.adapters.replay_server.thread import ReplayThread, RunningReplay
from envsvc.exchange.content import decode
from envsvc.exchange.message import Exchange, Response, header, header_values
from envsvc.playback.outcome import MISS_OUTCOMES, AmbiguityPolicy, MissPolicy, Outcome
from envsvc.playback.session import MissRecord, SessionReport
from tests.cases.load import Case, request_of
from tests.cases.origin import Origin, origin
from tests.cases.recorded import (
    EPOCH_US,
    SECOND_US,
    cassette,
    exchanges,
    moment_us,
    redacted,
    redactor_of,
)
from tests.cases.schema import Config, Difference, ExchangeInput, Recorded, Step
from tests.cases.wire import Seen, Wire

_VERDICTS = {
    **dict.fromkeys(Outcome, "hit"),
    **dict.fromkeys(MISS_OUTCOMES.values(), "miss"),
    Outcome.SYNTHESIZED: "synthesized",
    Outcome.FAILURE: "failure",
    Outcome.LIVE: "live",
}
_MATCHES = {**{str(outcome): outcome for outcome in Outcome}, "alias": Outcome.RULE}
# All of them mean here: served, but by nothing that tells it from the other answers.
_AMBIGUOUS = {"ambiguous_key", "ambiguous", "vary_fallback", "auth_skipped"}
_REASONS = {"only bad recordings": "never_recorded"}
_LATER_US = 400 * 86_400 * SECOND_US
_DATED = ("date", "expires")


class _Clock:
    def __init__(self, now_us: int) -> None:
        self._now_us = now_us

    def now_us(self) -> int:
        """Return the moment of the replay, in microseconds since the epoch."""
        return self._now_us


class Asked(msgspec.Struct, frozen=True):
    """One step of a case and all that was seen of it."""

    step: Step
    seen: Seen
    outcome: Outcome
    is_assumed: bool
    after: SessionReport
    connections: int


def check_exchange(case: Case, folder: Path, ca_folder: Path) -> None:
    """Do nothing if each request of *case* ends as it says. Raises: AssertionError."""
    given = case.read(ExchangeInput)
    recorded = [
        one if one.recorded_at else msgspec.structs.replace(one, recorded_at=given.recorded_at)
        for one in given.recorded
    ]
    assert given.replay, f"{case.id} asks nothing"
    now_us = moment_us(given.replay_at) if given.replay_at else EPOCH_US + _LATER_US
    check_steps(
        given.replay,
        recorded,
        given.config,
        folders=(folder, ca_folder),
        now_us=now_us,
        keeps_connection=given.same_connection,
    )


def check_steps(
    steps: list[Step],
    recorded: list[Recorded],
    config: Config,
    *,
    folders: tuple[Path, Path],
    now_us: int = EPOCH_US + _LATER_US,
    keeps_connection: bool = False,
) -> None:
    """Do nothing if every step ends as it says, asked in order. Raises: AssertionError."""
    kept = redacted(exchanges(recorded, config), redactor_of(config))
    with served(recorded, config, folders, now_us) as (running, out), ExitStack() as stack:
        wires: dict[str, Wire] = {}
        for step in steps:
            if step.session not in wires:
                port = int(running.open_session(step.session).rpartition(":")[2])
                wires[step.session] = stack.enter_context(Wire(port, running.ca_certificate))
            asked = _ask(step, wires[step.session], running, out)
            _Checks(asked, recorded, kept, now_us).all()
            if not keeps_connection:
                wires[step.session].__exit__()


@contextmanager
def served(
    recorded: list[Recorded], config: Config, folders: tuple[Path, Path], now_us: int
) -> Iterator[tuple[RunningReplay, Origin]]:
    """Serve what was *recorded*, at that moment, where every name leads to an origin."""
    folder, ca_folder = folders
    loaded = cassette(folder, recorded, config)
    with origin() as out:
        policy = MissPolicy(config.on_miss)
        live = LiveApp(loaded.manifest.virtual_host, out.url, "v1")
        options = ServeOptions(
            policy=policy,
            ambiguity=AmbiguityPolicy(config.ambiguity),
            live=live if policy is MissPolicy.LIVE else None,
        )
        thread = ReplayThread(redactor_of(config), options, ca_folder, _Clock(now_us))
        with thread.serve(loaded) as running:
            yield running, out


def _ask(step: Step, wire: Wire, running: RunningReplay, out: Origin) -> Asked:
    before, arrived = running.report(step.session), out.connections
    seen = wire.ask(request_of(step.request))
    after = running.report(step.session)
    assert after.requests == before.requests + 1
    ended = [o for o in Outcome if after.count(o) != before.count(o)]
    assert len(ended) == 1, ended
    is_assumed = after.state_assumed > before.state_assumed
    return Asked(step, seen, ended[0], is_assumed, after, out.connections - arrived)


class _Checks:
    """What is expected of one step, compared with what was seen."""

    def __init__(
        self, asked: Asked, recorded: list[Recorded], kept: list[Exchange], now_us: int
    ) -> None:
        self.asked, self.recorded, self.kept, self.now_us = asked, recorded, kept, now_us
        self.expect, self.seen = asked.step.expect, asked.seen

    def all(self) -> None:
        """Look at everything."""
        verdict = _VERDICTS[self.asked.outcome]
        assert verdict == self.expect.verdict, self.asked.outcome
        assert self.asked.connections == self.expect.upstream_connections
        assert self.asked.after.outbound_connections == 0
        self._which()
        self._body()
        self._headers()
        self._account()
        self._miss()
        self._shift()

    def _which(self) -> None:
        expect = self.expect
        if expect.use is None:
            return
        assert expect.verdict != "miss", "a miss uses nothing"
        answer = self._answer(expect.use)
        sent = header(request_of(self.asked.step.request).headers, "last-event-id")
        if sent and sent == _last_id(answer):
            assert (self.seen.status, self.seen.body) == (204, b"")  # ends the reconnecting
            return
        if expect.status is None:
            assert self.seen.status == answer.status
        says_body = (expect.body, expect.body_b64, expect.decoded_body) != (None, None, None)
        is_partial = expect.status not in (None, answer.status)
        if not says_body and expect.body_json is msgspec.UNSET and not is_partial:
            is_bare = self.asked.step.request.method == "HEAD" or answer.status in {204, 304}
            assert self.seen.body == (b"" if is_bare else answer.body)

    def _answer(self, number: int) -> Response:
        """Return the answer with this number, as a recording keeps it."""
        answer = self.kept[number].answer
        assert isinstance(answer, Response)
        return answer

    def _body(self) -> None:
        expect, seen = self.expect, self.seen
        if expect.status is not None:
            allowed = expect.status if isinstance(expect.status, list) else [expect.status]
            assert seen.status in allowed
        if expect.body is not None:
            assert seen.body == expect.body.encode()
        if expect.body_b64 is not None:
            assert seen.body == base64.b64decode(expect.body_b64)
        if expect.body_json is not msgspec.UNSET:
            assert _typed(json.loads(seen.body)) == _typed(expect.body_json)
        if expect.body_contains is not None:
            assert expect.body_contains.encode() in seen.body
        if expect.decoded_body is not None:
            assert self._decoded() == expect.decoded_body.encode()
        assert seen.pieces >= expect.chunks_at_least

    def _decoded(self) -> bytes:
        """Return the body without its coding, which must be one that the client offered."""
        coding = header(self.seen.headers, "content-encoding")
        offered = header(request_of(self.asked.step.request).headers, "accept-encoding")
        assert coding in {"", *(one.partition(";")[0].strip() for one in offered.split(","))}
        return decode(self.seen.body, coding)

    def _headers(self) -> None:
        expect, headers = self.expect, self.seen.headers
        for name in expect.headers_absent:
            assert header_values(headers, name) == []
        for name, value in expect.headers_present:
            assert value in header_values(headers, name)
        if expect.headers_list is not None:
            names = {name.lower() for name, _ in expect.headers_list}
            assert [pair for pair in headers if pair[0].lower() in names] == expect.headers_list
        if expect.set_cookie_names is not None:
            cookies = header_values(headers, "set-cookie")
            assert [c.partition("=")[0] for c in cookies] == expect.set_cookie_names

    def _account(self) -> None:
        expect, outcome = self.expect, self.asked.outcome
        if expect.match:
            assert expect.match in _MATCHES, f"match {expect.match} is not understood"
            assert outcome == _MATCHES[expect.match]
        if expect.flag == "state_assumed":
            assert self.asked.is_assumed
        elif expect.flag:
            assert expect.flag in _AMBIGUOUS, f"flag {expect.flag} is not understood"
            assert outcome is Outcome.AMBIGUOUS

    def _miss(self) -> None:
        expect = self.expect
        if expect.verdict == "miss":
            self._explained(self.asked.after.misses[-1])
        else:
            assert (expect.reason, expect.hint, expect.near_miss) == ("", "", None)

    def _explained(self, miss: MissRecord) -> None:
        expect, explained = self.expect, miss.explanation
        told = {str(explained.reason), str(miss.miss_class)}
        if expect.reason:
            wanted = _REASONS.get(expect.reason, expect.reason.replace(" ", "_"))
            assert any(wanted in reason for reason in told), told
        if expect.hint:
            assert explained.hint == expect.hint
        near = expect.near_miss
        if isinstance(near, bool):
            assert bool(explained.nearest) is near
        elif near is not None:
            nearest = explained.nearest[0]
            assert nearest.url == self.recorded[near.use].request.url
            found = {(d.field, d.recorded, d.asked) for d in nearest.differences}
            assert found == {_difference(one) for one in near.diff}

    def _shift(self) -> None:
        """Look whether dates are as far from now as they were from the recording."""
        if not self.expect.shift:
            return
        assert self.expect.use is not None, "a shift is one of a recorded answer"
        exchange = self.kept[self.expect.use]
        answer = self._answer(self.expect.use)
        by = timedelta(microseconds=self.now_us - exchange.started_us)
        then, now = _dates(answer.headers), _dates(self.seen.headers)
        assert then, "no date is there to be shifted"
        assert now.keys() == then.keys()
        recorded_at = datetime.fromtimestamp(exchange.started_us / SECOND_US, UTC)
        for name, moment in then.items():
            stays_expired = name.startswith("set-cookie") and moment < recorded_at
            is_shifted = abs(now[name] - moment - by) <= timedelta(seconds=1)
            assert is_shifted or (stays_expired and now[name] < recorded_at + by), name


def _dates(headers: tuple[tuple[str, str], ...]) -> dict[str, datetime]:
    found = {}
    for name, value in headers:
        if name.lower() in _DATED:
            found[name.lower()] = parsedate_to_datetime(value)
        for part in value.split(";") if name.lower() == "set-cookie" else []:
            attribute, _, date = part.strip().partition("=")
            if attribute.lower() == "expires":
                cookie = value.partition("=")[0]
                found[f"set-cookie {cookie}"] = parsedate_to_datetime(date)
    return found


def _last_id(answer: Response) -> str:
    ids = [line[3:].strip() for line in answer.body.decode().splitlines() if line[:3] == "id:"]
    return ids[-1] if ids else ""


def _difference(wanted: Difference) -> tuple[str, str, str]:
    """Return a difference as the report tells it: JSON by pointer, all else by kind and name."""
    if wanted.path.startswith("$"):
        pointer = wanted.path.removeprefix("$").replace("[", ".").replace("]", "")
        field = f"json {pointer.replace('.', '/')}"
        return field, _json_text(wanted.recorded), _json_text(wanted.asked)
    return wanted.path.replace(".", " ", 1), str(wanted.recorded), str(wanted.asked)


def _json_text(value: object) -> str:
    return "" if value is None else json.dumps(value, separators=(",", ":"), sort_keys=True)


def _typed(value: object) -> str:
    """Return *value* as a text in which true and 1 differ; the order of keys does not matter."""
    return json.dumps(value, sort_keys=True)
