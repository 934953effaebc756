"""Decide what of a container goes into its image, and refuse what cannot be frozen whole (D15)."""

from collections.abc import Collection, Iterable

import msgspec

from envsvc.errors import EnvsvcError
from envsvc.snapshot.container import Container, MountKind, RunConfig


class NotFreezableError(EnvsvcError):
    """Data of a container would not be in its snapshot."""

    code = "E632"
    exit_code = 1


class NoPortError(EnvsvcError):
    """Where an app listens in its container is not known."""

    code = "E639"


class FreezePlan(msgspec.Struct, frozen=True, kw_only=True):
    """What a snapshot will hold: the container's files, ``volumes`` copied in, and how it runs.

    ``left_out`` are mount points whose data is missing because somebody said so.
    """

    config: RunConfig
    volumes: tuple[str, ...]
    left_out: tuple[str, ...]
    port: int


def plan_freeze(
    container: Container, *, leave_out: Collection[str], drop_env: Collection[str], port: int
) -> FreezePlan:
    """Return the plan for *container*. *port* 0 is the only TCP port that it exposes.

    Raises: NotFreezableError, which names every mount point that is no volume and is not left out,
    and every name in *leave_out* or *drop_env* that the container does not have; NoPortError.
    """
    folders = {mount.folder for mount in container.mounts}
    _refuse_unknown("mounts nothing at", leave_out, folders)
    _refuse_unknown("has no environment variable", drop_env, map(env_name, container.config.env))
    lost = [
        f"{mount.folder} ({mount.kind}{' ' + mount.source if mount.source else ''})"
        for mount in container.mounts
        if mount.kind is not MountKind.VOLUME and mount.folder not in leave_out
    ]
    if lost:
        raise NotFreezableError(
            f"the snapshot would not hold what is mounted at {', '.join(lost)}",
            where=container.name,
            fix="Run the app with that data in a volume or in its own files, or say that it does "
            "not matter: --leave-out FOLDER",
        )
    config = container.config
    env = tuple(line for line in config.env if env_name(line) not in drop_env)
    labels = {k: v for k, v in config.labels.items() if not k.startswith(_OWNERS_MARKS)}
    return FreezePlan(
        config=msgspec.structs.replace(config, env=env, labels=labels),
        volumes=tuple(sorted(folders - set(leave_out))),
        left_out=tuple(sorted(leave_out)),
        port=port or _only_port(container),
    )


# By such labels an owner knows its containers; a copy must not be taken for one of them.
_OWNERS_MARKS = ("com.docker.compose.", "envsvc.")


def env_name(line: str) -> str:
    """Return the name of an environment variable in a line ``NAME=value``."""
    return line.partition("=")[0]


def _refuse_unknown(problem: str, named: Collection[str], known: Iterable[str]) -> None:
    unknown = sorted(set(named) - set(known))
    if unknown:
        raise NotFreezableError(
            f"the container {problem} {', '.join(unknown)}", fix="Correct the name, or leave it out"
        )


def _only_port(container: Container) -> int:
    ports = [port.removesuffix("/tcp") for port in container.config.ports if port.endswith("/tcp")]
    if len(ports) == 1:
        return int(ports[0])
    raise NoPortError(
        f"the image exposes {', '.join(ports) or 'no port'}; which one is the app's is not known",
        where=container.name,
        fix="Say it in app.yaml: snapshot: {port: 80}",
    )
