"""Runs for a report, made up as a test states them."""

import struct
import zlib

from envsvc.adapters.html_report.runs import Run, Screenshot
from envsvc.answers.table import AnswerTable, Row, View, score
from envsvc.cassette.manifest import (
    AmbiguousKey,
    BrowserInfo,
    Certificate,
    Dropped,
    Manifest,
    TourRecord,
)
from envsvc.playback.explain import Difference, Explanation, Nearest, Reason
from envsvc.playback.outcome import MissClass, MissPolicy, Outcome
from envsvc.playback.session import LiveRecord, MissRecord, SessionReport, Verdict

DIGEST = "ab" * 32
ATTACK = "<script>alert('&')</script>"
NOW_US = 1_767_225_600_000_000  # 2026-01-01
TABLE = AnswerTable(
    app="shop",
    version="v1",
    cut_off="2026-01-01",
    rows=(
        Row(id="total", page="p03", view="default", kind="wrong_total", description="Bad total"),
        Row(id="order", page="p05", view="sorted", kind="order", description="Not in order"),
    ),
)


def miss(url: str, kind: MissClass = MissClass.TASK, count: int = 1) -> MissRecord:
    """Return a miss that differs in its query."""
    difference = Difference(field="query sort", asked="price", recorded="")
    near = Nearest(method="GET", url="http://shop.test/near", differences=(difference,))
    return MissRecord(
        method="GET",
        url=url,
        miss_class=kind,
        explanation=Explanation(reason=Reason.QUERY_DIFFERS, nearest=(near,)),
        record_command="envsvc record --app shop/v1 --from-misses session.json",
        count=count,
    )


def session(
    name: str = "one",
    *,
    outcomes: dict[Outcome, int] | None = None,
    misses: tuple[MissRecord, ...] = (),
    live: tuple[LiveRecord, ...] = (),
    digest: str = DIGEST,
) -> SessionReport:
    """Return the account of a session."""
    counted = outcomes or {Outcome.EXACT: 41, Outcome.CANONICAL: 7}
    return SessionReport(
        session=name,
        app="shop",
        version="v1",
        cassette_digest=digest,
        recorded_at="2026-01-01T00:00:00Z",
        matcher_version=1,
        policy=MissPolicy.ERROR,
        verdict=Verdict.MIXED if live else Verdict.REPLAYED,
        requests=sum(counted.values()),
        outcomes=counted,
        misses=misses,
        live=live,
        entries_used=20,
        entries_unused=8,
        outbound_connections=0,
    )


def manifest(
    *,
    certificate: Certificate | None = None,
    ambiguous: tuple[AmbiguousKey, ...] = (),
    dropped: tuple[Dropped, ...] = (),
    build: str = "chromium 140.1",
) -> Manifest:
    """Return the manifest of the cassette that answered."""
    return Manifest(
        app="shop",
        version="v1",
        recorded_at="2025-12-31T23:00:00Z",
        virtual_host="shop.test",
        task_hosts=("shop.test",),
        noise=(),
        tool_schema_version=None,
        answer_table_version="v1@2026-01-01",
        envsvc_version="0.1.0",
        browser=BrowserInfo(build=build, locale="nb-NO", timezone="UTC", viewport=(1280, 900)),
        tours=(TourRecord(name="default-views", sha256=DIGEST, steps=38),),
        passes=1,
        entries=79,
        body_bytes=38306,
        redaction={"secret.cookie": 17},
        ambiguous=ambiguous,
        dropped=dropped,
        certificate=certificate,
        digest=DIGEST,
    )


def scored(name: str, *found: View, misses: int = 0) -> Run:
    """Return a run that reported *found*, with so many misses of the task."""
    outcomes = {Outcome.EXACT: 30, Outcome.MISS_TASK: misses}
    report = session(name, outcomes=outcomes)
    return Run(report=report, table=TABLE, score=score(TABLE, found))


def screenshot(caption: str = "p03 default") -> Screenshot:
    """Return a PNG of one pixel."""

    def chunk(kind: bytes, content: bytes) -> bytes:
        checksum = zlib.crc32(kind + content)
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", checksum)

    head = chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0))
    pixel = chunk(b"IDAT", zlib.compress(b"\0\0"))
    return Screenshot(
        caption=caption, png=b"\x89PNG\r\n\x1a\n" + head + pixel + chunk(b"IEND", b"")
    )
