"""Put together what freezes the apps of a workspace and runs copies of them."""

import hashlib
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from envsvc.adapters.config_file import BadConfigError, read_config
from envsvc.adapters.docker_engine.engine import DockerEngine
from envsvc.adapters.pages import HttpPages
from envsvc.adapters.system_clock import SystemClock
from envsvc.adapters.workspace import AppVersion, Workspace, secrets
from envsvc.adapters.yaml_text import write_yaml
from envsvc.app.freeze_snapshot import FreezeOrder, Freezer
from envsvc.app.snapshot_copies import Copies
from envsvc.errors import EnvsvcError
from envsvc.snapshot.lock import ImagesLock, Snapshot

LOCK_FILE = "images.lock.yaml"
_HEAD = "# Written by envsvc snapshot freeze; see ARCHITECTURE.md, D15.\n"


class NotFrozenError(EnvsvcError):
    """An app version has no snapshot."""

    code = "E642"


class Frozen(msgspec.Struct, frozen=True, kw_only=True):
    """A snapshot and the file that names it."""

    app: str
    snapshot: Snapshot
    path: Path


def freeze(
    start: Path, app: str, container: str, leave_out: Collection[str], drop_env: Collection[str]
) -> Frozen:
    """Freeze *container* as app version *app* and note it in the lock file beside app.yaml.

    Raises: what Freezer.freeze and Workspace raise; EngineMissingError.
    """
    workspace = Workspace.find(start)
    chosen = workspace.resolve(app)
    _read_lock(chosen)  # what is wrong with it is told before the copying, not after
    order = FreezeOrder(
        container=container,
        spec=chosen.spec,
        version=chosen.version,
        secrets=tuple(secrets(chosen.spec).values()),
        leave_out=leave_out,
        drop_env=drop_env,
    )
    with DockerEngine() as engine:
        freezer = Freezer(
            engine=engine,
            pages=HttpPages(),
            clock=SystemClock(),
            labels=_labels(workspace, chosen),
        )
        snapshot = freezer.freeze(order)
        try:
            _note(chosen, snapshot)
        except BaseException:  # an image that nothing names would stay for ever
            engine.remove_image(snapshot.image)
            raise
    return Frozen(app=str(chosen), snapshot=snapshot, path=_lock_path(chosen))


@contextmanager
def copies_of(start: Path, app: str) -> Iterator[Copies]:
    """Give the copies of app version *app*. Raises: NotFrozenError, EngineMissingError."""
    workspace = Workspace.find(start)
    chosen = workspace.resolve(app)
    snapshot = _read_lock(chosen).snapshots.get(chosen.version)
    if snapshot is None:
        raise NotFrozenError(
            f"{chosen} has no snapshot",
            where=str(_lock_path(chosen)),
            fix=f"Make one: envsvc snapshot freeze CONTAINER --app {chosen}",
        )
    with DockerEngine() as engine:
        yield Copies(
            engine=engine,
            pages=HttpPages(),
            clock=SystemClock(),
            spec=chosen.spec,
            snapshot=snapshot,
            labels=_labels(workspace, chosen),
        )


def _note(chosen: AppVersion, snapshot: Snapshot) -> None:
    path = _lock_path(chosen)
    # Read again: another version may have been frozen meanwhile.
    changed = msgspec.to_builtins(_read_lock(chosen).having(chosen.version, snapshot))
    fresh = path.with_suffix(".new")
    fresh.write_text(_HEAD + write_yaml(changed), encoding="utf-8")
    fresh.replace(path)


def _lock_path(chosen: AppVersion) -> Path:
    return chosen.folder / LOCK_FILE


def _read_lock(chosen: AppVersion) -> ImagesLock:
    path = _lock_path(chosen)
    if not path.exists():
        return ImagesLock()
    lock = read_config(path, ImagesLock)
    problems = list(lock.problems())
    if problems:
        raise BadConfigError("; ".join(problems), where=str(path), fix="Freeze it again")
    return lock


def _labels(workspace: Workspace, chosen: AppVersion) -> dict[str, str]:
    return {
        # Told apart, but not told: the image and the lock file go to other machines.
        "envsvc.workspace": hashlib.sha256(bytes(workspace.root.resolve())).hexdigest()[:12],
        "envsvc.app": chosen.spec.app,
        "envsvc.version": chosen.version,
    }
