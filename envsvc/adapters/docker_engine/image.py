"""Make an image of a container with its volumes in it (D15).

Its files are exported into one new layer, not committed: a commit keeps what lower layers and their
history still hold, and an image that declares a volume hides what is copied to that folder.
"""

import posixpath
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress

from docker import APIClient
from docker.errors import NotFound

from envsvc.adapters.docker_engine.archive import certificates, digest_of, spooled
from envsvc.adapters.docker_engine.description import create_stopped
from envsvc.adapters.docker_engine.errors import VolumeNotRestoredError
from envsvc.ports import Labels, MadeImage
from envsvc.snapshot.container import Container, RunConfig
from envsvc.snapshot.expiry import Expiry
from envsvc.snapshot.freeze_plan import FreezePlan

_REPOSITORY = "envsvc-snapshot"
_TAG_DIGITS = 12


def make_image(api: APIClient, source: Container, plan: FreezePlan, labels: Labels) -> MadeImage:
    """See ports.SnapshotEngine."""
    with ExitStack() as on_failure:
        base, expires = _files_alone(api, source)
        on_failure.callback(remove_image, api, base)
        with _stopped(api, base, plan.config, labels) as filled:
            volumes = {}
            for folder in plan.volumes:
                volumes[folder], ends = _copied(api, source.id, filled, folder)
                expires += ends
            digest: str = api.commit(filled)["Id"]
        on_failure.callback(remove_image, api, digest)
        _check_restored(api, digest, volumes, labels)
        # Without a name it would go with the next `docker image prune`.
        api.tag(digest, _REPOSITORY, digest.removeprefix("sha256:")[:_TAG_DIGITS])
        on_failure.pop_all()
    size = api.inspect_image(digest)["Size"]  # type: ignore[no-untyped-call]
    return MadeImage(digest=digest, size_bytes=size, volumes=volumes, expires=tuple(expires))


def remove_image(api: APIClient, digest: str) -> None:
    """Remove an image with its name, if it is there."""
    with suppress(NotFound):
        api.remove_image(digest, force=True)


def _files_alone(api: APIClient, source: Container) -> tuple[str, list[Expiry]]:
    """Return an image of the container's own files, and what of them ends by itself."""
    with spooled(api.export(source.id)) as files:
        expires = list(certificates(files))
        said: str = api.import_image_from_data(files)
    return said.rpartition('"status":"')[2].partition('"')[0], expires


@contextmanager
def _stopped(api: APIClient, image: str, config: RunConfig, labels: Labels) -> Iterator[str]:
    container = create_stopped(api, image, config, dict(labels))
    try:
        yield container
    finally:
        api.remove_container(container, force=True, v=True)


def _copied(api: APIClient, source: str, target: str, folder: str) -> tuple[str, list[Expiry]]:
    """Copy *folder* and return its digest, and what in it ends by itself."""
    parent = posixpath.dirname(folder)
    chunks, _ = api.get_archive(source, folder)
    with spooled(chunks) as files:
        digest = digest_of(files)
        expires = list(certificates(files, parent.rstrip("/")))
        api.put_archive(target, parent, files)
    return digest, expires


def _check_restored(api: APIClient, image: str, volumes: dict[str, str], labels: Labels) -> None:
    config = RunConfig(command=("never-started",))
    with _stopped(api, image, config, labels) as restored:
        for folder, digest in volumes.items():
            chunks, _ = api.get_archive(restored, folder)
            with spooled(chunks) as files:
                seen = digest_of(files)
            if seen != digest:
                raise VolumeNotRestoredError(
                    f"the image does not hold what the container has in the volume {folder}",
                    fix="Nothing was kept of it; try again with the app stopped",
                )
