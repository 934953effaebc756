"""Answer requests from one cassette and keep the sessions' accounts."""

from collections.abc import Callable

import msgspec

from envsvc.adapters.replay_server.body_cache import BodyCache
from envsvc.adapters.replay_server.egress import EgressGuard
from envsvc.cassette.script import Script
from envsvc.cassette.stored import StoredResponse
from envsvc.exchange.message import (
    Headers,
    Request,
    header,
    media_type,
    without_headers,
)
from envsvc.exchange.redact import Redactor
from envsvc.playback.byte_range import ByteRange, Unsatisfiable, asked_range
from envsvc.playback.decide import Fail, GoLive, Hit, Miss, decide
from envsvc.playback.explain import Explanation, Reason, explain, explain_state
from envsvc.playback.head import may_have_body, render_head, served_headers
from envsvc.playback.miss_body import miss_body
from envsvc.playback.noise import MissClassifier
from envsvc.playback.outcome import AmbiguityPolicy, MissClass, MissPolicy, Outcome
from envsvc.playback.session import (
    CassetteIdentity,
    LiveRecord,
    MissRecord,
    Session,
    SessionReport,
    missed_headers,
)
from envsvc.ports import Cassette

_OK = 200
_SWITCHING = 101


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
        self._redactor = redactor
        self._classifier = MissClassifier(manifest.task_hosts, manifest.noise)
        self._app = f"{manifest.app}/{manifest.version}"
        self.identity = CassetteIdentity(
            app=manifest.app,
            version=manifest.version,
            digest=manifest.digest,
            recorded_at=manifest.recorded_at,
            matcher_version=manifest.matcher_version,
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

    def refuses_tunnel(self, host: str, session: Session) -> bool:
        """Say whether a tunnel to *host* failed while recording; counts it as that failure."""
        failure = self._index.unreachable(host.lower())
        if failure is None:
            return False
        session.hit(Outcome.FAILURE, failure.number)
        return True

    def answer(self, request: Request, session: Session) -> Answer:
        """Answer *request* for *session* and count how."""
        asked = self._redactor.request(request)
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
            case Miss():
                self._miss(asked, session, decision)
                return Whole(_miss_content(request))
            case GoLive():
                self._note_unrecorded_write(asked, session)
                return Live(decision.miss_class)

    def went_live(self, request: Request, session: Session, status: int, version: str) -> None:
        """Count an answer that was fetched from the live app."""
        asked = self._redactor.request(request)
        record = LiveRecord(method=asked.method, url=asked.url, app_version=version, status=status)
        session.live(record)

    def redacted_message(self, content: bytes) -> bytes:
        """Return a web socket message of a client as a recording keeps it."""
        return self._redactor.request(Request(method="MESSAGE", url="", body=content)).body

    def missed_message(self, url: str, session: Session, content: bytes) -> None:
        """Count a web socket message that no recording answers."""
        asked = self._redactor.request(Request(method="MESSAGE", url=url, body=content))
        self._miss(asked, session, _message_miss(self._classifier.classify(url), session.policy))

    def _hit(self, request: Request, session: Session, hit: Hit) -> Answer:
        response, outcome = hit.response, hit.outcome
        if response.status == _SWITCHING:
            session.hit(outcome, hit.entry.number, is_assumed=hit.is_assumed)
            return Socket(request.url, response.headers, self._index.scripts(hit.entry))
        body = self._body(response.body_path)
        if _is_event_stream(response) and request.method != "HEAD":
            session.hit(outcome, hit.entry.number, is_assumed=hit.is_assumed)
            return _stream(response, body)
        cut = _cut(request, response)
        if cut is not None:
            session.hit(Outcome.DERIVED, hit.entry.number, is_assumed=hit.is_assumed)
            headers = served_headers(response.headers, is_encoded=response.encoded)
            return Whole(_part_content(headers, body, cut))
        session.hit(outcome, hit.entry.number, is_assumed=hit.is_assumed)
        head = self._head(hit.entry.number, response, len(body))
        shown = body if may_have_body(response.status, request.method) else b""
        return Whole(head + shown, outcome, hit.entry.number, hit.is_assumed)

    def _noted(self, answer: Answer, session: Session, hit: Hit) -> Answer:
        """Note what *hit* changes for later requests; such an answer is decided anew each time."""
        if hit.turn is not None:
            session.took_turn(hit.turn)
        if hit.write is not None:
            session.wrote(hit.write)
        is_passing = hit.turn is not None or hit.write is not None
        if is_passing and isinstance(answer, Whole):
            return msgspec.structs.replace(answer, outcome=None)
        return answer

    def _note_unrecorded_write(self, asked: Request, session: Session) -> None:
        if self._index.is_write(asked.method, asked.url):
            session.wrote_unrecorded(asked.url)

    def _head(self, entry_number: int, response: StoredResponse, size: int) -> bytes:
        """Return the head of an entry's whole answer, which never changes: rendered once."""
        head = self._heads.get(entry_number)
        if head is None:
            headers = served_headers(response.headers, is_encoded=response.encoded)
            head = render_head(response.status, response.reason, headers, size)
            self._heads[entry_number] = head
        return head

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
        if miss.is_ambiguous:
            return Explanation(reason=Reason.AMBIGUOUS)
        return explain(asked, self._index)


def _message_miss(miss_class: MissClass, policy: MissPolicy) -> Miss:
    ends = policy is MissPolicy.STRICT and miss_class is not MissClass.NOISE
    return Miss(miss_class, ends_episode=ends)


def _stream(response: StoredResponse, body: bytes) -> Stream:
    headers = served_headers(response.headers, is_encoded=response.encoded)
    pieces, start = [], 0
    for t_ms, length in response.chunks:
        pieces.append((t_ms, body[start : start + length]))
        start += length
    head = render_head(response.status, response.reason, headers, None)
    return Stream(head, tuple(pieces), response.stream_open)


def _cut(request: Request, response: StoredResponse) -> ByteRange | Unsatisfiable | None:
    wanted = header(request.headers, "range")
    if not wanted or request.method != "GET" or response.status != _OK:
        return None
    return asked_range(wanted, response.body_size)


def _part_content(headers: Headers, body: bytes, cut: ByteRange | Unsatisfiable) -> bytes:
    plain = without_headers(headers, frozenset({"content-range", "accept-ranges"}))
    if isinstance(cut, Unsatisfiable):
        named = (*plain, ("Content-Range", f"bytes */{cut.size}"))
        return render_head(416, "Range Not Satisfiable", named, 0)
    named = (*plain, ("Accept-Ranges", "bytes"), ("Content-Range", cut.content_range))
    part = body[cut.start : cut.end]
    return render_head(206, "Partial Content", named, len(part)) + part


def _miss_content(request: Request) -> bytes:
    neutral = miss_body(request)
    headers = (("Content-Type", neutral.content_type), ("Cache-Control", "no-store"))
    head = render_head(404, "Not Found", headers, len(neutral.content))
    return head + (neutral.content if request.method != "HEAD" else b"")


def _is_event_stream(response: StoredResponse) -> bool:
    # Other bodies that came in pieces only came so because they were large.
    return bool(response.chunks) and media_type(response.headers) == "text/event-stream"
