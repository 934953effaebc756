"""The clock and the random values of a page: as if it were visited when it was recorded (D11).

Each document and worker has a clock that starts when its own answer had arrived in the recording:
so a page that was recorded later is later, and no time depends on the order of a run. From there
time passes only by what happens in the page: a tenth of a millisecond per reading (loops that wait
for a time end), a timer's delay when it fires, a sixtieth of a second per frame, about a second
per click, less per key. The same happenings read the same times; what races in a page (a frame
against a timer) still may come in another order, as in any browser. Animations that the browser
draws by itself, and media, run in real time.

Random values come from a seed of the cassette and the recorded URL, so two documents differ and a
reload is the same. The time zone is the browser's setting.

Not reached: ``crypto.subtle`` keys and the names of ``blob:`` URLs stay random; service workers
and worklets, sandboxed ``srcdoc`` frames that a script writes as HTML, and pages whose charset
nobody names run by the real clock; ``import.meta.url`` in a module worker shows the mark.

Only replay has this clock. A recording made by it would not agree either: the times that a page
sends are those of its own readings, and one reading more moves all that follow. What clients make
anew each time is left out of the key by rules instead (D3).
"""

import hashlib
import json
import re
from email.utils import parsedate_to_datetime
from enum import Enum, StrEnum, auto

import msgspec

from envsvc.cassette.stored import Entry
from envsvc.exchange.message import Request, header

# As the script writes it: classic or module, and a token that makes two workers differ.
_MARK = re.compile(r"[?&]__worker=(?P<kind>[cm])(?P<token>[0-9a-f]{8})$")
_FRAMES = frozenset({"document", "iframe", "frame", "object", "embed", "fencedframe"})
_WORKERS = frozenset({"worker", "sharedworker"})
# What the script puts in a possible order before its first reading takes so long.
_LOADING_MS = 10
_SHORTEST_MS = 2
_KEY_LENGTH = 32


class ClockMode(StrEnum):
    """Which time pages see: the recording's, or the real one (their bytes are then unchanged)."""

    FROZEN = "frozen"
    REAL = "real"


class Place(Enum):
    """Where the browser will run what it asks for."""

    DOCUMENT = auto()
    WORKER = auto()
    MODULE_WORKER = auto()


class Settings(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What the script is told; times in milliseconds.

    ``origin`` is when the recorded request began (since the epoch), ``elapsed`` what the clock
    says then. ``modified`` is the recorded Last-Modified. ``key`` lets the script of one document
    know that of another.
    """

    key: str
    seed: str
    origin: float
    elapsed: float
    modified: float | None = None


def unmarked(request: Request) -> Request:
    """Return *request* as the page meant it: without the mark of a worker's address."""
    plain = _MARK.sub("", request.url)
    return request if plain == request.url else msgspec.structs.replace(request, url=plain)


def place_of(request: Request) -> Place | None:
    """Return where the answer to *request* will run; None for anything that reads the bytes.

    Browsers name the destination (Fetch Metadata) to secure origins only; to others a navigation,
    and nothing else, asks to upgrade insecure requests. A prefetched page is navigated to later.
    """
    mark = _MARK.search(request.url)
    if mark is not None:
        return Place.MODULE_WORKER if mark["kind"] == "m" else Place.WORKER
    destination = header(request.headers, "sec-fetch-dest").lower()
    if destination in _WORKERS:
        # What a worker imports is asked with CORS, and runs where the clock already is.
        is_top = header(request.headers, "sec-fetch-mode").lower() == "same-origin"
        return Place.WORKER if is_top else None
    if destination in _FRAMES or _is_navigation(request, destination):
        return Place.DOCUMENT
    return None


def settings(request: Request, entry: Entry, digest: str, recorded_ms: float) -> Settings:
    """Return what the script in the answer *entry* to *request* is told.

    *recorded_ms* is when the recording began, for an entry that does not know its own time.
    """
    mark = _MARK.search(request.url)
    token = f"/{mark['token']}" if mark else ""
    took_ms = (entry.ended_us - entry.started_us) / 1000
    return Settings(
        key=_digest(f"key {digest}"),
        seed=_digest(f"seed {digest} {entry.url}") + token,
        origin=entry.started_us / 1000 or recorded_ms,
        elapsed=max(took_ms, _SHORTEST_MS) + _LOADING_MS,
        modified=_milliseconds(header(entry.headers, "last-modified")),
    )


def script_text(function: str, told: Settings) -> str:
    """Return the script: *function*, an expression, called with what it is *told*."""
    return f"({function})({json.dumps(msgspec.to_builtins(told))});"


def _is_navigation(request: Request, destination: str) -> bool:
    if header(request.headers, "sec-purpose").lower().startswith("prefetch"):
        return "text/html" in header(request.headers, "accept").lower()
    return not destination and header(request.headers, "upgrade-insecure-requests") == "1"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_KEY_LENGTH]


def _milliseconds(date: str) -> float | None:
    try:
        return parsedate_to_datetime(date).timestamp() * 1000
    except (ValueError, OverflowError):
        return None
