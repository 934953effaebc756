"""The index finds a recorded answer by what a request means, and never a merely similar one."""

import pytest

from envsvc.cassette.entry import entry_of
from envsvc.cassette.index import Found, Index, Level
from envsvc.cassette.rules import MatchRule, Rules
from envsvc.cassette.stored import Entry, StoredResponse, last_good
from envsvc.cassette.variants import StateUnknown
from envsvc.exchange.message import (
    Exchange,
    Failure,
    Headers,
    Request,
    Response,
)
from tests.cassette import recordings

DOWN = Failure(kind="connect", message="refused")
FORM: Headers = (("Content-Type", "application/x-www-form-urlencoded"),)


def get(url: str) -> Request:
    """Return a plain request of a path of the shop."""
    return Request(method="GET", url=f"http://shop.test{url}")


def answer(body: str, status: int = 200, headers: Headers = ()) -> Response:
    """Return an answer of *body*."""
    return Response(status=status, headers=headers, body=body.encode())


def index_of(*recorded: tuple[Request, Response | Failure]) -> Index:
    """Return the index of a recording; a body's path is its text."""
    index = Index()
    for request, answered in recorded:
        exchange = Exchange(started_us=0, duration_ms=0, request=request, answer=answered)
        index.add(entry_of(exchange, lambda body, _: body.decode()), request)
    return index


def served(index: Index, request: Request) -> str:
    """Return the body that *index* answers *request* with, or how else it ends."""
    found = index.find(request)
    if not isinstance(found, Found):
        return "nothing"
    stored = found.entry.answer
    return stored.kind if isinstance(stored, Failure) else stored.body_path


def test_the_same_request_is_found_exactly() -> None:
    """D3: method, URL text and body bytes are equal."""
    found = index_of((get("/a?x=1"), answer("A"))).find(get("/a?x=1"))

    assert isinstance(found, Found)
    assert (found.level, found.is_ambiguous, found.entry.number) == (Level.EXACT, False, 0)


def test_another_spelling_is_found_by_meaning() -> None:
    """D3, S3-06: a reordered parameter is no miss."""
    found = index_of((get("/s?b=2&a=1"), answer("one"))).find(get("/s?a=1&b=2"))

    assert isinstance(found, Found)
    assert found.level is Level.CANONICAL


@pytest.mark.parametrize("url", ["/list?id=2", "/list", "/list?id=1&id=1", "/List?id=1"])
def test_a_similar_request_finds_nothing(url: str) -> None:
    """D3: no closest match, ever; a wrong answer is worse than a miss."""
    assert index_of((get("/list?id=1"), answer("1"))).find(get(url)) is None


def test_an_empty_index_finds_nothing() -> None:
    """S0-15: an empty recording is legal."""
    assert Index().find(get("/")) is None


def test_the_order_of_asking_does_not_matter() -> None:
    """S0-07: asked twice, and in any order, the same answers come."""
    index = index_of((get("/a"), answer("A")), (get("/b"), answer("B")))

    assert [served(index, get(url)) for url in ("/b", "/a", "/b", "/a")] == ["B", "A", "B", "A"]


def test_bodies_decide_between_requests_of_one_url() -> None:
    """D3: one URL may answer many questions."""
    asked = [Request(method="POST", url="http://a.test/", body=q) for q in (b"1", b"2")]
    index = index_of((asked[0], answer("one")), (asked[1], answer("two")))

    assert [served(index, request) for request in asked] == ["one", "two"]


@pytest.mark.parametrize(
    ("one", "other", "is_ambiguous"),
    [
        (answer("A"), answer("A"), False),
        (answer("A"), answer("A", headers=(("Date", "later"),)), False),
        (answer("A"), answer("B"), True),
        (answer("A"), answer("A", 201), True),
        (
            answer("", 302, headers=(("Location", "/a"),)),
            answer("", 302, headers=(("location", "/b"),)),
            True,
        ),
        (DOWN, Failure(kind="connect", message="refused again"), False),
        (DOWN, Failure(kind="dns", message="no such host"), True),
        (DOWN, answer("A"), True),
    ],
)
def test_a_key_with_different_answers_is_ambiguous(
    one: Response | Failure, other: Response | Failure, *, is_ambiguous: bool
) -> None:
    """D4, S3-06: status, body and target of a redirect tell answers apart; the date does not."""
    index = index_of((get("/"), one), (get("/"), other))
    found = index.find(get("/"))

    assert isinstance(found, Found)
    assert found.is_ambiguous is is_ambiguous
    assert len(list(index.several())) == is_ambiguous


