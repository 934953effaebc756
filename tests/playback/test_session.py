"""A session counts every request once and keeps every miss."""

from collections.abc import Callable

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from envsvc.cassette.writes import Turn
from envsvc.exchange.key import CanonicalKey
from envsvc.exchange.message import Request
from envsvc.playback import session as session_module
from envsvc.playback.explain import Explanation, Reason
from envsvc.playback.outcome import MISS_OUTCOMES, MissClass, MissPolicy, Outcome
from envsvc.playback.session import (
    CassetteIdentity,
    LiveRecord,
    MissRecord,
    Session,
    SessionReport,
    Verdict,
    missed_headers,
)

CASSETTE = CassetteIdentity(
    app="shop",
    version="v1",
    digest="ab",
    recorded_at="2026-01-02T03:04:05Z",
    matcher_version=1,
    entries=10,
)
LIVE = LiveRecord(method="GET", url="http://shop.test/x", app_version="v2", status=200)

type Act = Callable[[Session], None]


def missing(url: str = "http://shop.test/x", kind: MissClass = MissClass.TASK) -> MissRecord:
    """Return the record of a miss of *url*."""
    return MissRecord(
        method="GET",
        url=url,
        miss_class=kind,
        explanation=Explanation(reason=Reason.PATH_NEVER_RECORDED),
        record_command="envsvc record",
    )


def report_of(*acts: Act) -> SessionReport:
    """Return the report of a session in which *acts* happened."""
    session = Session("s1", MissPolicy.ERROR)
    for act in acts:
        act(session)
    return session.report(CASSETTE, 0)


def hit(outcome: Outcome = Outcome.EXACT, number: int = 0) -> Act:
    """Return the act of serving entry *number*."""
    return lambda session: session.hit(outcome, number)


def miss(record: MissRecord, *, ends_episode: bool = False) -> Act:
    """Return the act of not finding an answer."""
    return lambda session: session.miss(record, ends_episode=ends_episode)


def go_live(session: Session) -> None:
    """Answer from the live app."""
    session.live(LIVE)


HITS = st.builds(hit, st.sampled_from([o for o in Outcome if "miss" not in o]), st.integers(0, 9))
MISSES = st.builds(
    lambda kind, url, ends: miss(missing(url, kind), ends_episode=ends),
    st.sampled_from(MissClass),
    st.sampled_from(["http://a.test/", "http://b.test/"]),
    st.booleans(),
)
ACTS = st.lists(HITS | MISSES | st.just(go_live), max_size=20)


@given(ACTS)
def test_outcomes_sum_up_to_requests(acts: list[Act]) -> None:
    """D7: every request ends as exactly one outcome, and none is forgotten."""
    report = report_of(*acts)

    assert sum(report.outcomes.values()) == report.requests == len(acts)


@given(ACTS)
def test_misses_sum_up_to_what_was_missed(acts: list[Act]) -> None:
    """S3-11: each miss is kept once with its number, so that none hides behind another."""
    report = report_of(*acts)

    assert sum(m.count for m in report.misses) == sum(
        report.count(outcome) for outcome in MISS_OUTCOMES.values()
    )


@given(ACTS)
def test_used_and_unused_entries_sum_up_to_the_cassette(acts: list[Act]) -> None:
    """S0-16: the report says how much of the recording was never asked for."""
    report = report_of(*acts)

    assert report.entries_used + report.entries_unused == CASSETTE.entries


def test_a_report_names_its_session_and_cassette() -> None:
    """S0-24: a result can be traced to the recording that it came from."""
    report = Session("s1", MissPolicy.STRICT).report(CASSETTE, 3)

    assert (report.session, report.policy, report.outbound_connections) == ("s1", "strict", 3)
    assert (report.app, report.version, report.cassette_digest) == ("shop", "v1", "ab")
    assert (report.recorded_at, report.matcher_version) == ("2026-01-02T03:04:05Z", 1)


def test_an_entry_that_is_served_twice_is_used_once() -> None:
    """S0-16: requests count, entries are a set."""
    report = report_of(hit(number=3), hit(number=3), hit(number=4))

    assert (report.requests, report.entries_used) == (3, 2)


def test_what_did_not_happen_counts_zero() -> None:
    """D7: every outcome has a number."""
    assert report_of(hit()).count(Outcome.MISS_TASK) == 0


def test_the_same_miss_is_kept_once_with_its_number() -> None:
    """S0-12: a loop of an agent is one line, not a thousand."""
    report = report_of(miss(missing()), miss(missing()), miss(missing("http://shop.test/y")))

    assert [(m.url, m.count) for m in report.misses] == [
        ("http://shop.test/x", 2),
        ("http://shop.test/y", 1),
    ]


def test_misses_with_different_bodies_are_different() -> None:
    """S0-12: one address may be asked many questions, and each is recorded by itself."""
    bodies = [msgspec.structs.replace(missing(), body=body) for body in (b"1", b"2", b"1")]
    report = report_of(*map(miss, bodies))

    assert [(m.body, m.count) for m in report.misses] == [(b"1", 2), (b"2", 1)]


def test_a_miss_keeps_no_header_that_identifies_anyone() -> None:
    """S3-10: what asking again needs, and neither cookies nor tokens."""
    headers = (("Accept", "text/html"), ("Cookie", "a=1"), ("CONTENT-TYPE", "text/plain"))
    request = Request(method="GET", url="http://shop.test/", headers=headers)

    assert missed_headers(request) == (("Accept", "text/html"), ("CONTENT-TYPE", "text/plain"))


