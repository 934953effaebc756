"""Answer requests from one cassette and keep the sessions' accounts."""

from collections.abc import Callable, Mapping

import msgspec

from envsvc.adapters.replay_server.body_cache import BodyCache
from envsvc.adapters.replay_server.egress import EgressGuard
from envsvc.adapters.system_clock import SystemClock
from envsvc.adapters.virtual_clock.clock import PageClock
from envsvc.cassette.manifest import MATCHER_VERSION
from envsvc.cassette.script import Script
from envsvc.cassette.stored import Entry, StoredResponse
from envsvc.exchange.json_rpc import echoed, echoes
from envsvc.exchange.key import CanonicalKey
from envsvc.exchange.message import (
    Headers,
    Request,
    media_type,
)
from envsvc.exchange.redact import Redactor
from envsvc.playback.age import aged
from envsvc.playback.decide import Fail, GoLive, Hit, Miss, Synthesize, decide
from envsvc.playback.event_stream import seen_up_to
from envsvc.playback.explain import Explanation, explain, explain_state
from envsvc.playback.head import may_have_body, recorded_length, render_head, served_headers
from envsvc.playback.miss_body import miss_body
from envsvc.playback.noise import MissClassifier
from envsvc.playback.outcome import AmbiguityPolicy, MissClass, MissPolicy, Outcome
from envsvc.playback.representation import is_plain, represent
from envsvc.playback.session import (
    CassetteIdentity,
    LiveRecord,
    MissRecord,
    Session,
    SessionReport,
    missed_headers,
)
from envsvc.playback.virtual_clock import ClockMode, unmarked
from envsvc.ports import Cassette

_SYSTEM_CLOCK = SystemClock()
_OK = 200
_SWITCHING = 101
_EVENTS = "text/event-stream"
# A document per line, read as it comes.
_STREAMED = frozenset(
    {
        _EVENTS,
        "application/x-ndjson",
        "application/ndjson",
        "application/jsonl",
        "application/json-seq",
        "application/stream+json",
    }
)


class Whole(msgspec.Struct, frozen=True):
    """The whole answer. ``outcome`` is set where the same bytes will get the same answer again."""

    content: bytes
    outcome: Outcome | None = None
    entry_number: int = -1
    is_assumed: bool = False


class Stream(msgspec.Struct, frozen=True):
    """An answer in pieces: ``pieces`` are (milliseconds after the head, bytes).

    ``stays_open`` if the recorded client left before the server ended it.
    """

    head: bytes
    pieces: tuple[tuple[int, bytes], ...]
    stays_open: bool


class Socket(msgspec.Struct, frozen=True):
    """A web socket: the handshake's extra headers, and what was said on the recorded ones."""

    url: str
    key: CanonicalKey
    headers: Headers
    scripts: list[Script]


class Broken(msgspec.Struct, frozen=True):
    """No answer: the host failed while recording."""


class Live(msgspec.Struct, frozen=True):
    """The answer must be fetched."""

    miss_class: MissClass


type Answer = Whole | Stream | Socket | Broken | Live


