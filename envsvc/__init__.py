"""Freeze the web that an agent is evaluated in, and say exactly what was answered."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from envsvc.adapters.python_api import ReplaySession, replay

__all__ = ["ReplaySession", "__version__", "replay"]
__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    """Load the Python API on first use, so that the pure core imports without a server."""
    if name in {"replay", "ReplaySession"}:
        from envsvc.adapters import python_api  # noqa: PLC0415  (lazy on purpose)

        return getattr(python_api, name)
    raise AttributeError(f"module 'envsvc' has no attribute {name!r}")
