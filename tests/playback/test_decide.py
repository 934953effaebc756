"""How a request is answered: by the cassette, by a neutral miss, or live; each case once."""

import msgspec
import pytest

from envsvc.cassette.entry import entry_of
from envsvc.cassette.index import Index
from envsvc.cassette.rules import MatchRule, Rules
from envsvc.cassette.writes import Made
from envsvc.exchange.message import Exchange, Failure, Headers, Request, Response
from envsvc.playback.decide import Decision, Fail, GoLive, Hit, Miss, Synthesize, decide
from envsvc.playback.explain import Reason
from envsvc.playback.noise import MissClassifier
from envsvc.playback.outcome import AmbiguityPolicy, MissClass, MissPolicy, Outcome
from tests.cassette.recordings import after, ask, exchange, in_order, index_of

CLASSIFIER = MissClassifier(["shop.test"], [])
DOWN = Failure(kind="dns", message="no such host")


def request(url: str, method: str = "GET") -> Request:
    """Return a request of the shop."""
    return Request(method=method, url=f"http://shop.test{url}")


def decided(
    asked: Request,
    *recorded: tuple[Request, Response | Failure],
    policy: MissPolicy = MissPolicy.STRICT,
) -> Decision:
    """Decide on *asked* with a cassette of what was *recorded*."""
    index = Index()
    for one, answer in recorded:
        exchange = Exchange(started_us=0, duration_ms=0, request=one, answer=answer)
        index.add(entry_of(exchange, lambda body, _: body.decode()), one)
    return decide(asked, index, CLASSIFIER, policy, made=Made())


HOME = (request("/?a=1&b=2"), Response(status=200, body=b"home"))
OTHER_HOME = (request("/?a=1&b=2"), Response(status=200, body=b"other"))


@pytest.mark.parametrize(
    ("asked", "recorded", "outcome"),
    [
        (request("/?a=1&b=2"), [HOME], Outcome.EXACT),
        (request("/?b=2&a=1"), [HOME], Outcome.CANONICAL),
        (request("/?a=1&b=2"), [HOME, OTHER_HOME], Outcome.AMBIGUOUS),
        (request("/?b=2&a=1"), [HOME, OTHER_HOME], Outcome.AMBIGUOUS),
        (request("/?a=1&b=2", "HEAD"), [HOME], Outcome.DERIVED),
        (request("/?b=2&a=1", "HEAD"), [HOME], Outcome.DERIVED),
        (request("/?a=1&b=2", "HEAD"), [HOME, OTHER_HOME], Outcome.AMBIGUOUS),
        (request("/h", "HEAD"), [(request("/h", "HEAD"), Response(status=200))], Outcome.EXACT),
    ],
)
def test_a_hit_says_by_which_rule(
    asked: Request, recorded: list[tuple[Request, Response]], outcome: Outcome
) -> None:
    """D7: provenance is part of the decision."""
    decision = decided(asked, *recorded)

    assert isinstance(decision, Hit)
    assert decision.outcome is outcome
    assert decision.response is decision.entry.answer


@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_a_host_that_failed_fails_again(method: str) -> None:
    """D8: the failure is replayed as a failure, and is no miss."""
    decision = decided(request("/", method), (request("/"), DOWN))

    assert isinstance(decision, Fail)
    assert decision.entry.answer == DOWN


def test_a_dead_host_fails_for_whatever_it_is_asked() -> None:
    """D8: a beacon with a new body to a host that never answered is no miss."""
    decision = decided(request("/new"), (request("/"), DOWN))

    assert isinstance(decision, Fail)


@pytest.mark.parametrize("policy", MissPolicy)
def test_a_recorded_answer_is_served_under_every_policy(policy: MissPolicy) -> None:
    """S0-02: live is for what was not recorded only."""
    assert isinstance(decided(request("/?a=1&b=2"), HOME, policy=policy), Hit)


