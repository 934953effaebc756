"""Which of several recorded answers a session gets (D4)."""

import pytest

from envsvc.cassette.index import Index
from envsvc.cassette.variants import Selector
from envsvc.cassette.writes import Made
from envsvc.exchange.message import Headers
from tests.cassette.recordings import (
    SHOP,
    after,
    ask,
    exchange,
    found,
    in_order,
    index_of,
    say,
    served,
)

ALICE: Headers = (("Cookie", "session=alice"),)
BOB: Headers = (("Cookie", "session=bob"),)
ADD_ONE, ADD_TWO = "POST /cart one", "POST /cart two"
CART = index_of(
    in_order(
        ("GET /cart", "empty"),
        (ADD_ONE, "added"),
        ("GET /cart", "one"),
        (ADD_TWO, "added"),
        ("GET /cart", "one and two"),
        ("GET /help", "help"),
    )
)


@pytest.mark.parametrize(
    ("writes", "answer"),
    [
        ([], "empty"),
        ([ADD_ONE], "one"),
        ([ADD_ONE, ADD_TWO], "one and two"),
        ([ADD_TWO, ADD_ONE], "one and two"),
        ([ADD_TWO], "state unknown"),
        ([ADD_ONE, ADD_ONE], "state unknown"),
        ([ADD_ONE, "POST /cart three"], "state unknown"),
        (["POST /elsewhere"], "empty"),
    ],
)
def test_the_answer_follows_the_writes_of_the_session(writes: list[str], answer: str) -> None:
    """D4: the multiset of relevant writes decides, never their order nor that of reads."""
    assert served(CART, ask("GET /cart"), after(CART, *writes)) == answer


def test_asking_again_does_not_change_the_answer() -> None:
    """S0-07: no answer is used up."""
    made = after(CART, ADD_ONE)

    assert [served(CART, ask("GET /cart"), made) for _ in range(3)] == ["one"] * 3


def test_an_answer_by_state_says_so() -> None:
    """D7: the rule that decided is known."""
    assert found(CART, ask("GET /cart")).selector is Selector.STATE


def test_the_states_of_an_unknown_one_are_named() -> None:
    """D4: a miss of kind state_unknown names the recorded states."""
    unknown = CART.find(ask("GET /cart"), after(CART, ADD_TWO))

    states = [CART.writes(state) for state in getattr(unknown, "recorded", ())]
    assert states == [
        [],
        [f"POST {SHOP}/cart one"],
        [f"POST {SHOP}/cart one", f"POST {SHOP}/cart two"],
    ]


def test_a_key_with_one_answer_is_served_in_every_state() -> None:
    """D4: nothing says that it depends on what was written."""
    assert served(CART, ask("GET /help"), after(CART, ADD_TWO, ADD_TWO)) == "help"


@pytest.mark.parametrize(
    ("request_words", "writes", "is_assumed"),
    [
        ("GET /help", [], False),
        ("GET /help", [ADD_ONE], False),
        ("GET /start", [ADD_ONE], True),
        ("GET /start", [], False),
        ("GET /help", ["POST /elsewhere"], True),
        ("GET /cart", ["POST /elsewhere"], True),
    ],
)
def test_what_was_not_seen_after_a_write_is_assumed(
    request_words: str, writes: list[str], *, is_assumed: bool
) -> None:
    """D4: state_assumed flags a hit after writes that its key was never observed after."""
    index = index_of(
        in_order(
            ("GET /start", "start"),
            ("GET /cart", "empty"),
            (ADD_ONE, "added"),
            ("GET /cart", "one"),
            ("GET /help", "help"),
        )
    )

    assert found(index, ask(request_words), after(index, *writes)).is_assumed is is_assumed


def test_a_write_can_depend_on_itself() -> None:
    """D4: adding the same item twice can answer differently."""
    index = index_of(in_order((ADD_ONE, "one item"), (ADD_ONE, "two items")))

    first, second = after(index), after(index, ADD_ONE)
    assert served(index, ask(ADD_ONE), first) == "one item"
    assert served(index, ask(ADD_ONE), second) == "two items"


def test_a_write_seen_between_equal_answers_does_not_matter() -> None:
    """D4: it was made and nothing changed."""
    index = index_of(
        in_order(
            ("GET /cart", "empty"),
            ("POST /like", "liked"),
            ("GET /cart", "empty"),
            ("POST /like", "liked"),
            (ADD_ONE, "added"),
            ("GET /cart", "one"),
        )
    )

    assert served(index, ask("GET /cart"), after(index, "POST /like", "POST /like")) == "empty"
    assert served(index, ask("GET /cart"), after(index, ADD_ONE)) == "one"