def test_spellings_with_different_answers_count_only_exactly() -> None:
    """D3: an app that reads something into the order of parameters is taken at its word."""
    index = index_of((get("/s?b=2&a=1"), answer("one")), (get("/s?a=1&b=2"), answer("two")))

    assert served(index, get("/s?b=2&a=1")) == "one"
    assert served(index, get("/s?a=1&b=2")) == "two"
    assert served(index, get("/s?a=1&b=2&")) == "nothing"
    assert served(index, get("/s?%61=1&b=2")) == "nothing"


def test_spellings_with_one_answer_count_by_meaning() -> None:
    """D3: the app did not care, so a third spelling is answered as well."""
    index = index_of((get("/s?b=2&a=1"), answer("one")), (get("/s?a=1&b=2"), answer("one")))

    assert served(index, get("/s?%61=1&b=2")) == "one"


def test_ambiguous_answers_of_one_spelling_are_served_to_others() -> None:
    """D4: there the spelling did not decide; the last good answer stands for all."""
    index = index_of((get("/s?b=2&a=1"), answer("one")), (get("/s?b=2&a=1"), answer("two")))

    assert served(index, get("/s?a=1&b=2")) == "two"


def test_a_request_with_a_body_is_kept_whole() -> None:
    """An explanation of a miss shows what was recorded."""
    request = Request(method="POST", url="http://a.test/", headers=FORM, body=b"a=1")

    assert index_of((request, answer("A"))).request(0) == request


def test_a_request_without_a_body_is_method_and_url() -> None:
    """Its headers decide nothing, so ten thousand of them are not kept."""
    request = Request(method="GET", url="http://a.test/", headers=(("Accept", "*/*"),))

    assert index_of((request, answer("A"))).request(0) == Request(
        method="GET", url="http://a.test/"
    )


def test_a_stored_response_is_what_was_recorded() -> None:
    """Status, headers and stream facts are kept; the body stays in its file."""
    index = index_of((get("/"), answer("A", 203, headers=(("X", "y"),))))

    assert index.entries == [
        Entry(
            number=0,
            method="GET",
            url="http://shop.test/",
            answer=StoredResponse(
                status=203, reason="", headers=(("X", "y"),), body_path="A", body_size=1
            ),
        )
    ]


def test_an_empty_response_has_no_body_file() -> None:
    """A 204 is not read from the disk."""
    stored = index_of((get("/"), answer("", 204))).entries[0].answer

    assert isinstance(stored, StoredResponse)
    assert (stored.body_path, stored.body_size) == ("", 0)


def test_of_equally_good_answers_the_last_is_taken() -> None:
    """D4: in recorded order, however they are listed."""
    entries = index_of((get("/"), answer("A")), (get("/"), answer("B"))).entries

    assert last_good(entries[::-1]).number == 1


@pytest.mark.parametrize(
    ("host", "is_dead"), [("cdn.test", True), ("shop.test", False), ("never.test", False)]
)
def test_a_host_that_never_answered_is_unreachable(host: str, *, is_dead: bool) -> None:
    """D8: a host that cannot be reached is a fact about the host; one answer disproves it."""
    dead = Request(method="GET", url="http://CDN.test/x.js")
    index = index_of((dead, DOWN), (get("/slow"), DOWN), (get("/"), answer("home")))

    assert (index.unreachable(host) is not None) is is_dead


def test_a_url_without_a_host_says_nothing_about_hosts() -> None:
    """D3: what cannot be parsed is keyed by its bytes only."""
    index = index_of((Request(method="GET", url="nonsense"), DOWN))

    assert index.unreachable("") is None