@pytest.mark.parametrize(
    ("policy", "url", "expected"),
    [
        (MissPolicy.STRICT, "http://shop.test/x", Miss(MissClass.TASK, ends_episode=True)),
        (MissPolicy.STRICT, "http://cdn.test/x", Miss(MissClass.THIRD_PARTY, ends_episode=True)),
        (MissPolicy.STRICT, "http://a.test/favicon.ico", Miss(MissClass.NOISE, ends_episode=False)),
        (MissPolicy.ERROR, "http://shop.test/x", Miss(MissClass.TASK, ends_episode=False)),
        (MissPolicy.ERROR, "http://a.test/favicon.ico", Miss(MissClass.NOISE, ends_episode=False)),
        (MissPolicy.LIVE, "http://shop.test/x", GoLive(MissClass.TASK)),
        (MissPolicy.LIVE, "http://a.test/favicon.ico", GoLive(MissClass.NOISE)),
    ],
)
def test_the_policy_decides_on_a_miss(policy: MissPolicy, url: str, expected: Decision) -> None:
    """S0-10, S3-12, D6: strict ends the episode, error goes on, live asks the app."""
    assert decided(Request(method="GET", url=url), HOME, policy=policy) == expected


@pytest.mark.parametrize("method", ["HEAD", "POST", "OPTIONS"])
def test_an_empty_cassette_answers_nothing(method: str) -> None:
    """S0-15, D6: the policy holds also when nothing was recorded."""
    assert decided(request("/", method)) == Miss(MissClass.TASK, ends_episode=True)


def test_only_head_is_derived_from_get() -> None:
    """RFC 9110 9.3.2: a POST of a recorded page is another question."""
    assert decided(request("/?a=1&b=2", "POST"), HOME) == Miss(MissClass.TASK, ends_episode=True)


CART = index_of(in_order(("GET /cart", "empty"), ("POST /cart one", "added"), ("GET /cart", "one")))
LOST = after(CART, "POST /cart one", "POST /cart one")


@pytest.mark.parametrize(
    ("policy", "noise", "expected"),
    [
        (MissPolicy.STRICT, (), (MissClass.STATE_UNKNOWN, True)),
        (MissPolicy.ERROR, (), (MissClass.STATE_UNKNOWN, False)),
        (MissPolicy.STRICT, ("shop.test/cart",), (MissClass.NOISE, False)),
    ],
)
def test_a_state_that_was_not_recorded_is_a_miss_of_its_own(
    policy: MissPolicy, noise: tuple[str, ...], expected: tuple[MissClass, bool]
) -> None:
    """D4, D6: state_unknown names the recorded states; noise stays noise."""
    classifier = MissClassifier(("shop.test",), noise)
    decision = decide(ask("GET /cart"), CART, classifier, policy, made=LOST)

    assert isinstance(decision, Miss)
    assert (decision.miss_class, decision.ends_episode) == expected
    assert [len(state) for state in decision.states] == [0, 1]


@pytest.mark.parametrize(
    ("headers", "outcome"),
    [((("Cookie", "sid=1"),), Outcome.CREDENTIALS), ((), Outcome.CREDENTIALS)],
)
def test_credentials_may_have_the_last_word(headers: Headers, outcome: Outcome) -> None:
    """D7: what told the answer from the others is its provenance."""
    index = index_of(
        [
            exchange("GET /me", "out", 0),
            exchange("GET /me", "in", 1, headers=(("Cookie", "sid=1"),)),
        ]
    )
    decision = decide(
        ask("GET /me", headers), index, CLASSIFIER, MissPolicy.STRICT, made=after(index)
    )

    assert isinstance(decision, Hit)
    assert decision.outcome is outcome


def test_ambiguous_answers_may_be_refused() -> None:
    """D4: ``--ambiguity refuse`` makes it a miss."""
    index = index_of(in_order(("GET /", "A"), ("GET /", "B")))
    decision = decide(
        ask("GET /"),
        index,
        CLASSIFIER,
        MissPolicy.STRICT,
        made=after(index),
        ambiguity=AmbiguityPolicy.REFUSE,
    )

    assert decision == Miss(MissClass.TASK, ends_episode=True, reason=Reason.AMBIGUOUS)


def test_turns_are_not_refused() -> None:
    """D4: app.yaml has said how they are told apart."""
    index = index_of(in_order(("GET /", "A"), ("GET /", "B")), Index(advances=lambda _: True))
    decision = decide(
        ask("GET /"),
        index,
        CLASSIFIER,
        MissPolicy.STRICT,
        made=after(index),
        ambiguity=AmbiguityPolicy.REFUSE,
    )

    assert isinstance(decision, Hit)
    assert decision.turn is not None


