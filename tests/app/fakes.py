"""Ports of a recording without processes, sockets or files."""

# ruff: noqa: ARG002  (arguments are those of the ports)

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager

import msgspec

from envsvc.adapters.cassette_files import CassetteNotFoundError
from envsvc.app.record_app import Place, Sink, Task
from envsvc.cassette.bodies import body_path, digest_in
from envsvc.cassette.entry import entry_of
from envsvc.cassette.har import HarEntry
from envsvc.cassette.manifest import BrowserInfo, FileDigest, Manifest, cassette_digest
from envsvc.errors import EnvsvcError
from envsvc.exchange.message import Exchange, Request, Response
from envsvc.exchange.redact import Redactor
from envsvc.playback.indexing import empty_index
from envsvc.playback.outcome import MissPolicy, Outcome
from envsvc.playback.session import MissRecord, SessionReport, Verdict
from envsvc.ports import Address, Cassette, RunningApp, StepResult, TourSource
from envsvc.record.app_spec import AppSpec, BrowserSpec, VersionSpec
from envsvc.record.journal import Event

INFO = BrowserInfo(build="fake 1", locale="en-US", timezone="UTC", viewport=(1, 1))
SPEC = AppSpec(
    app="shop",
    virtual_host="shop.test",
    versions={"v1": VersionSpec(command=("run",))},
    default_tour="t",
    tours={"t": "t.yaml"},
)
TOUR = TourSource(name="t", path="t.yaml", sha256="ab")


def task(*, passes: int = 1) -> Task:
    """Return the recording of the fake app's one tour."""
    return Task(spec=SPEC, version="v1", tours=(TOUR,), passes=passes)


def exchange(path: str = "/", body: bytes = b"hello", **changes: object) -> Exchange:
    """Return an exchange of the virtual host; *changes* replaces its fields."""
    fields: dict[str, object] = {
        "started_us": 1_000_000,
        "duration_ms": 1,
        "request": Request(method="GET", url=f"http://shop.test{path}"),
        "answer": Response(status=200, body=body),
        "tour": "t",
        "step": "1",
        **changes,
    }
    return Exchange(**fields)  # type: ignore[arg-type]


class MemoryJournal:
    """ports.Journal in a list."""

    def __init__(self, *events: Event) -> None:
        """Start with *events*."""
        self.kept = list(events)

    def append(self, event: Event) -> None:
        """Add *event*."""
        self.kept.append(event)

    def events(self) -> Iterable[Event]:
        """Return all events so far."""
        return list(self.kept)

    def close(self) -> None:
        """Do nothing."""

    def discard(self) -> None:
        """Forget everything."""
        self.kept.clear()


class FakeApp:
    """An app that lives until ``problem`` is set."""

    address = Address("http", "127.0.0.1", 1)
    problem: EnvsvcError | None = None

    def check_alive(self) -> None:
        """Raise the problem."""
        if self.problem is not None:
            raise self.problem


class FakeApps:
    """ports.AppRuntime; ``starts`` counts fresh starts."""

    def __init__(self) -> None:
        """Start none."""
        self.app = FakeApp()
        self.starts = 0

    @contextmanager
    def start(self, spec: AppSpec, version: str) -> Iterator[RunningApp]:
        """Count a start."""
        self.starts += 1
        yield self.app


class FakeRecorder:
    """A recorder that records what the fake browser says."""

    proxy_url = "http://recorder"

    def __init__(self, sink: Sink) -> None:
        """Hand over to *sink*."""
        self.sink = sink
        self.place = Place()
        self.problem: EnvsvcError | None = None

    def set_place(self, place: Place) -> None:
        """Note it."""
        self.place = place

    def check(self) -> None:
        """Raise the problem."""
        if self.problem is not None:
            raise self.problem

    def record(self, exchange: Exchange) -> None:
        """Do as the real one does at the end of an exchange."""
        if self.place.is_recorded:
            self.sink.kept(exchange, self.place.pass_number)


class FakeRecorders:
    """record_app.RecorderRuntime; ``running`` is the last one."""

    running: FakeRecorder

    @contextmanager
    def start(self, spec: AppSpec, address: Address, sink: Sink) -> Iterator[FakeRecorder]:
        """Start one."""
        self.running = FakeRecorder(sink)
        yield self.running


type Act = Callable[[], object]
"""Do a step; what it returns, if anything, is its problem."""


