"""Which writes matter to an answer, learnt from when things happened (D4)."""

import msgspec
import pytest

from envsvc.cassette.writes import Learnt, Made, Observation, Timeline, Write, place_of
from envsvc.exchange.key import CanonicalKey

ADD, LIKE, SAY = CanonicalKey(b"add"), CanonicalKey(b"like"), CanonicalKey(b"say")


def write(number: int, key: CanonicalKey, started: int, ended: int) -> Write:
    """Return a write that was made from *started* to *ended*."""
    return Write(number=number, key=key, started_us=started, ended_us=ended)


def seen(answer: str, started: int, ended: int, number: int = 100) -> Observation:
    """Return an observation of *answer* from *started* to *ended*."""
    return Observation(number=number, answer=answer, started_us=started, ended_us=ended)


def relevant(writes: list[Write], *observations: Observation) -> frozenset[CanonicalKey]:
    """Return the writes that matter to what was observed like this."""
    return Timeline(writes).learn(observations).relevant


@pytest.mark.parametrize(
    ("writes", "observations", "matter"),
    [
        ([write(0, ADD, 2, 3)], [seen("A", 0, 1), seen("B", 4, 5)], {ADD}),
        ([write(0, ADD, 2, 3)], [seen("A", 0, 1), seen("A", 4, 5)], set()),
        ([write(0, ADD, 6, 7)], [seen("A", 0, 1), seen("B", 4, 5)], set()),
        ([], [seen("A", 0, 1), seen("B", 4, 5)], set()),
        ([write(0, ADD, 0, 3)], [seen("A", 0, 1), seen("B", 4, 5)], {ADD}),
        ([write(0, ADD, 2, 5)], [seen("A", 0, 1), seen("B", 4, 5)], {ADD}),
        (
            [write(0, LIKE, 2, 3), write(1, LIKE, 6, 7), write(2, ADD, 7, 8)],
            [seen("A", 0, 1), seen("A", 4, 5), seen("B", 9, 10)],
            {ADD},
        ),
        (
            [write(0, LIKE, 0, 3), write(1, LIKE, 6, 7), write(2, ADD, 7, 8)],
            [seen("A", 0, 1), seen("A", 4, 5), seen("B", 9, 10)],
            {ADD, LIKE},
        ),
        (
            [write(0, LIKE, 2, 3), write(1, LIKE, 6, 7)],
            [seen("A", 0, 1), seen("A", 4, 5), seen("B", 9, 10)],
            {LIKE},
        ),
    ],
    ids=[
        "changed across it",
        "not changed across it",
        "made later",
        "changed by itself",
        "overlapping the first stays suspect",
        "overlapping the second stays suspect",
        "cleared by equal answers",
        "overlap clears nobody",
        "the only suspect did it",
    ],
)
def test_a_write_matters_if_the_answer_changed_across_it(
    writes: list[Write], observations: list[Observation], matter: set[CanonicalKey]
) -> None:
    """D4: relevant writes are learnt."""
    assert relevant(writes, *observations) == matter


def test_the_order_in_which_observations_are_given_does_not_matter() -> None:
    """They are read by when they began."""
    assert relevant([write(0, ADD, 2, 3)], seen("B", 4, 5), seen("A", 0, 1)) == {ADD}


def test_a_write_is_between_its_own_answers() -> None:
    """D4: a write is keyed like anything else."""
    writes = [write(0, ADD, 0, 1), write(1, ADD, 2, 3)]
    observed = [seen("one", 0, 1, number=0), seen("two", 2, 3, number=1)]

    assert relevant(writes, *observed) == {ADD}


def test_its_own_answers_may_clear_a_write() -> None:
    """D4: it was made, and the next one was answered the same."""
    writes = [write(0, LIKE, 0, 1), write(1, LIKE, 2, 3), write(2, ADD, 4, 5), write(3, LIKE, 6, 7)]
    observed = [
        seen("same", 0, 1, number=0),
        seen("same", 2, 3, number=1),
        seen("other", 6, 7, number=3),
    ]

    assert relevant(writes, *observed) == {ADD}


class TestStates:
    """The multiset of writes before a moment."""

    TIMELINE = Timeline([write(0, ADD, 0, 1), write(1, ADD, 2, 3), write(2, LIKE, 4, 8)])

    def test_only_what_had_ended_and_matters_counts(self) -> None:
        """D4."""
        assert self.TIMELINE.state(seen("A", 5, 6), frozenset({ADD})) == {(ADD, 2)}
        assert self.TIMELINE.state(seen("A", 2, 3), frozenset({ADD})) == {(ADD, 1)}
        assert self.TIMELINE.state(seen("A", 9, 9), frozenset({LIKE})) == {(LIKE, 1)}

    def test_what_overlaps_is_unsettled(self) -> None:
        """D4: exchanges that overlapped in time prove nothing about each other."""
        both = frozenset({ADD, LIKE})

        assert self.TIMELINE.unsettled(seen("A", 5, 6), both) == [LIKE]
        assert self.TIMELINE.unsettled(seen("A", 5, 6), frozenset({ADD})) == []
        assert self.TIMELINE.unsettled(seen("A", 4, 8, number=2), both) == []

    def test_everything_may_be_asked_for(self) -> None:
        """Which of two equal answers is nearest depends on all writes."""
        assert self.TIMELINE.full_state(seen("A", 9, 9)) == {(ADD, 2), (LIKE, 1)}

    def test_a_write_does_not_come_before_itself(self) -> None:
        """It may have taken no time."""
        timeline = Timeline([write(0, ADD, 1, 1)])

        assert timeline.full_state(seen("A", 1, 1, number=0)) == frozenset()

    def test_whether_a_write_came_later(self) -> None:
        """D4: state_assumed asks for writes after the last observation."""
        assert self.TIMELINE.began_after(LIKE, 5)
        assert not self.TIMELINE.began_after(ADD, 5)
        assert self.TIMELINE.began_after(CanonicalKey(b"never"), 5)

    def test_whether_anything_was_written_between(self) -> None:
        """What changed with nothing written changed by itself."""
        assert self.TIMELINE.wrote_between(seen("A", 1, 2), seen("A", 3, 4))
        assert not self.TIMELINE.wrote_between(seen("A", 8, 9), seen("A", 10, 11))

    def test_writes_are_given_by_when_they_began(self) -> None:
        """Sockets are cut by it."""
        assert [w.number for w in self.TIMELINE.writes] == [0, 1, 2]