class TestSuspects:
    """D4: several writes may have caused one change."""

    INDEX = index_of(
        in_order(
            ("GET /cart", "empty"),
            (ADD_ONE, "added"),
            ("POST /beacon", ""),
            ("GET /cart", "one"),
        )
    )

    def test_all_of_them_together_are_the_recorded_state(self) -> None:
        """That state was seen."""
        hit = found(self.INDEX, ask("GET /cart"), after(self.INDEX, ADD_ONE, "POST /beacon"))

        assert (hit.entry.number, hit.is_assumed) == (3, False)

    def test_some_of_them_are_assumed_to_be_the_cause(self) -> None:
        """The only variant that they explain is served, and flagged."""
        hit = found(self.INDEX, ask("GET /cart"), after(self.INDEX, ADD_ONE))

        assert (hit.entry.number, hit.is_assumed) == (3, True)

    def test_not_if_they_explain_several_variants(self) -> None:
        """Then nobody knows."""
        index = index_of(
            in_order(
                ("GET /cart", "empty"),
                (ADD_ONE, "added"),
                ("POST /beacon", ""),
                ("GET /cart", "one"),
                (ADD_TWO, "added"),
                ("POST /beacon", ""),
                ("GET /cart", "two"),
            )
        )

        assert served(index, ask("GET /cart"), after(index, "POST /beacon")) == "state unknown"


class TestCredentials:
    """D4: who asks tells answers apart that no write explains."""

    @pytest.mark.parametrize(
        ("headers", "body"),
        [(ALICE, "alice"), (BOB, "bob"), ((), "nobody")],
    )
    def test_everybody_gets_their_own(self, headers: Headers, body: str) -> None:
        """The redacted cookie is the witness."""
        index = index_of(
            in_order(
                exchange("GET /me", "nobody", 0),
                exchange("GET /me", "alice", 0, headers=ALICE),
                exchange("GET /me", "bob", 0, headers=BOB),
            )
        )
        hit = found(index, ask("GET /me", headers))

        assert served(index, ask("GET /me", headers)) == body
        assert hit.selector is Selector.CREDENTIALS

    def test_a_token_of_another_replay_counts_by_its_presence(self) -> None:
        """S0-05: a client that brings credentials of its own is still signed in."""
        index = index_of(
            in_order(
                exchange("GET /me", say("who?", 401), 0),
                exchange("GET /me", "you", 0, headers=(("Authorization", "Bearer x"),)),
            )
        )

        assert served(index, ask("GET /me", (("Authorization", "Bearer y"),))) == "you"
        assert served(index, ask("GET /me")) == "who?"

    def test_a_stranger_among_strangers_is_ambiguous(self) -> None:
        """D4: else the last good answer, flagged."""
        index = index_of(
            in_order(
                exchange("GET /me", "alice", 0, headers=ALICE),
                exchange("GET /me", "bob", 0, headers=BOB),
            )
        )
        hit = found(index, ask("GET /me", (("Cookie", "session=carol"),)))

        assert hit.is_ambiguous

    def test_a_cookie_that_came_with_a_write_speaks_for_itself(self) -> None:
        """D4: a session that made no write, but has the cookie, made one of the suspects."""
        index = index_of(
            in_order(
                exchange("GET /sale", "no cookie", 0),
                exchange("POST /like", "liked", 0),
                exchange("GET /sale", "cookie", 0, headers=(("Cookie", "sale=1"),)),
            )
        )
        hit = found(index, ask("GET /sale", (("Cookie", "sale=1"),)))

        assert (hit.entry.number, hit.selector, hit.is_assumed) == (2, Selector.CREDENTIALS, True)

    def test_a_write_without_its_cookie_is_flagged(self) -> None:
        """D4: what the session wrote is the better witness, but not a sure one."""
        index = index_of(
            in_order(
                exchange("GET /sale", "no cookie", 0),
                exchange("POST /like", "liked", 0),
                exchange("GET /sale", "cookie", 0, headers=(("Cookie", "sale=1"),)),
            )
        )
        hit = found(index, ask("GET /sale"), after(index, "POST /like"))

        assert (hit.entry.number, hit.is_assumed) == (2, True)


def test_another_representation_accuses_no_write() -> None:
    """D4: a script and a page ask the same URL, each for its own media type, around a write."""
    asks_json, asks_html = (("Accept", "application/json"),), (("Accept", "text/html"),)
    data = say("data", headers=(("Content-Type", "application/json"),))
    page = say("page", headers=(("Content-Type", "text/html"),))
    index = index_of(
        in_order(
            exchange("GET /nodes", data, 0, headers=asks_json),
            (ADD_ONE, "added"),
            exchange("GET /nodes", page, 0, headers=asks_html),
        )
    )

    assert served(index, ask("GET /nodes", asks_html), after(index)) == "page"
    assert served(index, ask("GET /nodes", asks_json), after(index, ADD_ONE)) == "data"


