"""The command, for a test here and there."""

from tests.cli.conftest import envsvc

__all__ = ["envsvc"]
