"""Give each episode its own copy of a snapshot, proven to be as it was frozen (D15)."""

from collections.abc import Iterator
from contextlib import contextmanager

import msgspec

from envsvc.cassette.entry import timestamp
from envsvc.errors import EnvsvcError
from envsvc.ports import Clock, Labels, Pages, SnapshotCopy, SnapshotEngine
from envsvc.record.app_spec import AppSpec
from envsvc.snapshot.expiry import ADVICE, age_days, ended
from envsvc.snapshot.lock import Snapshot, state_difference


class NotReadyInTimeError(EnvsvcError):
    """A copy of a snapshot did not get ready: a fault of the environment, not of an agent."""

    code = "E634"
    exit_code = 3


class StateDiffersError(EnvsvcError):
    """A fresh copy does not show what the snapshot showed."""

    code = "E635"
    exit_code = 3


class NoImageError(EnvsvcError):
    """The engine does not have the image of a snapshot."""

    code = "E636"


class NoSuchCopyError(EnvsvcError):
    """No copy has this id, or it is not in the hands of an episode."""

    code = "E640"


class HandedOut(msgspec.Struct, frozen=True, kw_only=True):
    """A copy in the hands of an episode, whose clock starts at ``started_at`` (RFC 3339).

    ``is_isolated`` is False where an earlier episode used the same copy. ``took_s`` is what the
    hand-over took, in seconds; ``is_from_pool`` whether the copy had been started before.
    """

    copy: str
    url: str
    image: str
    episode: int
    is_isolated: bool
    is_from_pool: bool
    took_s: float
    started_at: str


