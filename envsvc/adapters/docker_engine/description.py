"""Read what the Docker engine says of a container, and say the same to it."""

from typing import Any

from docker import APIClient

from envsvc.snapshot.container import Container, HealthTest, Mount, MountKind, RunConfig

type Json = dict[str, Any]
"""What the engine's API answers."""


def container_of(described: Json) -> Container:
    """Return the container that the engine *described*."""
    state = described["State"]
    return Container(
        id=described["Id"],
        name=described["Name"].removeprefix("/"),
        image=described["Config"]["Image"],
        is_running=state["Running"],
        is_paused=state["Paused"],
        mounts=tuple(_mounts(described)),
        config=_config(described["Config"]),
    )


def create_stopped(api: APIClient, image: str, config: RunConfig, labels: Json) -> str:
    """Create a container that runs as *config* says, do not start it, and return its id."""
    created = api.create_container(
        image,
        command=list(config.command) or None,
        entrypoint=list(config.entrypoint) or None,
        environment=list(config.env),
        user=config.user or None,
        working_dir=config.work_folder or None,
        ports=[tuple(port.split("/")) for port in config.ports],
        labels={**config.labels, **labels},
        stop_signal=config.stop_signal or None,
        healthcheck=_health_json(config.health) if config.health else None,
        host_config=api.create_host_config(network_mode="none"),
    )
    container_id: str = created["Id"]
    return container_id


def _mounts(described: Json) -> list[Mount]:
    kinds = {kind.value: kind for kind in MountKind}
    listed = [
        Mount(
            kind=kinds.get(mount["Type"], MountKind.OTHER),
            folder=mount["Destination"],
            source=mount.get("Name") or mount.get("Source") or "",
        )
        for mount in described["Mounts"]
    ]
    # What --tmpfs made is not in that list.
    tmpfs = (described["HostConfig"].get("Tmpfs") or {}).keys() - {one.folder for one in listed}
    return [*listed, *(Mount(kind=MountKind.TMPFS, folder=folder) for folder in sorted(tmpfs))]


def _config(config: Json) -> RunConfig:
    health = config.get("Healthcheck")
    return RunConfig(
        command=tuple(config.get("Cmd") or ()),
        entrypoint=tuple(config.get("Entrypoint") or ()),
        env=tuple(config.get("Env") or ()),
        user=config.get("User") or "",
        work_folder=config.get("WorkingDir") or "",
        ports=tuple(sorted(config.get("ExposedPorts") or ())),
        labels=dict(config.get("Labels") or {}),
        stop_signal=config.get("StopSignal") or "",
        health=_health(health) if health and health.get("Test") else None,
    )


def _health(health: Json) -> HealthTest:
    return HealthTest(
        test=tuple(health["Test"]),
        interval_ns=health.get("Interval", 0),
        timeout_ns=health.get("Timeout", 0),
        start_period_ns=health.get("StartPeriod", 0),
        retries=health.get("Retries", 0),
    )


def _health_json(health: HealthTest) -> Json:
    return {
        "test": list(health.test),
        "interval": health.interval_ns,
        "timeout": health.timeout_ns,
        "start_period": health.start_period_ns,
        "retries": health.retries,
    }
