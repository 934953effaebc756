"""What holds for all tests."""

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that start the command, so that the quick ones can be run alone."""
    for item in items:
        if "envsvc" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.process)