class TestPreflight:
    """Fetch 4.8: answered because the request that it announces was recorded."""

    ALLOWED = Response(status=200, headers=(("Access-Control-Allow-Origin", "*"),))

    def preflight(self, url: str) -> Request:
        """Return the preflight of a POST to *url*."""
        asks = (("Origin", "http://app.test"), ("Access-Control-Request-Method", "POST"))
        return Request(method="OPTIONS", url=f"http://shop.test{url}", headers=asks)

    def test_of_a_recorded_request(self) -> None:
        """D7: synthesized."""
        decision = decided(self.preflight("/v1"), (request("/v1", "POST"), self.ALLOWED))

        assert isinstance(decision, Synthesize)
        assert decision.entry.number == 0

    @pytest.mark.parametrize("url", ["/v2", "/v1?x"])
    def test_of_any_other_is_a_miss(self, url: str) -> None:
        """D3: no closest match."""
        decision = decided(self.preflight(url), (request("/v1", "POST"), self.ALLOWED))

        assert isinstance(decision, Miss)

    def test_of_one_that_was_refused_is_a_miss(self) -> None:
        """The origin was not allowed."""
        decision = decided(self.preflight("/v1"), (request("/v1", "POST"), Response(status=200)))

        assert isinstance(decision, Miss)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (Response(status=304), Reason.ONLY_304_RECORDED),
        (
            Response(status=206, headers=(("Content-Range", "bytes 4-6/10"),), body=b"456"),
            Reason.INCOMPLETE_ENTITY,
        ),
    ],
)
def test_what_is_not_whole_is_not_served_as_the_whole(answer: Response, reason: Reason) -> None:
    """RFC 9110 15.3.7, 15.4.5: a piece answers who asks for it, nobody else."""
    decision = decided(request("/"), (request("/"), answer))

    assert isinstance(decision, Miss)
    assert decision.reason is reason


@pytest.mark.parametrize(
    ("asked", "outcome", "rules"),
    [
        ("GET /?_=1", Outcome.STATE, ()),
        ("GET /?_=9", Outcome.RULE, ("cache",)),
        ("HEAD /?_=9", Outcome.DERIVED, ("cache",)),
    ],
)
def test_a_hit_that_needed_a_match_rule_says_so(
    asked: str, outcome: Outcome, rules: tuple[str, ...]
) -> None:
    """D3, D7: also where the state had the last word; the rule is the weaker reason."""
    named = Rules({"cache": MatchRule(ignore_query=("_",))})
    index = index_of(
        in_order(("GET /?_=1", "A"), ("POST /x", ""), ("GET /?_=2", "B")), Index(rules=named)
    )
    decision = decide(ask(asked), index, CLASSIFIER, MissPolicy.STRICT, made=Made())

    assert isinstance(decision, Hit)
    assert (decision.outcome, decision.rules) == (outcome, rules)


def part(text: str, held: str) -> tuple[Request, Response]:
    """Return the part of a resource that was recorded as *held*."""
    headers = (("Content-Range", held),)
    return request("/v"), Response(status=206, headers=headers, body=text.encode())


PARTS = (part("01234", "bytes 0-4/10"), part("56789", "bytes 5-9/10"))


@pytest.mark.parametrize(
    ("range_", "number"), [("bytes=0-4", 0), ("bytes=1-2", 0), ("bytes=5-9", 1), ("bytes=6-", 1)]
)
def test_the_part_that_holds_the_range_answers(range_: str, number: int) -> None:
    """D4: a player asks for one part after another, each once."""
    asked = msgspec.structs.replace(request("/v"), headers=(("Range", range_),))

    decision = decided(asked, *PARTS)

    assert isinstance(decision, Hit)
    assert (decision.entry.number, decision.outcome) == (number, Outcome.NEGOTIATED)


@pytest.mark.parametrize("range_", ["bytes=3-6", "bytes=0-9"])
def test_what_no_part_holds_is_a_miss(range_: str) -> None:
    """D4: parts are not put together: nobody knows whether they are of one version."""
    asked = msgspec.structs.replace(request("/v"), headers=(("Range", range_),))

    assert isinstance(decided(asked, *PARTS), Miss)


def test_parts_that_contradict_each_other_stay_ambiguous() -> None:
    """D4: the same range was answered in two ways."""
    asked = msgspec.structs.replace(request("/v"), headers=(("Range", "bytes=0-4"),))

    decision = decided(asked, PARTS[0], part("abcde", "bytes 0-4/10"))

    assert isinstance(decision, Hit)
    assert decision.outcome is Outcome.AMBIGUOUS
