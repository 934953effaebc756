"""Patterns of host and path with shell wildcards, such as ``stats.example/*``."""

from collections.abc import Iterable
from fnmatch import fnmatchcase

from envsvc.exchange.url import canonical_url


def place(url: str) -> str:
    """Return host and path of absolute *url* in canonical form, or "" if it is not one."""
    parts = canonical_url(url)
    return parts.host + parts.path if parts else ""


def matches(url: str, patterns: Iterable[str]) -> bool:
    """Say whether host and path of *url* match one of *patterns*."""
    return place_matches(place(url), patterns)


def place_matches(text: str, patterns: Iterable[str]) -> bool:
    """Say whether *text*, a host and path, matches one of *patterns*."""
    return any(fnmatchcase(text, pattern) for pattern in patterns)
