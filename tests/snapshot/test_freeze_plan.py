"""What can be frozen whole is planned, the rest is refused by name."""

import pytest

from envsvc.snapshot.container import Container, Mount, MountKind, RunConfig
from envsvc.snapshot.freeze_plan import FreezePlan, NoPortError, NotFreezableError, plan_freeze

VOLUME = Mount(kind=MountKind.VOLUME, folder="/data", source="rows")
BIND = Mount(kind=MountKind.BIND, folder="/conf", source="/srv/conf")
TMPFS = Mount(kind=MountKind.TMPFS, folder="/run")


def container(*mounts: Mount, **config: object) -> Container:
    """Return a container with these mounts."""
    ports = {"ports": ("80/tcp",), **config}
    return Container(
        id="1",
        name="shop",
        image="shop:1",
        is_running=True,
        is_paused=False,
        mounts=mounts,
        config=RunConfig(**ports),  # type: ignore[arg-type]
    )


def plan(
    source: Container,
    leave_out: tuple[str, ...] = (),
    drop_env: tuple[str, ...] = (),
    port: int = 0,
) -> FreezePlan:
    """Return the plan for *source*."""
    return plan_freeze(source, leave_out=leave_out, drop_env=drop_env, port=port)


def test_volumes_are_copied() -> None:
    """Each volume's folder is in the plan, in a stable order."""
    later = Mount(kind=MountKind.VOLUME, folder="/var/db", source="db")

    assert plan(container(later, VOLUME)).volumes == ("/data", "/var/db")


def test_what_cannot_be_copied_is_refused_by_name() -> None:
    """Every folder whose data would be missing is named, with where it comes from."""
    with pytest.raises(NotFreezableError) as refused:
        plan(container(VOLUME, BIND, TMPFS))

    assert "/conf (bind /srv/conf), /run (tmpfs)" in refused.value.what
    assert "/data" not in refused.value.what


def test_what_somebody_can_do_without_is_left_out() -> None:
    """It is noted, and no volume that was left out is copied."""
    made = plan(container(VOLUME, BIND), leave_out=("/conf", "/data"))

    assert (made.volumes, made.left_out) == ((), ("/conf", "/data"))


@pytest.mark.parametrize(
    ("leave_out", "drop_env", "told"),
    [
        (("/dat",), (), "mounts nothing at /dat"),
        ((), ("TOKEM",), "has no environment variable TOKEM"),
    ],
)
def test_a_wrong_name_is_refused(
    leave_out: tuple[str, ...], drop_env: tuple[str, ...], told: str
) -> None:
    """A slip of the pen must not let a credential pass."""
    with pytest.raises(NotFreezableError, match=told):
        plan(container(VOLUME, env=("TOKEN=1",)), leave_out, drop_env)


def test_dropped_variables_are_not_in_the_image() -> None:
    """All others stay, in order."""
    made = plan(container(env=("A=1", "TOKEN=t", "B=2=3")), drop_env=("TOKEN",))

    assert made.config.env == ("A=1", "B=2=3")


def test_marks_of_other_owners_do_not_pass_on() -> None:
    """A copy must not look like a container of Compose, or like a copy of another snapshot."""
    labels = {"com.docker.compose.project": "p", "envsvc.app": "old", "team": "t"}

    assert plan(container(labels=labels)).config.labels == {"team": "t"}


@pytest.mark.parametrize(
    ("ports", "said", "port"),
    [(("80/tcp", "53/udp"), 0, 80), (("80/tcp", "81/tcp"), 81, 81), ((), 8080, 8080)],
)
def test_the_port_is_said_or_the_only_one(ports: tuple[str, ...], said: int, port: int) -> None:
    """What app.yaml says counts first."""
    assert plan(container(ports=ports), port=said).port == port


@pytest.mark.parametrize("ports", [(), ("80/tcp", "81/tcp")])
def test_a_port_is_not_guessed(ports: tuple[str, ...]) -> None:
    """None or several: app.yaml must say it."""
    with pytest.raises(NoPortError):
        plan(container(ports=ports))
