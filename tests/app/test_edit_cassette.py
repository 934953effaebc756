"""A sealed cassette gets other rules or other traffic, and its manifest says what follows."""

import msgspec
import pytest

from envsvc.app.edit_cassette import NothingLeftError, with_rules, with_traffic
from envsvc.cassette.manifest import Certificate, Manifest, ProposedRule
from envsvc.cassette.rules import ConflictingRulesError, MatchRule
from envsvc.exchange.message import Failure, Response
from tests.cassette.recordings import exchange, in_order
from tests.contracts.samples import manifest

CACHE = MatchRule(ignore_query=("_",))
PROOF = Certificate(
    replayed_at="2026-01-01T00:00:00Z", requests=4, task_misses=0, outbound_connections=0
)
PROPOSED = {
    "query-_": ProposedRule(rule=CACHE, because="it changes"),
    "query-v": ProposedRule(rule=MatchRule(ignore_query=("v",)), because="it changes"),
}
CERTIFIED: Manifest = msgspec.structs.replace(
    manifest(), certificate=PROOF, proposed_rules=PROPOSED
)
FLOWS = in_order(("GET /flows?_=1", "none"), ("POST /flows x", "ok"), ("GET /flows?_=2", "one"))


def test_rules_stand_in_the_manifest_and_are_proposed_no_more() -> None:
    """D3: the others still are."""
    edited = with_rules(CERTIFIED, FLOWS, {"cache": CACHE})

    assert edited.manifest.match_rules == {"cache": CACHE}
    assert list(edited.manifest.proposed_rules) == ["query-v"]


def test_what_follows_from_the_rules_is_described_anew() -> None:
    """D4: what tells answers of one key apart is read in a review."""
    edited = with_rules(CERTIFIED, FLOWS, {"cache": CACHE})

    assert [key.told_apart_by for key in edited.manifest.several_answers] == [("state",)]


def test_the_certificate_stays_where_all_is_answered_as_before() -> None:
    """D8: what the tours ask was asked again, in order."""
    assert with_rules(CERTIFIED, FLOWS, {"cache": CACHE}).manifest.certificate == PROOF


def test_the_certificate_goes_where_something_is_answered_otherwise() -> None:
    """D8: it was the proof of something else."""
    recorded = [
        exchange("GET /?_=1", "before", 0),
        exchange("POST /x", "ok", 2, lasts_s=3),
        exchange("GET /?_=2", "meanwhile", 3),
        exchange("GET /?_=3", "after", 6),
    ]

    assert with_rules(CERTIFIED, recorded, {}).manifest.certificate == PROOF
    assert with_rules(CERTIFIED, recorded, {"cache": CACHE}).manifest.certificate is None


def test_rules_that_conflict_are_refused() -> None:
    """D3: nothing is written."""
    with pytest.raises(ConflictingRulesError):
        with_rules(CERTIFIED, in_order(("GET /?_=1", "A"), ("GET /?_=2", "B")), {"cache": CACHE})


def test_other_traffic_takes_the_certificate() -> None:
    """D8: the tours were not proven with this."""
    edited = with_traffic(CERTIFIED, FLOWS[1:])

    assert edited.manifest.certificate is None
    assert edited.manifest.recorded_at == "1970-01-01T00:00:01.000000Z"
    assert len(edited.exchanges) == 2


def test_a_cassette_without_traffic_is_refused() -> None:
    """There would be nothing to replay."""
    with pytest.raises(NothingLeftError, match=r"nothing would be left of shop/v1"):
        with_traffic(CERTIFIED, [])


@pytest.mark.parametrize(
    "answer", [Response(status=200, body=b"x"), Failure(kind="dns", message="no such host")]
)
def test_failures_and_turns_are_asked_again_too(answer: Response | Failure) -> None:
    """D8: the proof counts them as it counts answers."""
    turning = msgspec.structs.replace(CERTIFIED, repeat={"shop.test/job": "advance"})
    recorded = in_order(("GET /job", "waiting"), ("GET /job", "done"), ("GET /", answer))

    assert with_rules(turning, recorded, {"cache": CACHE}).manifest.certificate == PROOF
