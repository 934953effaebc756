"""Freeze a container into a snapshot, and prove that two copies of it are the same (D15)."""

from collections.abc import Collection, Iterator
from contextlib import ExitStack, contextmanager

import msgspec

from envsvc.app.snapshot_copies import check_ready
from envsvc.cassette.entry import timestamp
from envsvc.errors import EnvsvcError
from envsvc.ports import Clock, Labels, MadeImage, Pages, SnapshotEngine
from envsvc.record.app_spec import AppSpec
from envsvc.snapshot.config_secrets import refuse_secrets
from envsvc.snapshot.freeze_plan import FreezePlan, plan_freeze
from envsvc.snapshot.lock import Snapshot, state_difference


class UnsteadyStateError(EnvsvcError):
    """Two fresh copies of a snapshot do not show the same."""

    code = "E638"
    exit_code = 1


class FreezeOrder(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be frozen as which app version, and what may be missing from it."""

    container: str
    spec: AppSpec
    version: str
    secrets: Collection[str]
    leave_out: Collection[str] = ()
    drop_env: Collection[str] = ()


class Freezer(msgspec.Struct, frozen=True, kw_only=True):
    """Freezes containers; ``labels`` are what everything that it makes bears."""

    engine: SnapshotEngine
    pages: Pages
    clock: Clock
    labels: Labels

    def freeze(self, order: FreezeOrder) -> Snapshot:
        """Return the snapshot of a container, which goes on running as it was.

        Raises: NoSuchContainerError, NotFreezableError, SecretInImageError, NoPortError before
        anything is made; VolumeNotRestoredError, NotReadyInTimeError, UnsteadyStateError, and then
        nothing is left.
        """
        source = self.engine.inspect(order.container)
        plan = plan_freeze(
            source,
            leave_out=order.leave_out,
            drop_env=order.drop_env,
            port=order.spec.snapshot.port,
        )
        refuse_secrets(plan.config, order.secrets, order.spec.redact)
        with self.engine.hold_still(source):
            recorded_at = timestamp(self.clock.now_us())
            labels = {**self.labels, "envsvc.recorded_at": recorded_at}
            made = self.engine.make_image(source, plan, labels)
        with self._removed_on_failure(made):
            state = self._steady_state(made, plan, order.spec)
        return Snapshot(
            image=made.digest,
            recorded_at=recorded_at,
            source=f"{source.name} ({source.image})",
            size_bytes=made.size_bytes,
            port=plan.port,
            state=state,
            volumes=made.volumes,
            left_out=plan.left_out,
            dropped_env=tuple(sorted(order.drop_env)),
            expires=made.expires,
            labels=labels,
        )

    @contextmanager
    def _removed_on_failure(self, made: MadeImage) -> Iterator[None]:
        try:
            yield
        except BaseException:  # also Ctrl-C must leave nothing behind
            self.engine.remove_image(made.digest)
            raise

    def _steady_state(self, made: MadeImage, plan: FreezePlan, spec: AppSpec) -> dict[str, str]:
        """Return what two fresh copies show alike at the paths that prove the state."""
        first, second = (self._state(made, plan, spec) for _ in range(2))
        differing = state_difference(first, second)
        if differing:
            raise UnsteadyStateError(
                f"two fresh copies do not answer the same at {', '.join(differing)}",
                fix="Name pages that hold no time and no random value in app.yaml: "
                "snapshot: {state: [/cart]}",
            )
        return first

    def _state(self, made: MadeImage, plan: FreezePlan, spec: AppSpec) -> dict[str, str]:
        with ExitStack() as undo:
            copy = self.engine.start_copy(made.digest, self.labels, is_spare=False)
            undo.callback(self.engine.remove_copy, copy)
            url = f"http://{copy.host}:{plan.port}"
            check_ready(self.engine, self.pages, spec, copy, url)
            paths = spec.snapshot.state or (spec.ready.path,)
            return self.pages.state(url, spec.virtual_host, paths)
