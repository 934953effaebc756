"""Every way in which envsvc touches the world, as protocols; adapters implement them.

What the methods promise is part of the protocol; ``tests/contracts`` holds each adapter to it.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

import msgspec

from envsvc.cassette.har import HarEntry
from envsvc.cassette.index import Index
from envsvc.cassette.manifest import BrowserInfo, Manifest
from envsvc.exchange.message import Exchange
from envsvc.exchange.redact import Redactor
from envsvc.playback.outcome import MissPolicy
from envsvc.playback.session import SessionReport
from envsvc.record.app_spec import AppSpec, BrowserSpec
from envsvc.record.journal import Event
from envsvc.snapshot.container import Container
from envsvc.snapshot.copy_name import CopyName
from envsvc.snapshot.expiry import Expiry
from envsvc.snapshot.freeze_plan import FreezePlan
from envsvc.snapshot.readiness import Waiting
from envsvc.snapshot.spec import Readiness


class Clock(Protocol):
    """The time of day."""

    def now_us(self) -> int:
        """Return microseconds since the epoch."""
        ...


class Cassette(msgspec.Struct, frozen=True):
    """A loaded cassette. ``read_body`` returns the bytes at a body path of its index."""

    manifest: Manifest
    index: Index
    read_body: Callable[[str], bytes]


class CassetteStore(Protocol):
    """Where sealed cassettes live, by app and version."""

    def load(self, app: str, version: str, redactor: Redactor) -> Cassette:
        """Return the cassette, every byte of it verified against its digest.

        Raises: CassetteNotFoundError, BadTrafficError, TamperedCassetteError.
        """
        ...

    def manifest(self, app: str, version: str) -> Manifest:
        """Return the manifest alone, unverified. Raises: CassetteNotFoundError."""
        ...

    def entries(self, app: str, version: str) -> Iterable[tuple[HarEntry, Exchange]]:
        """Yield every recorded exchange with its bodies, in order."""
        ...

    def write(self, manifest: Manifest, exchanges: Iterable[Exchange]) -> Manifest:
        """Write a whole cassette and return its manifest with the digest.

        It appears under its name only when complete; one that was there before is replaced in
        the same step, and is untouched if anything fails.
        """
        ...


class Journal(Protocol):
    """The journal of one recording, held by one recorder at a time."""

    def append(self, event: Event) -> None:
        """Add *event*: after a crash it is there whole or not at all.

        Raises: JournalWriteError (disk full, folder not writable); what was there stays.
        """
        ...

    def events(self) -> Iterable[Event]:
        """Yield all events so far."""
        ...

    def close(self) -> None:
        """Let another recorder have it; what was recorded stays."""
        ...

    def discard(self) -> None:
        """Close and delete it."""
        ...


class Address(msgspec.Struct, frozen=True):
    """Where an app really listens."""

    scheme: str
    host: str
    port: int


class RunningApp(Protocol):
    """A started app."""

    @property
    def address(self) -> Address:
        """Return where it listens."""
        ...

    def check_alive(self) -> None:
        """Raise AppDiedError, with the last lines it wrote, if it has ended."""
        ...


class AppRuntime(Protocol):
    """Starts app versions."""

    def start(self, spec: AppSpec, version: str) -> AbstractContextManager[RunningApp]:
        """Start a fresh *version*, wait until it is ready, and end it on leaving.

        Raises: AppNotReadyError, AppDiedError.
        """
        ...


class StepResult(msgspec.Struct, frozen=True, kw_only=True):
    """How a step of a tour went; ``problem`` is "" if it passed, ``number`` counts from 1."""

    number: int
    label: str
    problem: str


class TourSource(msgspec.Struct, frozen=True, kw_only=True):
    """A tour as it lies in the workspace: a YAML text or a Python file."""

    name: str
    path: str
    sha256: str


class Browser(Protocol):
    """A real browser that follows tours."""

    def info(self, settings: BrowserSpec) -> BrowserInfo:
        """Return what the browser is. Raises: BrowserMissingError."""
        ...

    def tour(
        self,
        tour: TourSource,
        *,
        spec: AppSpec,
        version: str,
        proxy_url: str,
        on_step: Callable[[StepResult], None],
    ) -> Sequence[StepResult]:
        """Follow *tour* in a fresh profile through the proxy; call *on_step* after each step.

        A step that fails does not raise; later steps are still tried.
        """
        ...


class ReplayService(Protocol):
    """A replay server that is running."""

    def open_session(self, session_id: str, policy: MissPolicy) -> str:
        """Start a session and return the proxy URL of its own listener."""
        ...

    def report(self, session_id: str) -> SessionReport:
        """Return the account of a session so far."""
        ...


class ReplayRuntime(Protocol):
    """Starts replay servers."""

    def serve(self, cassette: Cassette) -> AbstractContextManager[ReplayService]:
        """Serve *cassette* on loopback ports of its own until left."""
        ...


class MadeImage(msgspec.Struct, frozen=True, kw_only=True):
    """An image that was made of a container; ``volumes`` are digests of what was copied in."""

    digest: str
    size_bytes: int
    volumes: dict[str, str]
    expires: tuple[Expiry, ...]


class SnapshotCopy(msgspec.Struct, frozen=True, kw_only=True):
    """A container of a snapshot; ``host`` is its address on its network, "" until it is started."""

    name: CopyName
    image: str
    host: str
    has_ended: bool


type Labels = Mapping[str, str]
"""What everything that is made bears, and by which alone it is found again."""


class SnapshotEngine(Protocol):
    """An engine of containers (D15). Every method raises EngineError when the engine fails."""

    def inspect(self, container: str) -> Container:
        """Return the container of this name or id. Raises: NoSuchContainerError."""
        ...

    def hold_still(self, container: Container) -> AbstractContextManager[None]:
        """Pause *container* until left, if it runs and is not paused yet."""
        ...

    def make_image(self, source: Container, plan: FreezePlan, labels: Labels) -> MadeImage:
        """Make an image of the files and volumes of *source*; the source is not changed.

        What was copied in is read back from the image: VolumeNotRestoredError if it is not the
        same. Nothing is left of an image that could not be finished.
        """
        ...

    def has_image(self, digest: str) -> bool:
        """Say whether the engine has the image."""
        ...

    def remove_image(self, digest: str) -> None:
        """Remove an image that ``make_image`` made, if it is there and nothing runs from it."""
        ...

    def start_copy(self, image: str, labels: Labels, *, is_spare: bool) -> SnapshotCopy:
        """Start a fresh container of *image*, without a way out and without a port of this host.

        A spare one waits for whoever takes it by ``begin_episode``; else its first episode begins.
        """
        ...

    def copies(self, labels: Labels) -> list[SnapshotCopy]:
        """Return the copies that bear all of *labels*, the oldest first."""
        ...

    def begin_episode(self, copy: SnapshotCopy) -> SnapshotCopy | None:
        """Count one more episode of *copy*; None if somebody else did so since it was looked up."""
        ...

    def is_running(self, copy: SnapshotCopy) -> bool:
        """Say whether the container of *copy* still runs."""
        ...

    def last_lines(self, copy: SnapshotCopy) -> str:
        """Return the end of what *copy* wrote, for a message; "" if that is nothing."""
        ...

    def remove_copy(self, copy: SnapshotCopy) -> None:
        """Remove *copy* and its network; no error if they are gone already."""
        ...

    def remove_all(self, labels: Labels) -> None:
        """Remove the containers and networks that bear all of *labels*, and nothing else."""
        ...


class Pages(Protocol):
    """Asks an app that runs, under the name that its pages expect."""

    def wait(
        self, base_url: str, host: str, rule: Readiness, check_alive: Callable[[], None]
    ) -> Waiting:
        """Ask until the app is ready or its time is over; *check_alive* may end it by raising."""
        ...

    def state(self, base_url: str, host: str, paths: Iterable[str]) -> dict[str, str]:
        """Return what each path answers, as its status and the digest of its body."""
        ...