def test_misses_beyond_the_bound_are_counted_but_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """An agent that makes up addresses must not fill the memory (bound lowered here)."""
    monkeypatch.setattr(session_module, "MAX_KEPT_MISSES", 2)
    report = report_of(*(miss(missing(f"http://shop.test/{n}")) for n in (1, 2, 3, 2)))

    assert [(m.url, m.count) for m in report.misses] == [
        ("http://shop.test/1", 1),
        ("http://shop.test/2", 2),
    ]
    assert report.count(Outcome.MISS_TASK) == 4


def test_a_report_does_not_change_afterwards() -> None:
    """It is a value; what happens later is in the next one."""
    session = Session("s1", MissPolicy.ERROR)
    miss(missing())(session)
    report = session.report(CASSETTE, 0)
    before = msgspec.json.encode(report)
    miss(missing())(session)

    assert msgspec.json.encode(report) == before


@pytest.mark.parametrize(
    ("acts", "verdict"),
    [
        ([], Verdict.REPLAYED),
        ([hit()], Verdict.REPLAYED),
        ([miss(missing())], Verdict.REPLAYED),
        ([miss(missing(), ends_episode=True)], Verdict.UNREPLAYABLE),
        ([miss(missing(), ends_episode=True), miss(missing())], Verdict.UNREPLAYABLE),
        ([hit(), go_live], Verdict.MIXED),
        ([go_live, miss(missing(), ends_episode=True)], Verdict.UNREPLAYABLE),
    ],
)
def test_the_verdict_says_what_the_result_is_good_for(acts: list[Act], verdict: Verdict) -> None:
    """S0-10, S0-11, S3-18: a strict miss ends the episode; a live answer makes it mixed."""
    assert report_of(*acts).verdict is verdict


def test_every_live_answer_is_listed_with_its_version() -> None:
    """S3-22: fallback only with source and version on record."""
    assert report_of(go_live, go_live).live == (LIVE, LIVE)


def test_a_new_episode_starts_from_nothing() -> None:
    """D5: after a reset the account is that of a new session."""
    session = Session("s1", MissPolicy.ERROR)
    for act in (hit(), miss(missing(), ends_episode=True), go_live):
        act(session)
    session.reset()

    assert session.report(CASSETTE, 0) == Session("s1", MissPolicy.ERROR).report(CASSETTE, 0)


def test_sessions_do_not_see_each_other() -> None:
    """D5: two clients, two accounts."""
    one, other = Session("one", MissPolicy.ERROR), Session("other", MissPolicy.ERROR)
    one.hit(Outcome.EXACT, 1)

    assert other.report(CASSETTE, 0).requests == 0


WRITE = CanonicalKey(b"add")


class TestWrites:
    """D4: what a session has written is its own."""

    def test_a_write_is_counted_and_changes_the_epoch(self) -> None:
        """What was decided before may be decided differently now."""
        session = Session("s1", MissPolicy.ERROR)
        before = session.epoch
        session.wrote(WRITE)

        assert session.made.recorded == {WRITE: 1}
        assert session.epoch != before

    def test_so_does_what_was_said_on_a_socket(self) -> None:
        """It is counted apart, since it mostly changes nothing."""
        session = Session("s1", MissPolicy.ERROR)
        before = session.epoch
        session.told(WRITE)

        assert session.made.said == {WRITE: 1}
        assert session.made.is_empty
        assert session.epoch != before

    def test_an_unrecorded_one_too(self) -> None:
        """Nobody knows what it changed."""
        session = Session("s1", MissPolicy.ERROR)
        before = session.epoch
        session.wrote_unrecorded("http://shop.test/cart?a")

        assert session.made.unrecorded == {"http://shop.test/cart"}
        assert session.epoch != before

    def test_who_waits_for_a_write_hears_of_it(self) -> None:
        """Server pushes wait for it."""
        session, heard = Session("s1", MissPolicy.ERROR), list[CanonicalKey]()
        session.on_write.append(heard.append)
        session.wrote(WRITE)

        assert heard == [WRITE]

    def test_turns_are_counted(self) -> None:
        """D4: ``repeat: advance``."""
        session, turn = Session("s1", MissPolicy.ERROR), Turn(0, frozenset())
        session.took_turn(turn)

        assert session.made.turns[turn] == 1

    def test_a_new_episode_has_written_nothing(self) -> None:
        """D5: reset."""
        session = Session("s1", MissPolicy.ERROR)
        session.wrote(WRITE)
        before = session.epoch
        session.reset()

        assert session.made.is_empty
        assert session.epoch != before

    def test_assumed_states_are_counted_beside_the_outcomes(self) -> None:
        """D4: state_assumed is a flag of a hit."""
        report = report_of(lambda session: session.hit(Outcome.EXACT, 0, is_assumed=True), hit())

        assert (report.requests, report.state_assumed) == (2, 1)


def test_match_rules_are_counted_by_name() -> None:
    """D3: beside the outcomes, since one hit may need several."""
    report = report_of(
        lambda session: session.needed_rules(("cache", "alias")),
        lambda session: session.needed_rules(("cache",)),
        lambda session: session.needed_rules(()),
    )

    assert report.rule_hits == {"cache": 2, "alias": 1}
    assert report.requests == 0


def test_the_entries_that_were_used_are_named() -> None:
    """What no session uses can be trimmed."""
    report = report_of(hit(number=7), hit(number=2), hit(number=7))

    assert report.used == (2, 7)