class Copies(msgspec.Struct, frozen=True, kw_only=True):
    """The copies of one app version's snapshot; ``labels`` are what all of them bear."""

    engine: SnapshotEngine
    pages: Pages
    clock: Clock
    spec: AppSpec
    snapshot: Snapshot
    labels: Labels

    def up(self, *, warm: int) -> HandedOut:
        """Hand out a fresh copy, then see that *warm* more are started for later.

        Raises: NoImageError, NotReadyInTimeError, StateDiffersError; no copy is left of a failure.
        """
        handed_out = self._fresh()
        self._fill(warm, handed_out)
        return handed_out

    def reset(self, copy_id: str, *, warm: int) -> HandedOut:
        """Take a used copy away and hand out a fresh one for it. Raises: see up, NoSuchCopyError.

        The used one goes only once the fresh one is proven.
        """
        used = self._used(copy_id)
        handed_out = self._fresh()
        self.engine.remove_copy(used)
        self._fill(warm, handed_out)
        return handed_out

    def go_on(self, copy_id: str) -> HandedOut:
        """Hand out a used copy as it is: the episode is not isolated. Raises: NoSuchCopyError."""
        begun_us = self.clock.now_us()
        copy = self.engine.begin_episode(self._used(copy_id))
        if copy is None:
            raise _no_copy(copy_id)
        return self._handed_out(copy, begun_us, is_from_pool=False)

    def down(self, copy_id: str) -> None:
        """Remove one copy. Raises: NoSuchCopyError."""
        self.engine.remove_copy(self._used(copy_id))

    def all(self) -> list[SnapshotCopy]:
        """Return every copy, also those that wait for an episode."""
        return self.engine.copies(self.labels)

    def findings(self, at_us: int) -> list[str]:
        """Return what in the snapshot is over at *at_us*, each as a sentence, and then advice."""
        over = ended(self.snapshot.expires, at_us)
        age = f"The snapshot is {age_days(self.snapshot.recorded_at, at_us)} days old"
        return [*over, f"{age}. {ADVICE}"] if over else []

    def url(self, copy: SnapshotCopy) -> str:
        """Return where *copy* listens; only this machine and its proxy can reach it."""
        return f"http://{copy.host}:{self.snapshot.port}"

    def _fresh(self) -> HandedOut:
        begun_us = self.clock.now_us()
        if not self.engine.has_image(self.snapshot.image):
            raise NoImageError(
                f"the engine does not have the image {self.snapshot.image}",
                fix="Load it there, or freeze the container again: envsvc snapshot freeze",
            )
        taken = self._from_pool()
        copy = taken or self._start(is_spare=False)
        with self._removed_on_failure(copy):
            check_ready(self.engine, self.pages, self.spec, copy, self.url(copy))
            self._check_state(copy)
        return self._handed_out(copy, begun_us, is_from_pool=taken is not None)

    def _from_pool(self) -> SnapshotCopy | None:
        for copy in self.all():
            if copy.name.episodes == 0 and copy.host and self._is_good(copy):
                taken = self.engine.begin_episode(copy)
                if taken:
                    return taken
        return None

    def _is_good(self, copy: SnapshotCopy) -> bool:
        return copy.image == self.snapshot.image and not copy.has_ended

    def _start(self, *, is_spare: bool) -> SnapshotCopy:
        return self.engine.start_copy(self.snapshot.image, self.labels, is_spare=is_spare)

    def _fill(self, warm: int, handed_out: HandedOut) -> None:
        """See that *warm* good copies wait, and no bad ones; on failure *handed_out* goes too."""
        with self._removed_on_failure(self._used(handed_out.copy)):
            self._keep_waiting(warm)

    def _keep_waiting(self, warm: int) -> None:
        waiting = [copy for copy in self.all() if copy.name.episodes == 0]
        good = [copy for copy in waiting if self._is_good(copy)]
        for copy in waiting:
            if copy not in good:
                self.engine.remove_copy(copy)
        for _ in range(warm - len(good)):
            self._start(is_spare=True)

    @contextmanager
    def _removed_on_failure(self, copy: SnapshotCopy) -> Iterator[None]:
        try:
            yield
        except BaseException:  # also Ctrl-C must leave nothing behind
            self.engine.remove_copy(copy)
            raise

    def _check_state(self, copy: SnapshotCopy) -> None:
        expected = self.snapshot.state
        seen = self.pages.state(self.url(copy), self.spec.virtual_host, expected)
        differing = state_difference(expected, seen)
        if differing:
            days = age_days(self.snapshot.recorded_at, self.clock.now_us())
            raise StateDiffersError(
                f"a fresh copy does not show at {', '.join(differing)} what was frozen",
                where=copy.name.id,
                fix=f"The snapshot is {days} days old, and what it holds may have ended. {ADVICE}",
            )

    def _used(self, copy_id: str) -> SnapshotCopy:
        for copy in self.all():
            if copy.name.id == copy_id and copy.name.episodes:
                return copy
        raise _no_copy(copy_id)

    def _handed_out(self, copy: SnapshotCopy, begun_us: int, *, is_from_pool: bool) -> HandedOut:
        now_us = self.clock.now_us()
        return HandedOut(
            copy=copy.name.id,
            url=self.url(copy),
            image=copy.image,
            episode=copy.name.episodes,
            is_isolated=copy.name.episodes == 1,
            is_from_pool=is_from_pool,
            took_s=(now_us - begun_us) / 1_000_000,
            started_at=timestamp(now_us),
        )


def check_ready(
    engine: SnapshotEngine, pages: Pages, spec: AppSpec, copy: SnapshotCopy, url: str
) -> None:
    """Wait until *copy* at *url* is ready. Raises: NotReadyInTimeError."""

    def fault(problem: str) -> NotReadyInTimeError:
        return NotReadyInTimeError(
            f"environment fault: a copy of {spec.app} {problem}{engine.last_lines(copy)}",
            where=url,
            fix="This counts against no agent. Check `ready` and `snapshot` in app.yaml",
        )

    def check_alive() -> None:
        if not engine.is_running(copy):
            raise fault("ended by itself")

    rule = spec.ready
    waiting = pages.wait(url, spec.virtual_host, rule, check_alive)
    if not waiting.is_ready:
        raise fault(
            f"did not give {rule.answers} good answers at {rule.path} within "
            f"{rule.timeout_s:g} s; last: {waiting.last_bad}"
        )


def _no_copy(copy_id: str) -> NoSuchCopyError:
    return NoSuchCopyError(
        f"there is no copy {copy_id} in use", fix="envsvc snapshot ls lists them all"
    )