class TestMade:
    """What a session has written."""

    def test_recorded_writes_are_counted(self) -> None:
        """D4: a multiset."""
        made = Made()
        made.wrote(ADD)
        made.wrote(ADD)

        assert made.state == {(ADD, 2)}
        assert not made.is_empty

    def test_unrecorded_ones_are_known_by_their_place(self) -> None:
        """Their query or body is nothing that the recording knows."""
        made = Made()
        assert made.is_empty
        made.wrote_unrecorded("http://shop.test/cart?a=1")

        assert made.unrecorded == {"http://shop.test/cart"}
        assert not made.is_empty

    def test_only_relevant_ones_make_a_state(self) -> None:
        """D4: what was said on a socket among them."""
        made = Made()
        for key in (ADD, ADD, LIKE):
            made.wrote(key)
        made.told(SAY)

        assert made.relevant(frozenset({ADD, SAY})) == {(ADD, 2), (SAY, 1)}

    def test_what_is_said_is_no_write(self) -> None:
        """D4: a session that only talked on a socket has only read."""
        made = Made()
        made.told(SAY)

        assert made.is_empty
        assert made.state == frozenset()


class TestSaid:
    """D4: an app may change by what a client says on a web socket."""

    BEFORE, AFTER = seen("A", 0, 1), seen("B", 9, 10)

    def learnt(self, writes: list[Write], said: list[Write], *more: Observation) -> Learnt:
        """Return what matters to an answer that changed, and was seen *more* often."""
        return Timeline(writes, said).learn([self.BEFORE, self.AFTER, *more])

    def test_a_message_matters_where_no_write_can_have_done_it(self) -> None:
        """The answer changed across it."""
        assert self.learnt([], [write(5, SAY, 3, 3)]).relevant == {SAY}

    def test_a_write_is_the_better_suspect(self) -> None:
        """A client says much that changes nothing."""
        assert self.learnt([write(0, ADD, 4, 5)], [write(5, SAY, 3, 3)]).relevant == {ADD}

    def test_a_message_between_equal_answers_is_cleared_for_good(self) -> None:
        """A ping that is the only suspect did not do it either: then nothing tells them apart."""
        pings = [write(5, SAY, 3, 3), write(5, SAY, 12, 12)]

        assert self.learnt([], pings, seen("B", 14, 15)).relevant == frozenset()

    def test_what_was_said_before_an_answer_is_its_state(self) -> None:
        """As often as it was said."""
        timeline = Timeline([write(0, ADD, 1, 2)], [write(5, SAY, 3, 3), write(5, SAY, 4, 4)])

        assert timeline.state(self.AFTER, frozenset({SAY})) == {(SAY, 2)}
        assert timeline.unsettled(seen("B", 3, 9), frozenset({SAY})) == [SAY]


class TestRuns:
    """D4: recordings that were put together began with a fresh app each."""

    FIRST = write(0, ADD, 2, 3)
    AFTER = seen("B", 4, 5)
    LATER = msgspec.structs.replace(seen("A", 9, 10), run=1)

    def test_what_was_written_in_one_is_not_there_in_another(self) -> None:
        """Later in time is not later in its life."""
        timeline = Timeline([self.FIRST])

        assert timeline.full_state(self.AFTER) == {(ADD, 1)}
        assert timeline.full_state(self.LATER) == frozenset()
        assert (
            timeline.unsettled(msgspec.structs.replace(self.LATER, started_us=0), frozenset({ADD}))
            == []
        )

    def test_an_answer_that_differs_between_them_accuses_nobody(self) -> None:
        """A change is one within a run."""
        assert relevant([self.FIRST], self.AFTER, self.LATER) == frozenset()

    def test_an_equal_answer_in_another_clears_nobody(self) -> None:
        """As little."""
        before, other = seen("A", 0, 1), msgspec.structs.replace(seen("B", 6, 7), run=1)

        assert relevant([self.FIRST], before, self.AFTER, other) == {ADD}

    def test_their_states_may_be_compared(self) -> None:
        """Equal ones are as if nothing was written between; doubtful ones are not."""
        timeline = Timeline([self.FIRST])
        doubtful = seen("A", 2, 4)

        assert timeline.wrote_between(self.AFTER, self.LATER)
        assert timeline.wrote_between(self.LATER, doubtful)
        assert not timeline.wrote_between(seen("A", 0, 1), self.LATER)


@pytest.mark.parametrize(
    ("url", "place"),
    [
        ("HTTP://Shop.test:80/cart?x#y", "http://shop.test/cart"),
        ("https://shop.test:444", "https://shop.test:444/"),
        ("nonsense", "nonsense"),
    ],
)
def test_a_place_is_origin_and_path(url: str, place: str) -> None:
    """What a write is most likely to change."""
    assert place_of(url) == place
