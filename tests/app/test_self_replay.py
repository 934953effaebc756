"""Self-replay over fakes: what the certificate says."""

from envsvc.app.self_replay import self_replay
from envsvc.cassette.bodies import body_path
from envsvc.cassette.entry import entry_of
from envsvc.cassette.index import Index
from envsvc.cassette.manifest import AmbiguousKey, Certificate, Manifest
from envsvc.exchange.redact import Redactor
from envsvc.playback.explain import Explanation, Reason
from envsvc.playback.outcome import MissClass, MissPolicy
from envsvc.playback.session import MissRecord
from envsvc.ports import Cassette
from tests.app.fakes import INFO, FakeBrowser, FakeReplays, FixedClock, exchange, task

AMBIGUOUS = AmbiguousKey(method="GET", url="http://shop.test/cart", answers=3)


def miss(miss_class: MissClass) -> MissRecord:
    """Return a miss that was asked twice."""
    return MissRecord(
        method="GET",
        url="http://shop.test/x",
        miss_class=miss_class,
        explanation=Explanation(reason=Reason.PATH_NEVER_RECORDED),
        record_command="",
        count=2,
    )


def certificate(browser: FakeBrowser, replays: FakeReplays) -> Certificate:
    """Self-replay a cassette with one entry and one ambiguous key."""
    index = Index()
    index.add(entry_of(exchange(), body_path), exchange().request)
    manifest = Manifest(
        app="shop",
        version="v1",
        recorded_at="",
        virtual_host="shop.test",
        task_hosts=(),
        noise=(),
        tool_schema_version=None,
        answer_table_version=None,
        envsvc_version="",
        browser=INFO,
        tours=(),
        passes=1,
        entries=1,
        body_bytes=0,
        redaction={},
        ambiguous=(AMBIGUOUS,),
    )
    cassette = Cassette(manifest=manifest, index=index, read_body=lambda _: b"")
    return self_replay(
        task(),
        cassette,
        replays=replays,
        browser=browser,
        clock=FixedClock(),
        redactor=Redactor({"password": "swordfish-9"}),
    )


def test_a_tour_that_passes_offline_is_clean() -> None:
    """D8: 0 task misses, 0 outbound connections, every step passed."""
    assert certificate(FakeBrowser(lambda: ""), FakeReplays()).is_clean


def test_a_miss_does_not_end_the_tour() -> None:
    """D6: the session answers misses neutrally, so that all of them are found."""
    replays = FakeReplays()
    certificate(FakeBrowser(lambda: ""), replays)

    assert replays.policy is MissPolicy.ERROR


def test_a_task_miss_is_named() -> None:
    """D8: with its request and how often it was asked."""
    proof = certificate(FakeBrowser(lambda: ""), FakeReplays(miss(MissClass.TASK)))

    assert proof.problems == ("not recorded: GET http://shop.test/x, 2 times",)


def test_a_failed_step_names_the_keys_to_blame() -> None:
    """D4: one of several answers may have been the wrong one."""
    proof = certificate(FakeBrowser(lambda: "no total"), FakeReplays())

    assert proof.problems == (
        "step 1 (step 1): no total",
        "3 different answers: GET http://shop.test/cart",
    )


def test_a_way_out_is_no_proof() -> None:
    """D8: an outbound connection makes it unclean, whatever the steps say."""
    assert not certificate(FakeBrowser(lambda: ""), FakeReplays(outbound=1)).is_clean


def test_misses_of_others_are_no_problem() -> None:
    """D6: third parties and noise have their own counts."""
    proof = certificate(FakeBrowser(lambda: ""), FakeReplays(miss(MissClass.NOISE)))

    assert proof.problems == ()


def test_a_problem_shows_no_credential() -> None:
    """D9: what a step says of a page may quote it."""
    proof = certificate(FakeBrowser(lambda: "saw swordfish-9"), FakeReplays())

    assert "swordfish-9" not in "".join(proof.problems)