class TestStates:
    """D4: what a session has written narrows the answers; see test_variants."""

    INDEX = recordings.index_of(
        recordings.in_order(
            ("GET /cart", "empty"),
            ("POST /cart one", "added"),
            ("GET /cart", "one"),
            ("GET /help", "help"),
        )
    )

    def test_a_write_tells_its_key(self) -> None:
        """A session counts by it."""
        hit = recordings.found(self.INDEX, recordings.ask("POST /cart one"))

        assert hit.write == self.INDEX.key(1)

    def test_a_read_is_no_write(self) -> None:
        """RFC 9110 9.2.1."""
        assert recordings.found(self.INDEX, recordings.ask("GET /help")).write is None

    def test_a_failure_is_no_write(self) -> None:
        """Nobody took it."""
        failed = [recordings.exchange("POST /cart one", DOWN, 0)]

        hit = recordings.found(recordings.index_of(failed), recordings.ask("POST /cart one"))
        assert hit.write is None

    def test_a_state_that_was_not_recorded_is_unknown(self) -> None:
        """Its recorded states are given."""
        made = recordings.after(self.INDEX, "POST /cart one", "POST /cart one")
        unknown = self.INDEX.find(recordings.ask("GET /cart"), made)

        assert isinstance(unknown, StateUnknown)
        assert [self.INDEX.writes(state) for state in unknown.recorded] == [
            [],
            ["POST http://shop.test/cart one"],
        ]

    def test_all_answers_of_a_request_can_be_had(self) -> None:
        """For people who ask why."""
        variants = self.INDEX.variants(recordings.ask("GET /cart"))

        assert variants is not None
        assert len(variants.entries) == 2
        assert self.INDEX.variants(recordings.ask("GET /never")) is None

    def test_only_keys_whose_answers_differ_have_several(self) -> None:
        """Being asked twice is not enough."""
        index = recordings.index_of(
            recordings.in_order(("GET /", "A"), ("GET /", "A"), ("GET /b", "B"))
        )

        assert list(index.several()) == []

    def test_what_was_written_between_two_entries(self) -> None:
        """It may have taken effect."""
        first, _, third, fourth = self.INDEX.entries

        assert self.INDEX.wrote_between(first, third)
        assert not self.INDEX.wrote_between(third, fourth)

    def test_a_spelling_that_decides_keeps_its_own_answers(self) -> None:
        """D3: two spellings that are answered differently are two keys."""
        index = recordings.index_of(
            recordings.in_order(("GET /s?b=2&a=1", "one"), ("GET /s?a=1&b=2", "two"))
        )

        assert recordings.served(index, recordings.ask("GET /s?b=2&a=1")) == "one"
        assert recordings.served(index, recordings.ask("GET /s?a=1&b=2")) == "two"

    @pytest.mark.parametrize(
        ("headers", "shown"),
        [((), " one"), ((("Content-Type", "multipart/form-data; boundary=b"),), "")],
    )
    def test_writes_are_shown_with_their_body(self, headers: Headers, shown: str) -> None:
        """Unless it is no text."""
        index = recordings.index_of(
            [
                recordings.exchange("POST /cart one", "ok", 0, headers=headers),
                recordings.exchange("POST /like", "ok", 1),
                recordings.exchange(f"POST /long {'x' * 99}", "ok", 2),
            ]
        )
        state = frozenset({(index.key(0), 2), (index.key(1), 1), (index.key(2), 1)})

        assert index.writes(state) == [
            f"POST http://shop.test/cart{shown}, 2 times",
            "POST http://shop.test/like",
            f"POST http://shop.test/long {'x' * 60}…",
        ]

    def test_the_sockets_of_a_key_begin_with_the_one_that_was_found(self) -> None:
        """What it does not know, the others may."""
        index = recordings.index_of(
            [
                recordings.exchange("GET /ws", answer("", 101), 0),
                recordings.exchange("GET /ws", answer("", 101), 1),
            ]
        )

        assert index.scripts(index.entries[1]) == [(), ()]

    def test_a_socket_is_answered_at_its_handshake(self) -> None:
        """D4: however long it stays open, it overlaps nothing."""
        index = recordings.index_of([recordings.exchange("GET /ws", answer("", 101), 0)])

        assert index.entries[0].ended_us == 0

    def test_what_vary_names_is_kept_of_a_request(self) -> None:
        """D4: it may have been negotiated."""
        sent = (("X-Kind", "a"), ("User-Agent", "x"), ("Accept", "*/*"))
        varies = answer("", headers=(("Vary", "X-Kind"),))
        index = recordings.index_of([recordings.exchange("GET /", varies, 0, headers=sent)])

        assert index.entries[0].witness == (("X-Kind", "a"), ("Accept", "*/*"))