def test_negotiated_answers_follow_what_vary_names() -> None:
    """D4, RFC 9110 12.5.5."""
    vary: Headers = (("Vary", "Accept-Language"),)
    index = index_of(
        in_order(
            exchange("GET /", say("EN", headers=vary), 0, headers=(("Accept-Language", "en"),)),
            exchange("GET /", say("FR", headers=vary), 0, headers=(("Accept-Language", "fr"),)),
        )
    )
    hit = found(index, ask("GET /", (("Accept-Language", "FR"),)))

    assert (hit.entry.number, hit.selector) == (1, Selector.NEGOTIATION)
    assert found(index, ask("GET /", (("Accept-Language", "ja"),))).is_ambiguous


class TestTurns:
    """D4: ``repeat: advance`` is for a job that evolves by itself."""

    INDEX = index_of(
        in_order(("GET /job", "waiting"), ("GET /job", "running"), ("GET /job", "done")),
        Index(advances=lambda _: True),
    )

    def test_each_ask_brings_the_next_answer_and_the_last_one_stays(self) -> None:
        """Within one session and state."""
        made, bodies = Made(), []
        for _ in range(4):
            hit = found(self.INDEX, ask("GET /job"), made)
            assert hit.turn is not None
            made.turns[hit.turn] += 1
            bodies.append(getattr(hit.entry.answer, "body_path", ""))

        assert bodies == ["waiting", "running", "done", "done"]

    def test_it_is_flagged(self) -> None:
        """The position of a request decides, which nothing else in a replay lets it."""
        assert found(self.INDEX, ask("GET /job")).is_ambiguous


def test_same_answers_bring_the_cookies_of_their_moment() -> None:
    """D4: which of two equal answers is served shows in the cookies that it sets."""
    index = index_of(
        in_order(
            ("GET /login", "form"),
            ("POST /login", "in"),
            ("GET /login", "form"),
        )
    )

    assert found(index, ask("GET /login")).entry.number == 0
    assert found(index, ask("GET /login"), after(index, "POST /login")).entry.number == 2


def test_an_answer_during_a_write_stands_for_a_state_that_nothing_else_shows() -> None:
    """D4: what overlapped in time may be from before or after."""
    index = index_of(
        [
            exchange("GET /cart", "empty", 0),
            exchange(ADD_ONE, "added", 2, lasts_s=3),
            exchange("GET /cart", "one", 3),
        ]
    )

    assert served(index, ask("GET /cart")) == "empty"
    assert served(index, ask("GET /cart"), after(index, ADD_ONE)) == "one"


class TestAccount:
    """What people are told of a key with several answers."""

    def test_state_is_named(self) -> None:
        """D4: the manifest shows what tells answers apart."""
        (variants,) = (v for v in CART.several() if v.entries[0].method == "GET")

        assert variants.told_apart_by == ("state",)
        assert [len(group.entries) for group in variants.groups] == [1, 1, 1]

    def test_what_nothing_tells_apart_is_named(self) -> None:
        """S3-06: ambiguous keys are listed."""
        index = index_of(in_order(("GET /", "A"), ("GET /", "B")))

        assert next(index.several()).told_apart_by == ("nothing",)

    def test_turns_are_named(self) -> None:
        """D4: ``repeat: advance``."""
        assert next(TestTurns.INDEX.several()).told_apart_by == ("turns",)

    def test_one_answer_needs_no_telling(self) -> None:
        """One group, whatever was written."""
        variants = CART.variants(ask("GET /help"))

        assert variants is not None
        assert variants.told_apart_by == ()
        assert len(variants.groups) == 1

    def test_credentials_are_named_with_their_values(self) -> None:
        """They are placeholders, so they may be shown."""
        index = index_of(
            in_order(
                exchange("GET /me", "nobody", 0),
                exchange("GET /me", "alice", 0, headers=ALICE),
            )
        )
        variants = next(index.several())
        (group,) = variants.groups

        assert variants.told_apart_by == ("credentials",)
        assert [variants.asked_with(entry, group) for entry in group.entries] == [
            ("cookie session: (none)",),
            ("cookie session: alice",),
        ]


@pytest.mark.parametrize(
    ("index", "undecided"),
    [
        (CART, []),
        (index_of(in_order(("GET /cart", "A"), ("GET /cart", "B"))), [[0, 1], [0, 1]]),
        (
            index_of(
                in_order(("GET /cart", "A"), ("GET /cart", "B")), Index(advances=lambda _: True)
            ),
            [],
        ),
    ],
    ids=["told apart by state", "by nothing", "by turns"],
)
def test_what_nothing_tells_apart_is_undecided(index: Index, undecided: list[list[int]]) -> None:
    """D3: that must not come from a match rule."""
    variants = index.variants(ask("GET /cart"))

    assert variants is not None
    assert [[entry.number for entry in left] for left in variants.undecided()] == undecided
