"""Run a Docker engine for the tests: its own socket, its own data, ended with them."""

import io
import os
import shutil
import subprocess
import tarfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import docker
import msgspec
from docker.models.containers import Container

from tests.snapshot_app import FILES, LINKS, REPOSITORY

_START_TIMEOUT_S = 60
_SYSTEM_TOOLS = "/usr/sbin:/sbin"
_BUSYBOX = Path("/bin/busybox")


class Engine(msgspec.Struct, frozen=True):
    """A running engine, with the image ``REPOSITORY`` alone; ``host`` is its DOCKER_HOST."""

    client: docker.DockerClient
    host: str

    def run(
        self,
        name: str,
        *,
        environment: dict[str, str] | None = None,
        volumes: dict[str, dict[str, str]] | None = None,
        tmpfs: dict[str, str] | None = None,
    ) -> Container:
        """Start the test app in a container called *name*, without a network."""
        return self.client.containers.run(
            REPOSITORY,
            name=name,
            detach=True,
            network_mode="none",
            environment=environment,
            volumes=volumes,
            tmpfs=tmpfs,
        )

    def inventory(self) -> set[str]:
        """Return the ids of all containers, networks, volumes and images."""
        client = self.client
        found = [*client.containers.list(all=True), *client.networks.list()]
        return {
            str(one.id) for one in [*found, *client.volumes.list(), *client.images.list(all=True)]
        }

    def clear(self) -> None:
        """Remove every container, unused network and volume."""
        for container in self.client.containers.list(all=True):
            container.remove(force=True, v=True)
        self.client.networks.prune()
        self.client.volumes.prune()


@contextmanager
def docker_engine(folder: Path) -> Iterator[Engine]:
    """Start an engine with all that it has in *folder*, and end it on leaving."""
    host = f"unix://{folder}/docker.sock"
    log = folder / "log"
    with log.open("wb") as written:
        process = subprocess.Popen(
            _command(folder, host), stdout=written, stderr=written, env=_env()
        )
    try:
        client = _connected(host, process, log)
        try:
            client.api.import_image_from_data(_root_files(), REPOSITORY, changes=_CHANGES)
            yield Engine(client, host)
        finally:
            client.close()
    finally:
        process.terminate()
        process.wait(_START_TIMEOUT_S)


_CHANGES = [
    "VOLUME /data",
    "EXPOSE 8080",
    "ENV PATH=/bin",
    'CMD ["httpd", "-f", "-p", "8080", "-h", "/www"]',
]


def _command(folder: Path, host: str) -> list[str]:
    (folder / "daemon.json").write_text("{}")
    dockerd = shutil.which("dockerd", path=_env()["PATH"])
    assert dockerd, "there is no dockerd; `make test` installs docker.io where it can"
    assert os.geteuid() == 0, "dockerd needs root"
    assert _BUSYBOX.exists(), "there is no busybox; `make test` installs busybox-static"
    return [
        *("setpriv", "--pdeathsig", "TERM"),  # it ends with us, however we end
        *(dockerd, "--host", host, "--bridge", "none", "--config-file", f"{folder}/daemon.json"),
        *("--data-root", f"{folder}/data", "--exec-root", f"{folder}/exec"),
        *("--pidfile", f"{folder}/pid"),
    ]


def _env() -> dict[str, str]:
    return {**os.environ, "PATH": f"{os.environ['PATH']}:{_SYSTEM_TOOLS}"}


def _connected(host: str, process: subprocess.Popen[bytes], log: Path) -> docker.DockerClient:
    deadline = time.monotonic() + _START_TIMEOUT_S
    while "API listen on" not in (lines := log.read_text(errors="replace")):
        assert process.poll() is None, f"no Docker engine can be run here:\n{lines[-2000:]}"
        assert time.monotonic() < deadline, f"the Docker engine does not start:\n{lines[-2000:]}"
        time.sleep(0.05)
    return docker.DockerClient(base_url=host, version="auto")


def _root_files() -> bytes:
    written = io.BytesIO()
    with tarfile.open(fileobj=written, mode="w") as archive:
        _add(archive, "bin/busybox", _BUSYBOX.read_bytes())
        for path, text in FILES.items():
            _add(archive, path, text.encode())
        for name in LINKS:
            link = tarfile.TarInfo(f"bin/{name}")
            link.type, link.linkname = tarfile.SYMTYPE, "busybox"
            archive.addfile(link)
    return written.getvalue()


def _add(archive: tarfile.TarFile, path: str, content: bytes) -> None:
    entry = tarfile.TarInfo(path)
    entry.size, entry.mode = len(content), 0o755
    archive.addfile(entry, io.BytesIO(content))