class Engine:
    """One cassette's answers, with a session for every client that names one."""

    def __init__(
        self,
        cassette: Cassette,
        redactor: Redactor,
        policy: MissPolicy,
        ambiguity: AmbiguityPolicy = AmbiguityPolicy.SERVE,
        clock: ClockMode = ClockMode.FROZEN,
        now_us: Callable[[], int] = _SYSTEM_CLOCK.now_us,
    ) -> None:
        """Answer from *cassette*; sessions start with *policy* unless they choose another."""
        manifest = cassette.manifest
        self.guard = EgressGuard()
        self.sessions: dict[str, Session] = {}
        self.on_unreplayable: Callable[[MissRecord], None] = lambda _: None
        self.policy = policy
        self._ambiguity = ambiguity
        self.virtual_host = manifest.virtual_host
        self._index = cassette.index
        self._body = BodyCache(cassette.read_body)
        self._heads: dict[int, bytes] = {}
        self._now_us = now_us
        self._moment_us = now_us()
        self._redactor = redactor
        self._clock = PageClock(manifest, clock)
        self._classifier = MissClassifier(manifest.task_hosts, manifest.noise)
        self._app = f"{manifest.app}/{manifest.version}"
        self.identity = CassetteIdentity(
            app=manifest.app,
            version=manifest.version,
            digest=manifest.digest,
            recorded_at=manifest.recorded_at,
            matcher_version=MATCHER_VERSION,
            entries=len(cassette.index.entries),
        )

    def session(self, session_id: str, policy: MissPolicy | None = None) -> Session:
        """Return the session called *session_id*, started on first use."""
        known = self.sessions.get(session_id)
        if known is None:
            known = self.sessions[session_id] = Session(session_id, policy or self.policy)
        return known

    def report(self, session_id: str) -> SessionReport:
        """Return the account of a session. Raises: KeyError if there is none."""
        return self.sessions[session_id].report(self.identity, self.guard.attempts)

    def age(self) -> None:
        """Let the dates in answers go on to now; what was rendered before is forgotten."""
        self._moment_us = self._now_us()
        self._heads.clear()
        for session in self.sessions.values():
            session.epoch += 1

    def refuses_tunnel(self, host: str, session: Session) -> bool:
        """Say whether a tunnel to *host* failed while recording; counts it as that failure."""
        failure = self._index.unreachable(host.lower())
        if failure is None:
            return False
        session.hit(Outcome.FAILURE, failure.number)
        return True

    def answer(self, request: Request, session: Session) -> Answer:
        """Answer *request* for *session* and count how."""
        asked = self._redactor.request(unmarked(request))
        decision = decide(
            asked,
            self._index,
            self._classifier,
            session.policy,
            made=session.made,
            ambiguity=self._ambiguity,
        )
        match decision:
            case Hit():
                answer = self._hit(request, session, decision)
                return self._noted(answer, session, decision)
            case Fail():
                session.hit(Outcome.FAILURE, decision.entry.number)
                return Broken()
            case Synthesize():
                session.hit(Outcome.SYNTHESIZED, decision.entry.number)
                return Whole(render_head(204, "No Content", decision.headers, 0))
            case Miss():
                self._miss(asked, session, decision)
                return Whole(_miss_content(request))
            case GoLive():
                self._note_unrecorded_write(asked, session)
                return Live(decision.miss_class)

    def went_live(self, request: Request, session: Session, status: int, version: str) -> None:
        """Count an answer that was fetched from the live app."""
        asked = self._redactor.request(unmarked(request))
        record = LiveRecord(method=asked.method, url=asked.url, app_version=version, status=status)
        session.live(record)

    def redacted_message(self, content: bytes) -> bytes:
        """Return a web socket message of a client as a recording keeps it."""
        return self._redactor.request(Request(method="MESSAGE", url="", body=content)).body

    def missed_message(self, url: str, session: Session, content: bytes) -> None:
        """Count a web socket message that no recording answers."""
        asked = self._redactor.request(Request(method="MESSAGE", url=url, body=content))
        self._miss(asked, session, _message_miss(self._classifier.classify(url), session.policy))

    def _socket(self, request: Request, response: StoredResponse, entry: Entry) -> Socket:
        key, scripts = self._index.key(entry.number), self._index.scripts(entry)
        return Socket(request.url, key, response.headers, scripts)

    def _hit(self, request: Request, session: Session, hit: Hit) -> Answer:
        response, outcome = hit.response, hit.outcome
        if response.status == _SWITCHING:
            session.hit(outcome, hit.entry.number, is_assumed=hit.is_assumed)
            return self._socket(request, response, hit.entry)
        body = self._body(response.body_path)
        ids = self._echoes(request, hit)
        seen = seen_up_to(request, body) if _holds_events(response) else 0
        if (seen or _is_event_stream(response)) and request.method != "HEAD":
            session.hit(
                Outcome.DERIVED if seen else outcome, hit.entry.number, is_assumed=hit.is_assumed
            )
            return _stream(self._aged(hit.entry, response), body, ids, seen)
        changed = self._clock.changed(request, hit.entry, response, body)
        if changed is not None:
            response, body = changed.response, changed.body
        if ids:
            body = echoed(body, ids)
        if not is_plain(request, response):
            made = represent(request, self._aged(hit.entry, response), body)
            ended = Outcome.DERIVED if made.is_derived else outcome
            session.hit(ended, hit.entry.number, is_assumed=hit.is_assumed)
            head = render_head(made.status, made.reason, made.headers, len(made.body))
            return Whole(head + made.body)
        session.hit(outcome, hit.entry.number, is_assumed=hit.is_assumed)
        if changed is None and not ids:
            head = self._head(hit.entry, response, len(body))
        else:
            head = _whole_head(self._aged(hit.entry, response), len(body), is_head=False)
        shown = body if may_have_body(response.status, request.method) else b""
        return Whole(head + shown, outcome, hit.entry.number, hit.is_assumed)

    def _echoes(self, request: Request, hit: Hit) -> Mapping[str, str]:
        """Return what the ids of a recorded JSON-RPC answer are to be now; {} if nothing else."""
        if b'"jsonrpc"' not in request.body:
            return {}
        recorded = self._index.request(hit.entry.number).body
        ids = echoes(request.body.decode("utf-8", "replace"), recorded.decode("utf-8", "replace"))
        return {old: new for old, new in ids.items() if old != new}

    def _noted(self, answer: Answer, session: Session, hit: Hit) -> Answer:
        """Note what *hit* changes for later requests; such an answer is decided anew each time."""
        if hit.turn is not None:
            session.took_turn(hit.turn)
        if hit.write is not None:
            session.wrote(hit.write)
        session.needed_rules(hit.rules)
        is_passing = hit.turn is not None or hit.write is not None or bool(hit.rules)
        if is_passing and isinstance(answer, Whole):
            return msgspec.structs.replace(answer, outcome=None)
        return answer

    def _note_unrecorded_write(self, asked: Request, session: Session) -> None:
        if self._index.is_write(asked.method, asked.url):
            session.wrote_unrecorded(asked.url)

    def _head(self, entry: Entry, response: StoredResponse, size: int) -> bytes:
        """Return the head of an entry's whole answer, which is rendered once until it ages."""
        head = self._heads.get(entry.number)
        if head is None:
            aged_now = self._aged(entry, response)
            head = _whole_head(aged_now, size, is_head=entry.method == "HEAD")
            self._heads[entry.number] = head
        return head

    def _aged(self, entry: Entry, response: StoredResponse) -> StoredResponse:
        headers = aged(response.headers, entry.started_us, self._moment_us)
        return msgspec.structs.replace(response, headers=headers)

    def _miss(self, asked: Request, session: Session, miss: Miss) -> None:
        record = MissRecord(
            method=asked.method,
            url=asked.url,
            miss_class=miss.miss_class,
            explanation=self._explained(asked, session, miss),
            record_command=f"envsvc record --app {self._app} --from-misses REPORT",
            headers=missed_headers(asked),
            body=asked.body,
        )
        self._note_unrecorded_write(asked, session)
        first = miss.ends_episode and not session.is_unreplayable
        session.miss(record, ends_episode=miss.ends_episode)
        if first:
            self.on_unreplayable(record)

    def _explained(self, asked: Request, session: Session, miss: Miss) -> Explanation:
        if miss.states:
            return explain_state(miss.states, session.made, self._index)
        if miss.reason is not None:
            return Explanation(reason=miss.reason)
        return explain(asked, self._index)


