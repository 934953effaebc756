"""Turn what the Docker SDK raises into errors that say what to do."""

from collections.abc import Iterator
from contextlib import contextmanager

import requests
from docker.errors import APIError, DockerException

from envsvc.errors import EnvsvcError


class EngineMissingError(EnvsvcError):
    """No Docker engine answers."""

    code = "E630"
    exit_code = 3


class NoSuchContainerError(EnvsvcError):
    """The engine has no container of this name."""

    code = "E631"


class EngineError(EnvsvcError):
    """The Docker engine refused or failed."""

    code = "E641"
    exit_code = 3


class VolumeNotRestoredError(EnvsvcError):
    """A folder in an image is not what the container had there."""

    code = "E637"
    exit_code = 3


@contextmanager
def engine_errors() -> Iterator[None]:
    """Raise EngineMissingError or EngineError for what the SDK raises."""
    try:
        yield
    except APIError as error:
        raise EngineError(
            f"the Docker engine says: {error.explanation or error}",
            fix="Free what it lacks (disk, networks: envsvc snapshot down), then try again",
        ) from error
    except (DockerException, requests.RequestException) as error:
        raise EngineMissingError(
            f"no Docker engine answers: {error}",
            fix="Start one, or name its socket in DOCKER_HOST",
        ) from error