class FakeBrowser:
    """ports.Browser whose tour is a list of acts; each returns its problem."""

    def __init__(self, *acts: Act) -> None:
        """Follow *acts* as steps."""
        self.acts = acts

    def info(self, settings: BrowserSpec) -> BrowserInfo:
        """Return a made-up browser."""
        return INFO

    def tour(
        self,
        tour: TourSource,
        *,
        spec: AppSpec,
        version: str,
        proxy_url: str,
        on_step: Callable[[StepResult], None],
    ) -> Sequence[StepResult]:
        """Do the acts."""
        results = []
        for number, act in enumerate(self.acts, 1):
            result = StepResult(number=number, label=f"step {number}", problem=str(act() or ""))
            results.append(result)
            on_step(result)
        return results


class Silent:
    """record_app.Watcher that looks away."""

    def step(self, tour: str, result: StepResult) -> None:
        """Look away."""

    def exchange(self, size: int) -> None:
        """Look away."""


class MemoryCassettes:
    """ports.CassetteStore in memory."""

    def __init__(self) -> None:
        """Hold nothing."""
        self.written: list[Manifest] = []
        self._kept: dict[tuple[str, str], tuple[Manifest, list[Exchange]]] = {}

    @property
    def exchanges(self) -> list[Exchange]:
        """Return what was written last."""
        last = self.written[-1]
        return self._kept[last.app, last.version][1]

    def load(self, app: str, version: str, redactor: Redactor) -> Cassette:
        """Return a cassette; nobody can have tampered with it."""
        bodies = Bodies()
        index = empty_index(self._find(app, version)[0])
        manifest, exchanges = self._find(app, version)
        for kept in exchanges:
            index.add(entry_of(kept, bodies.store), redactor.request(kept.request))
        return Cassette(manifest, index, bodies.by_path.__getitem__)

    def manifest(self, app: str, version: str) -> Manifest:
        """Return a manifest."""
        return self._find(app, version)[0]

    def entries(self, app: str, version: str) -> Iterator[tuple[HarEntry, Exchange]]:
        """Yield what was written."""
        for kept in self._find(app, version)[1]:
            yield entry_of(kept, body_path), kept

    def write(self, manifest: Manifest, exchanges: Iterable[Exchange]) -> Manifest:
        """Keep it, once all of it is there."""
        kept, bodies = list(exchanges), Bodies()
        traffic = msgspec.json.encode([entry_of(exchange, bodies.store) for exchange in kept])
        filled = msgspec.structs.replace(
            manifest, entries=len(kept), body_bytes=sum(map(len, bodies.by_path.values()))
        )
        files = [FileDigest(path, digest_in(path)) for path in bodies.by_path]
        files.append(FileDigest("traffic.har", hashlib.sha256(traffic).hexdigest()))
        sealed = msgspec.structs.replace(filled, digest=cassette_digest(filled, files))
        self._kept[manifest.app, manifest.version] = (sealed, kept)
        self.written.append(sealed)
        return sealed

    def _find(self, app: str, version: str) -> tuple[Manifest, list[Exchange]]:
        try:
            return self._kept[app, version]
        except KeyError:
            name = f"{app}/{version}"
            fix = f"Record it: envsvc record --app {name}"
            raise CassetteNotFoundError(f"nothing was recorded of {name}", fix=fix) from None


class Bodies:
    """Body files, in memory; one for each content."""

    def __init__(self) -> None:
        """Hold none."""
        self.by_path: dict[str, bytes] = {}
        self._paths: dict[bytes, str] = {}

    def store(self, body: bytes, kind: str) -> str:
        """Keep *body* and return its path."""
        path = self._paths.setdefault(body, body_path(body, kind))
        self.by_path[path] = body
        return path


class FakeReplays:
    """ports.ReplayRuntime that reports what it is told to."""

    def __init__(self, *misses: MissRecord, outbound: int = 0) -> None:
        """Report *misses*."""
        self.misses = misses
        self.outbound = outbound
        self.policy: MissPolicy | None = None

    @contextmanager
    def serve(self, cassette: Cassette) -> Iterator["FakeReplays"]:
        """Serve nothing."""
        yield self

    def open_session(self, session_id: str, policy: MissPolicy) -> str:
        """Note the policy."""
        self.policy = policy
        return "http://replay"

    def report(self, session_id: str) -> SessionReport:
        """Return the report."""
        return SessionReport(
            session=session_id,
            app="shop",
            version="v1",
            cassette_digest="",
            recorded_at="",
            matcher_version=1,
            policy=MissPolicy.ERROR,
            verdict=Verdict.REPLAYED,
            requests=5,
            outcomes={Outcome.EXACT: 5 - len(self.misses), Outcome.MISS_TASK: len(self.misses)},
            misses=self.misses,
            live=(),
            entries_used=1,
            entries_unused=0,
            outbound_connections=self.outbound,
        )


class FixedClock:
    """ports.Clock that stands still."""

    def now_us(self) -> int:
        """Return a day in 2026."""
        return 1_780_000_000_000_000
