"""Freeze containers and run copies of them with Docker (D15)."""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Self

import docker
from docker.errors import APIError, NotFound

from envsvc.adapters.docker_engine.description import Json, container_of
from envsvc.adapters.docker_engine.errors import NoSuchContainerError, engine_errors
from envsvc.adapters.docker_engine.image import make_image, remove_image
from envsvc.ports import Labels, MadeImage, SnapshotCopy
from envsvc.snapshot.container import Container
from envsvc.snapshot.copy_name import CopyName, parse_copy_name
from envsvc.snapshot.freeze_plan import FreezePlan

_TIMEOUT_S = 600  # committing gigabytes takes minutes
_ID_BYTES = 6
_SHOWN_LINES = 15
# Docker's own name server would ask the host's for whatever a container wants to know; in the
# container itself nobody answers.
_NO_NAME_SERVER = ["127.0.0.1"]


class DockerEngine:
    """ports.SnapshotEngine for the engine that DOCKER_HOST names, or the one of this machine."""

    def __init__(self) -> None:
        """Reach the engine. Raises: EngineMissingError."""
        with engine_errors():
            self._client = docker.from_env(timeout=_TIMEOUT_S)
        self._api = self._client.api

    def __enter__(self) -> Self:
        """Give the engine."""
        return self

    def __exit__(self, *_: object) -> None:
        """Let go of its socket."""
        self._client.close()

    @engine_errors()
    def inspect(self, container: str) -> Container:
        """See ports.SnapshotEngine."""
        try:
            return container_of(self._api.inspect_container(container))
        except NotFound as error:
            raise NoSuchContainerError(
                f"there is no container {container!r}", fix="docker ps --all lists them"
            ) from error

    @contextmanager
    def hold_still(self, container: Container) -> Iterator[None]:
        """See ports.SnapshotEngine."""
        if not container.is_running or container.is_paused:
            yield
            return
        with engine_errors():
            self._api.pause(container.id)
        try:
            yield
        finally:
            with engine_errors():
                self._api.unpause(container.id)

    @engine_errors()
    def make_image(self, source: Container, plan: FreezePlan, labels: Labels) -> MadeImage:
        """See ports.SnapshotEngine."""
        return make_image(self._api, source, plan, labels)

    @engine_errors()
    def has_image(self, digest: str) -> bool:
        """See ports.SnapshotEngine."""
        try:
            self._api.inspect_image(digest)  # type: ignore[no-untyped-call]
        except NotFound:
            return False
        return True

    @engine_errors()
    def remove_image(self, digest: str) -> None:
        """See ports.SnapshotEngine."""
        remove_image(self._api, digest)

    @engine_errors()
    def start_copy(self, image: str, labels: Labels, *, is_spare: bool) -> SnapshotCopy:
        """See ports.SnapshotEngine."""
        name = CopyName(id=secrets.token_hex(_ID_BYTES), episodes=0 if is_spare else 1)
        try:
            return self._started(name, image, dict(labels))
        except BaseException:  # also Ctrl-C must leave nothing behind
            self._remove(name)
            raise

    def _started(self, name: CopyName, image: str, labels: Json) -> SnapshotCopy:
        self._api.create_network(name.network, driver="bridge", internal=True, labels=labels)
        host_config = self._api.create_host_config(network_mode=name.network, dns=_NO_NAME_SERVER)
        created = self._api.create_container(
            image, name=name.text, labels=labels, host_config=host_config
        )
        self._api.start(created["Id"])
        return _copy(name, self._api.inspect_container(created["Id"]))

    @engine_errors()
    def copies(self, labels: Labels) -> list[SnapshotCopy]:
        """See ports.SnapshotEngine."""
        found = []
        for container in sorted(self._containers(labels), key=lambda one: int(one["Created"])):
            with suppress(NotFound):  # removed since it was listed
                name = parse_copy_name("".join(container["Names"]).removeprefix("/"))
                if name:
                    found.append(_copy(name, self._api.inspect_container(container["Id"])))
        return found

    @engine_errors()
    def begin_episode(self, copy: SnapshotCopy) -> SnapshotCopy | None:
        """See ports.SnapshotEngine."""
        name = copy.name.next_episode()
        try:
            self._api.rename(copy.name.text, name.text)
        except NotFound:
            return None
        return _copy(name, self._api.inspect_container(name.text))

    @engine_errors()
    def is_running(self, copy: SnapshotCopy) -> bool:
        """See ports.SnapshotEngine."""
        try:
            described = self._api.inspect_container(copy.name.text)
        except NotFound:
            return False
        return bool(described["State"]["Running"])

    @engine_errors()
    def last_lines(self, copy: SnapshotCopy) -> str:
        """See ports.SnapshotEngine."""
        said: bytes = self._api.logs(copy.name.text, tail=_SHOWN_LINES)
        return "".join(f"\n  | {line}" for line in said.decode(errors="replace").splitlines())

    @engine_errors()
    def remove_copy(self, copy: SnapshotCopy) -> None:
        """See ports.SnapshotEngine."""
        self._remove(copy.name)

    def _remove(self, name: CopyName) -> None:
        with _unless_gone():
            self._api.remove_container(name.text, force=True, v=True)
        with _unless_gone():
            self._api.remove_network(name.network)

    @engine_errors()
    def remove_all(self, labels: Labels) -> None:
        """See ports.SnapshotEngine."""
        for container in self._containers(labels):
            with _unless_gone():
                self._api.remove_container(container["Id"], force=True, v=True)
        for network in self._api.networks(filters={"label": _filter(labels)}):
            with _unless_gone():
                self._api.remove_network(network["Id"])

    def _containers(self, labels: Labels) -> list[Json]:
        found: list[Json] = self._api.containers(all=True, filters={"label": _filter(labels)})
        return found


@contextmanager
def _unless_gone() -> Iterator[None]:
    """Pass over what is not there, is just being removed, or was taken since it was looked up."""
    try:
        yield
    except APIError as error:
        # A network is forbidden while a copy is in it: its container has another name by now.
        if error.status_code not in {404, 409, 403}:
            raise


def _filter(labels: Labels) -> list[str]:
    return [f"{name}={value}" for name, value in labels.items()]


def _copy(name: CopyName, described: Json) -> SnapshotCopy:
    network = described["NetworkSettings"]["Networks"].get(name.network, {})
    return SnapshotCopy(
        name=name,
        image=described["Image"],
        host=network.get("IPAddress", ""),
        has_ended=described["State"]["Status"] in {"exited", "dead", "removing"},
    )
