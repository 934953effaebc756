"""A container as an engine describes it, and the image that is to be made of it (D15)."""

from enum import StrEnum

import msgspec


class MountKind(StrEnum):
    """Where the data at a mount point lies; only a volume of the engine is copied as a whole."""

    VOLUME = "volume"
    BIND = "bind"
    TMPFS = "tmpfs"
    OTHER = "other"


class Mount(msgspec.Struct, frozen=True, kw_only=True):
    """Data that is no part of a container's own files; ``source`` is a volume or a host folder."""

    kind: MountKind
    folder: str
    source: str = ""


class HealthTest(msgspec.Struct, frozen=True, kw_only=True):
    """The health check of an image; times in nanoseconds, 0 is the engine's default."""

    test: tuple[str, ...]
    interval_ns: int = 0
    timeout_ns: int = 0
    start_period_ns: int = 0
    retries: int = 0


class RunConfig(msgspec.Struct, frozen=True, kw_only=True):
    """How an image is run; ``ports`` such as ``80/tcp``, ``env`` as ``NAME=value``."""

    command: tuple[str, ...] = ()
    entrypoint: tuple[str, ...] = ()
    env: tuple[str, ...] = ()
    user: str = ""
    work_folder: str = ""
    ports: tuple[str, ...] = ()
    labels: dict[str, str] = {}
    stop_signal: str = ""
    health: HealthTest | None = None


class Container(msgspec.Struct, frozen=True, kw_only=True):
    """A container of an engine, running or not."""

    id: str
    name: str
    image: str
    is_running: bool
    is_paused: bool
    mounts: tuple[Mount, ...]
    config: RunConfig
