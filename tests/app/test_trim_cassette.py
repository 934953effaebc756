"""Which exchanges of a cassette stay."""

import msgspec
import pytest

from envsvc.app.trim_cassette import Cut, OtherCassetteError, divided, used_entries
from envsvc.playback.outcome import MissPolicy
from envsvc.playback.session import SessionReport, Verdict
from tests.cassette.recordings import in_order
from tests.contracts.samples import manifest

RECORDED = in_order(("GET /a/1", "1"), ("GET /a/2", "2"), ("GET /b", "b"))
SEALED = msgspec.structs.replace(manifest(), digest="ab")
REPORT = SessionReport(
    session="s1",
    app="shop",
    version="v1",
    cassette_digest="ab",
    recorded_at="2026-01-01T00:00:00Z",
    matcher_version=2,
    policy=MissPolicy.STRICT,
    verdict=Verdict.REPLAYED,
    requests=2,
    outcomes={},
    misses=(),
    live=(),
    entries_used=2,
    entries_unused=1,
    outbound_connections=0,
    used=(0, 2),
)


@pytest.mark.parametrize(
    ("cut", "kept"),
    [
        (Cut(), [0, 1, 2]),
        (Cut(keep=("shop.test/a/*",)), [0, 1]),
        (Cut(drop=("shop.test/a/*",)), [2]),
        (Cut(keep=("shop.test/a/*", "*/b"), drop=("*/2",)), [0, 2]),
        (Cut(used=frozenset({0, 1})), [0, 1]),
        (Cut(used=frozenset({0, 1}), drop=("*/1",)), [1]),
        (Cut(used=frozenset()), []),
    ],
)
def test_an_exchange_stays_if_nothing_speaks_against_it(cut: Cut, kept: list[int]) -> None:
    """Every exchange is on one side, in recorded order."""
    parts = divided(RECORDED, cut)

    assert parts.kept == [RECORDED[number] for number in kept]
    assert len(parts.kept) + len(parts.dropped) == len(RECORDED)


def test_what_any_session_used_is_used() -> None:
    """An entry goes only if nobody needs it."""
    other = msgspec.structs.replace(REPORT, used=(1, 2))

    assert used_entries([REPORT, other], SEALED) == {0, 1, 2}


@pytest.mark.parametrize(
    ("change", "problem"),
    [({"cassette_digest": "cd"}, "was answered from cassette cd"), ({"used": ()}, "does not name")],
)
def test_a_report_that_proves_nothing_here_is_refused(
    change: dict[str, object], problem: str
) -> None:
    """Numbers of another cassette name other exchanges."""
    with pytest.raises(OtherCassetteError, match=problem):
        used_entries([msgspec.structs.replace(REPORT, **change)], SEALED)
