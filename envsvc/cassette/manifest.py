"""The manifest: what a cassette holds and how it was made, written to be read in a review."""

import hashlib
from collections.abc import Iterable

import msgspec
import rfc8785

from envsvc.cassette.rules import MatchRule

FORMAT_VERSION = 1
# Part of every result: a change of the key rules makes old and new runs incomparable.
MATCHER_VERSION = 3


class _Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A part of the manifest; unknown fields are refused."""


class BrowserInfo(_Part, frozen=True, kw_only=True):
    """The browser that recorded, and what it told the pages about itself."""

    build: str
    locale: str
    timezone: str
    viewport: tuple[int, int]


class TourRecord(_Part, frozen=True, kw_only=True):
    """A tour that was recorded: its name, the SHA-256 of its file, how many steps passed."""

    name: str
    sha256: str
    steps: int


class Dropped(_Part, frozen=True, kw_only=True):
    """An exchange that was not kept, and why."""

    method: str
    url: str
    reason: str


class AmbiguousKey(_Part, frozen=True, kw_only=True):
    """A key with several different answers, which nothing but the call order tells apart."""

    method: str
    url: str
    answers: int


class RecordedAnswer(_Part, frozen=True, kw_only=True):
    """One of several answers of a key: its status, the writes made before, who asked it."""

    status: int
    after: tuple[str, ...] = ()
    asked_with: tuple[str, ...] = ()
    times: int = 1


class SeveralAnswers(_Part, frozen=True, kw_only=True):
    """A key that was answered differently, and what tells its answers apart (D4).

    ``told_apart_by`` names state, credentials, negotiation, turns, or nothing.
    """

    method: str
    url: str
    told_apart_by: tuple[str, ...]
    answers: tuple[RecordedAnswer, ...]


class ProposedRule(_Part, frozen=True, kw_only=True):
    """A match rule that nobody has accepted yet, and values that speak for it."""

    rule: MatchRule
    because: str
    seen: tuple[str, ...] = ()


class Certificate(_Part, frozen=True, kw_only=True):
    """The proof of self-replay: the tours ran offline against the sealed cassette (D8)."""

    replayed_at: str
    requests: int
    task_misses: int
    outbound_connections: int
    problems: tuple[str, ...] = ()

    @property
    def is_clean(self) -> bool:
        """Say whether every step passed with no task miss and no way out."""
        return not (self.problems or self.task_misses or self.outbound_connections)


class Manifest(_Part, frozen=True, kw_only=True):
    """Everything about a cassette but its traffic (D2)."""

    format: int = FORMAT_VERSION
    app: str
    version: str
    recorded_at: str
    virtual_host: str
    task_hosts: tuple[str, ...]
    noise: tuple[str, ...]
    repeat: dict[str, str] = {}
    match_rules: dict[str, MatchRule] = {}
    proposed_rules: dict[str, ProposedRule] = {}
    tool_schema_version: str | None
    answer_table_version: str | None
    envsvc_version: str
    matcher_version: int = MATCHER_VERSION
    browser: BrowserInfo
    tours: tuple[TourRecord, ...]
    passes: int
    entries: int
    body_bytes: int
    redaction: dict[str, int]
    changed_between_passes: tuple[str, ...] = ()
    several_answers: tuple[SeveralAnswers, ...] = ()
    ambiguous: tuple[AmbiguousKey, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    imported_from: str = ""
    certificate: Certificate | None = None
    digest: str = ""


# Fields that format 1 gained after the first cassettes were sealed; each is empty by default.
_ADDED_LATER = ("imported_from", "repeat", "match_rules", "proposed_rules", "several_answers")


class FileDigest(msgspec.Struct, frozen=True, order=True):
    """A file of a cassette: its path from the cassette's folder, with "/", and its SHA-256."""

    path: str
    sha256: str


def cassette_digest(manifest: Manifest, files: Iterable[FileDigest]) -> str:
    """Return the SHA-256 over the canonical manifest and every file, in hexadecimal.

    The manifest counts without its own digest, as canonical JSON (RFC 8785), and without empty
    fields that the first manifests did not have: their digests hold.
    """
    content = msgspec.to_builtins(msgspec.structs.replace(manifest, digest=""))
    for name in _ADDED_LATER:
        if not content[name]:
            del content[name]
    listed = [[file.path, file.sha256] for file in sorted(files)]
    return hashlib.sha256(rfc8785.dumps([content, listed])).hexdigest()
