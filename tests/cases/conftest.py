"""What the cases share."""

from pathlib import Path

import pytest

import tests.adapters_record.conftest  # noqa: F401  (loads mitmproxy without its warnings)
from tests.cli.conftest import envsvc

__all__ = ["envsvc"]


@pytest.fixture(scope="session")
def ca_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give one certificate authority to all: making a key takes long."""
    return tmp_path_factory.mktemp("ca")
