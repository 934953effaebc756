"""What clients made anew each time is found, and what the app handed out is left alone."""

import msgspec
import pytest

from envsvc.cassette.rules import MatchRule, Rules
from envsvc.exchange.message import Exchange, Failure, Headers, Request, Response, WebSocketMessage
from envsvc.exchange.shape import Shape
from envsvc.record.volatile_requests import propose, propose_for_misses

NO_RULES = Rules({})
JSON: Headers = (("Content-Type", "application/json"),)
START_S = 1_767_355_200  # 2026-01-02T12:00:00Z
UUIDS = ("3f0c9a52-7a55-4c1d-9b1e-0a6f3a1c2d11", "9c0b1d77-2a10-4a2b-8f3e-1f2e3d4c5b6a")


def asked(
    words: str,
    second: float = 0,
    *,
    answer: str = "ok",
    step: str = "1",
    headers: Headers = (),
    answer_headers: Headers = (),
) -> Exchange:
    """Return the exchange of ``GET /path`` or ``POST /path body`` some seconds after the start."""
    method, path, *body = words.split(" ", 2)
    return Exchange(
        started_us=round((START_S + second) * 1_000_000),
        duration_ms=1,
        request=Request(
            method=method, url=f"http://a.test{path}", headers=headers, body="".join(body).encode()
        ),
        answer=Response(status=200, headers=answer_headers, body=answer.encode()),
        tour="full",
        step=step,
    )


def rules_of(*passes: list[Exchange], known: Rules = NO_RULES) -> list[MatchRule]:
    """Return the rules that *passes* propose."""
    return [proposed.rule for proposed in propose(passes, known).values()]


CACHE = MatchRule(ignore_query=("_",), having_query=("_",), where="a.test/x", method="GET")


class TestPasses:
    """D3: two passes over the same tour show what differs by itself."""

    def test_a_value_that_differs_is_proposed(self) -> None:
        """With both values, and why."""
        found = propose([[asked("GET /x?_=aa&q=red")], [asked("GET /x?_=bb&q=red")]], NO_RULES)

        assert {name: one.rule for name, one in found.items()} == {"query-_": CACHE}
        assert found["query-_"].seen == ("aa", "bb")
        assert found["query-_"].because == "it differs between two passes over the same tour"

    def test_what_comes_in_both_is_not(self) -> None:
        """It needs no rule."""
        same = [asked("GET /x?_=aa"), asked("GET /x?_=bb")]

        assert rules_of(same, same[::-1]) == []

    def test_requests_are_paired_by_what_differs_least(self) -> None:
        """Their order within a step proves nothing."""
        first = [asked("GET /x?_=11a&q=red"), asked("GET /x?_=22a&q=blue")]
        second = [asked("GET /x?_=33a&q=blue"), asked("GET /x?_=44a&q=red")]

        assert rules_of(first, second) == [CACHE]

    @pytest.mark.parametrize(
        "other",
        [
            asked("GET /x?_=bb", step="2"),
            asked("POST /x?_=bb"),
            asked("GET /x?_=bb&q=1"),
            msgspec.structs.replace(asked("GET /x?_=bb"), tour="other"),
        ],
    )
    def test_only_requests_of_one_step_and_shape_are_paired(self, other: Exchange) -> None:
        """Others are asked for another reason."""
        assert rules_of([asked("GET /x?_=aa")], [other]) == []

    def test_steps_are_the_same_with_and_without_their_names(self) -> None:
        """The first pass has been labelled when it is sealed."""
        first = asked("GET /x?_=aa", step="1 open the page")

        assert rules_of([first], [asked("GET /x?_=bb")]) == [CACHE]

    @pytest.mark.parametrize(
        "handing_out",
        [
            asked("GET /", answer="<a href='/x?_=aa'>"),
            asked("GET /", answer_headers=(("Location", "/x?_=aa"),)),
            msgspec.structs.replace(
                asked("GET /"),
                messages=(WebSocketMessage(from_client=False, text=True, content=b"aa", t_ms=0),),
            ),
        ],
    )
    def test_what_the_app_handed_out_is_not_proposed(self, handing_out: Exchange) -> None:
        """The replay hands it out again."""
        assert rules_of([handing_out, asked("GET /x?_=aa")], [asked("GET /x?_=bb")]) == []

    def test_what_the_app_said_only_afterwards_came_from_the_client(self) -> None:
        """An echo."""
        first = [asked("GET /x?_=aa", answer="aa"), asked("GET /", answer="aa")]

        assert rules_of(first, [asked("GET /x?_=bb"), asked("GET /")]) == [CACHE]

    def test_credentials_are_not_proposed(self) -> None:
        """Their placeholders are the same in every replay."""
        passes = [[asked(f"GET /x?_=redacted-token-{number}")] for number in (1, 2)]

        assert rules_of(*passes) == []

    def test_what_a_rule_takes_out_is_not_proposed_again(self) -> None:
        """It does not differ any more."""
        known = Rules({"cache": CACHE})

        assert rules_of([asked("GET /x?_=aa")], [asked("GET /x?_=bb")], known=known) == []

    def test_a_failure_hands_nothing_out(self) -> None:
        """It has no answer."""
        failed = msgspec.structs.replace(asked("GET /"), answer=Failure(kind="dns", message="aa"))

        assert rules_of([failed, asked("GET /x?_=aa")], [asked("GET /x?_=bb")]) == [CACHE]

    @pytest.mark.parametrize("passes", [[], [[]], [[], []]])
    def test_nothing_proposes_nothing(self, passes: list[list[Exchange]]) -> None:
        """An empty recording is legal."""
        assert rules_of(*passes) == []


