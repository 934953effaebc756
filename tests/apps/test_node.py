"""What ``node --version`` prints is understood."""

import pytest

from tests.apps.node import major_version


@pytest.mark.parametrize(("printed", "major"), [("v20.20.2\n", 20), ("v8.1.0", 8), ("", 0)])
def test_the_major_version_is_read(printed: str, major: int) -> None:
    """Nothing or something else printed is no version."""
    assert major_version(printed) == major
