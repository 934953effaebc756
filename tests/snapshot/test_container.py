"""A container as a value."""

from envsvc.snapshot.container import Mount, MountKind, RunConfig


def test_a_config_of_nothing_is_empty() -> None:
    """What an image does not say is empty, never None, but for a health check."""
    assert RunConfig() == RunConfig(command=(), env=(), user="", labels={}, health=None)


def test_a_mount_without_a_source_has_none() -> None:
    """What lies in memory comes from nowhere."""
    assert Mount(kind=MountKind.TMPFS, folder="/tmp").source == ""  # noqa: S108  (in a container)