class TestRules:
    """D3: the third level; see test_index_rules for what follows from it."""

    RULES = Rules({"cache": MatchRule(ignore_query=("_",))})

    def index(self, *recorded: tuple[str, str]) -> Index:
        """Return the index of what was recorded, under a rule."""
        return recordings.index_of(recordings.in_order(*recorded), Index(rules=self.RULES))

    def test_a_rule_finds_what_differs_in_its_part(self) -> None:
        """It is named in what was found."""
        hit = recordings.found(self.index(("GET /?_=1", "A")), recordings.ask("GET /?_=2"))

        assert (hit.level, hit.rules) == (Level.RULE, ("cache",))

    def test_answers_of_one_rule_are_several_answers_of_one_key(self) -> None:
        """D4: told apart by what was written."""
        index = self.index(("GET /?_=1", "A"), ("POST /x", ""), ("GET /?_=2", "B"), ("GET /b", ""))

        assert [len(variants.entries) for variants in index.several()] == [2]
        assert recordings.served(index, recordings.ask("GET /?_=3")) == "A"
        made = recordings.after(index, "POST /x")
        assert recordings.served(index, recordings.ask("GET /?_=1"), made) == "B"
        assert list(index.conflicts()) == []

    def test_a_rule_that_alone_tells_answers_apart_is_a_conflict(self) -> None:
        """D3: it does not hold there, and both requests are named."""
        index = self.index(("GET /?_=1", "A"), ("GET /?_=2", "B"))

        assert [(c.rules, c.first, c.second) for c in index.conflicts()] == [
            (("cache",), "GET http://shop.test/?_=1", "GET http://shop.test/?_=2")
        ]
        assert recordings.served(index, recordings.ask("GET /?_=3")) == "nothing"
        assert recordings.served(index, recordings.ask("GET /?_=2")) == "B"

    def test_what_each_meaning_was_answered_both_ways_is_no_conflict(self) -> None:
        """The rule has no part in it."""
        both = [("GET /?_=1", "A"), ("GET /?_=1", "B"), ("GET /?_=2", "A"), ("GET /?_=2", "B")]

        assert list(self.index(*both).conflicts()) == []

    def test_what_is_ambiguous_without_a_rule_is_no_conflict(self) -> None:
        """No rule has a part in it."""
        assert list(self.index(("GET /", "A"), ("GET /", "B")).conflicts()) == []

    def test_the_key_of_a_request_leaves_out_what_rules_take_out(self) -> None:
        """Recorded or not."""
        index = self.index(("GET /?_=1", "A"))

        assert index.key_for(recordings.ask("GET /?_=2")) == index.key(0)
        assert index.key_for(recordings.ask("GET /b")) != index.key(0)


def test_whatever_was_sent_a_place_knows_its_last_answer() -> None:
    """A preflight has no body, and the request that it announces may have any."""
    index = recordings.index_of(
        recordings.in_order(("POST /v1 one", "first"), ("POST /v1 two", "last"), ("PUT /v1", DOWN))
    )
    last = index.answered("POST", "http://shop.test:80/v1")

    assert last is not None
    assert last.number == 1
    assert index.answered("PUT", "http://shop.test/v1") is None
    assert index.answered("POST", "http://shop.test/v2") is None
