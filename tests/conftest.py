"""What holds for all tests."""

from collections.abc import Iterator

import pytest

from tests.docker_engine import Engine, docker_engine


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that start the command, so that the quick ones can be run alone."""
    for item in items:
        if "envsvc" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.process)


@pytest.fixture(scope="session")
def started_engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """Give one Docker engine to all tests."""
    with docker_engine(tmp_path_factory.mktemp("docker")) as engine:
        yield engine


@pytest.fixture
def engine(started_engine: Engine, monkeypatch: pytest.MonkeyPatch) -> Iterator[Engine]:
    """Give the Docker engine as the one that commands reach, and empty it afterwards."""
    monkeypatch.setenv("DOCKER_HOST", started_engine.host)
    yield started_engine
    started_engine.clear()