class SocketAccount(msgspec.Struct, frozen=True):
    """Counts what a client says on a web socket to ``url``."""

    engine: Engine
    session: Session
    url: str

    def redacted(self, content: bytes) -> bytes:
        """Return a message of the client as a recording keeps it."""
        return self.engine.redacted_message(content)

    def told(self, message: CanonicalKey) -> None:
        """Count a message that was recorded."""
        self.session.told(message)

    def missed(self, content: bytes) -> None:
        """Count a message that was not."""
        self.engine.missed_message(self.url, self.session, content)


def _message_miss(miss_class: MissClass, policy: MissPolicy) -> Miss:
    ends = policy is MissPolicy.STRICT and miss_class is not MissClass.NOISE
    return Miss(miss_class, ends_episode=ends)


def _stream(
    response: StoredResponse, body: bytes, ids: Mapping[str, str], seen: int
) -> Stream | Whole:
    """Return what is left of a stream of which *seen* bytes were seen; 204 ends asking again."""
    if seen == len(body) and seen and not response.stream_open:
        return Whole(render_head(204, "No Content", (), 0))
    headers = served_headers(response.headers, is_encoded=response.encoded)
    pieces, start = [], 0
    for t_ms, length in response.chunks or ((0, len(body)),):
        piece = body[max(start, seen) : start + length]
        if piece:
            pieces.append((t_ms, echoed(piece, ids) if ids else piece))
        start += length
    head = render_head(response.status, response.reason, headers, None)
    return Stream(head, tuple(pieces), response.stream_open)


def _whole_head(response: StoredResponse, size: int, *, is_head: bool) -> bytes:
    """Return the head of a whole answer; one recorded of HEAD describes what GET would have got."""
    headers = served_headers(response.headers, is_encoded=response.encoded or is_head)
    length = recorded_length(response.headers) if is_head else size
    return render_head(response.status, response.reason, headers, length)


def _miss_content(request: Request) -> bytes:
    neutral = miss_body(request)
    headers = (("Content-Type", neutral.content_type), ("Cache-Control", "no-store"))
    head = render_head(404, "Not Found", headers, len(neutral.content))
    return head + (neutral.content if request.method != "HEAD" else b"")


def _is_event_stream(response: StoredResponse) -> bool:
    # Other bodies that came in pieces only came so because they were large.
    return bool(response.chunks) and media_type(response.headers) in _STREAMED


def _holds_events(response: StoredResponse) -> bool:
    return media_type(response.headers) == _EVENTS
