"""A pytest fixture that replays a cassette: ``envsvc_session``.

Name the cassette once in the configuration (``envsvc_app = shop/v1``) or per test
(``@pytest.mark.envsvc("shop/v1", policy="error")``). A request that was never recorded fails the
test under the strict policy.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from envsvc.adapters.python_api import ReplaySession


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the setting ``envsvc_app``."""
    parser.addini("envsvc_app", "The app version that envsvc_session replays, such as shop/v1")


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker ``envsvc``."""
    config.addinivalue_line(
        "markers", "envsvc(app, policy='strict'): the cassette that envsvc_session replays"
    )


@pytest.fixture
def envsvc_session(request: pytest.FixtureRequest) -> Iterator["ReplaySession"]:
    """Give a session of its own to this test."""
    import envsvc  # noqa: PLC0415  (late: every pytest run loads this file)

    marker = request.node.get_closest_marker("envsvc")
    named = marker.args[0] if marker and marker.args else request.config.getini("envsvc_app")
    if not named:
        pytest.fail("envsvc_session: set envsvc_app, or mark the test with envsvc('app/version')")
    policy = marker.kwargs.get("policy", "strict") if marker else "strict"
    workspace = request.config.rootpath
    with envsvc.replay(
        named, policy=policy, session=request.node.name, workspace=workspace
    ) as session:
        yield session