class TestClock:
    """D3: one pass is enough for what reads as the time of its request."""

    def test_a_cache_buster_is_proposed(self) -> None:
        """As jQuery counts on from the clock of the page."""
        first = [
            asked(f"GET /{path}?_={START_S * 1000 + number}", number)
            for number, path in enumerate(("flows", "nodes"))
        ]

        assert rules_of(first) == [
            MatchRule(
                ignore_query=("_",),
                having_query=("_",),
                shape=Shape.TIME,
                where="a.test/*",
                method="GET",
            )
        ]

    def test_a_bare_number_is_too(self) -> None:
        """It is the name of a parameter then."""
        first = [asked(f"GET /x?{(START_S + n) * 1000}", n) for n in (1, 2)]

        assert rules_of(first) == [
            MatchRule(ignore_bare_query=Shape.TIME, where="a.test/x", method="GET")
        ]

    def test_a_stamp_in_a_body_is_too(self) -> None:
        """By its place in the document."""
        first = [
            asked(f'PUT /t/{n} {{"f":{{"at":"2026010212000{n}000"}}}}', n, headers=JSON)
            for n in (1, 2)
        ]

        assert rules_of(first) == [
            MatchRule(ignore_json=("/f/at",), shape=Shape.TIME, where="a.test/t/*", method="PUT")
        ]

    @pytest.mark.parametrize(
        "values",
        [
            [START_S * 1000],
            [START_S * 1000, START_S * 1000],
            [(START_S - 90_000) * 1000, (START_S - 90_001) * 1000],
            [(START_S + 90_000) * 1000, (START_S + 90_001) * 1000],
        ],
        ids=["only once", "always the same", "of yesterday", "of tomorrow"],
    )
    def test_what_does_not_follow_the_clock_is_not(self, values: list[int]) -> None:
        """A date that somebody asks for is a question."""
        assert rules_of([asked(f"GET /x?t={value}") for value in values]) == []

    def test_a_time_that_the_app_told_is_not(self) -> None:
        """It names a version of something."""
        stamps = [(START_S + n) * 1000 for n in (1, 2)]
        told = asked("GET /", answer=" ".join(map(str, stamps)))

        assert rules_of([told, *(asked(f"GET /x?v={stamp}", 9) for stamp in stamps)]) == []

    def test_what_is_no_absolute_url_says_nothing(self) -> None:
        """It has no leaves."""
        odd = msgspec.structs.replace(asked("GET /"), request=Request(method="OPTIONS", url="*"))

        assert rules_of([odd]) == []


class TestMisses:
    """D3: what a session missed may differ from a recorded request in volatile values only."""

    RECORDED = (
        asked(f'POST /q {{"id":"{UUIDS[0]}","q":"red"}}', headers=JSON),
        asked(f'POST /q {{"id":"{UUIDS[0]}","q":"blue"}}', headers=JSON),
    )

    def proposed(self, words: str, *recorded: Exchange) -> list[MatchRule]:
        """Return the rules that a missed request proposes."""
        missed = asked(words, headers=JSON).request
        found = propose_for_misses([missed], recorded or self.RECORDED, NO_RULES)
        return [one.rule for one in found.values()]

    def test_a_rule_is_proposed_with_which_it_would_have_hit(self) -> None:
        """The words that were typed are not among it."""
        assert self.proposed(f'POST /q {{"id":"{UUIDS[1]}","q":"blue"}}') == [
            MatchRule(ignore_json=("/id",), shape=Shape.UUID, where="a.test/q", method="POST")
        ]

    @pytest.mark.parametrize(
        "words",
        [
            f'POST /q {{"id":"{UUIDS[1]}","q":"green"}}',
            'POST /q {"id":"7","q":"red"}',
            f'POST /r {{"id":"{UUIDS[1]}","q":"red"}}',
            f'POST /q {{"id":"{UUIDS[1]}"}}',
        ],
    )
    def test_what_differs_in_anything_else_proposes_nothing(self, words: str) -> None:
        """No closest match, ever: that was another question."""
        assert self.proposed(words) == []

    def test_the_nearest_recorded_request_is_compared(self) -> None:
        """One rule too many is one question less that is told apart."""
        two_differ = asked(f"GET /x?a={UUIDS[0]}&b={UUIDS[0]}")
        one_differs = asked(f"GET /x?a={UUIDS[1]}&b={UUIDS[0]}")

        assert self.proposed(f"GET /x?a={UUIDS[1]}&b={UUIDS[1]}", two_differ, one_differs) == [
            MatchRule(
                ignore_query=("b",),
                having_query=("b",),
                shape=Shape.UUID,
                where="a.test/x",
                method="GET",
            )
        ]

    def test_an_identifier_that_the_app_handed_out_names_a_thing(self) -> None:
        """Another one is another thing, whose answer nobody recorded."""
        listed = asked("GET /", answer=f"{UUIDS[0]} {UUIDS[1]}")

        assert self.proposed(f"GET /x?a={UUIDS[1]}", listed, asked(f"GET /x?a={UUIDS[0]}")) == []

    def test_what_is_no_absolute_url_proposes_nothing(self) -> None:
        """It has no leaves."""
        odd = Request(method="OPTIONS", url="*")

        assert propose_for_misses([odd], self.RECORDED, NO_RULES) == {}
