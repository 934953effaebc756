"""How match rules and recorded answers meet: what is found, by which rule, and what is refused."""

import msgspec
import pytest

from envsvc.cassette.index import Found, Index, Level
from envsvc.cassette.rules import MatchRule, Rules
from envsvc.cassette.script import Wrote
from envsvc.cassette.variants import Selector
from envsvc.exchange.message import Exchange, Failure, Response, WebSocketMessage
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

CACHE = MatchRule(ignore_query=("_",))
JSON = (("Content-Type", "application/json"),)


def ruled(
    *recorded: tuple[str, Response | Failure | str] | Exchange,
    rule: MatchRule = CACHE,
    built_in: MatchRule | None = None,
) -> Index:
    """Return the index of what was *recorded* in order, with *rule* called cache."""
    rules = Rules({"cache": rule}, {"built-in": built_in} if built_in else {})
    return index_of(in_order(*recorded), Index(rules=rules))


LIST = ruled(("GET /list?q=red&_=1", "red"), ("GET /list?q=blue&_=2", "blue"))


@pytest.mark.parametrize(
    ("asked", "answer", "level", "rules"),
    [
        ("GET /list?q=red&_=1", "red", Level.EXACT, ()),
        ("GET /list?_=1&q=red", "red", Level.CANONICAL, ()),
        ("GET /list?q=red&_=99", "red", Level.RULE, ("cache",)),
        ("GET /list?q=blue", "blue", Level.RULE, ("cache",)),
    ],
)
def test_a_rule_is_tried_last_and_named(
    asked: str, answer: str, level: Level, rules: tuple[str, ...]
) -> None:
    """D3, D7: exact, canonical, rule; a hit that needed one is told from the others."""
    hit = found(LIST, ask(asked))

    assert served(LIST, ask(asked)) == answer
    assert (hit.level, hit.rules) == (level, rules)


@pytest.mark.parametrize("asked", ["GET /list?q=green&_=1", "POST /list?q=red&_=1", "GET /?_=1"])
def test_what_differs_otherwise_is_still_missed(asked: str) -> None:
    """D3: the rest of the request decides."""
    assert served(LIST, ask(asked)) == "nothing"


NODES = ruled(
    ("GET /flows?_=1", "empty"),
    ("POST /flows?_=2 one", "saved"),
    ("GET /flows?_=3", "one"),
    ("GET /flows?_=4", "one"),
)


@pytest.mark.parametrize(("writes", "answer"), [([], "empty"), (["POST /flows?_=77 one"], "one")])
@pytest.mark.parametrize("asked", ["GET /flows?_=1", "GET /flows?_=3", "GET /flows?_=99"])
def test_answers_of_one_rule_are_told_apart_by_state(
    asked: str, writes: list[str], answer: str
) -> None:
    """D4: a page that puts a clock into every request is still served as the session left it."""
    assert served(NODES, ask(asked), after(NODES, *writes)) == answer


def test_the_state_is_named_beside_the_rule() -> None:
    """D7: both had a part in it."""
    hit = found(NODES, ask("GET /flows?_=99"))

    assert (hit.level, hit.selector) == (Level.RULE, Selector.STATE)


def test_a_write_with_a_clock_in_it_is_the_same_write() -> None:
    """D4: written twice in the recording, in other words each time."""
    rule = MatchRule(ignore_json=("/ts",))
    write = [exchange(f'POST /add {{"ts":{n}}}', "ok", 0, headers=JSON) for n in (1, 2)]
    index = ruled(
        ("GET /cart", "0"), write[0], ("GET /cart", "1"), write[1], ("GET /cart", "2"), rule=rule
    )
    again = exchange('POST /add {"ts":3}', "", 0, headers=JSON).request
    made = after(index)
    for _ in range(2):
        hit = found(index, again, made)
        assert hit.write is not None
        made.wrote(hit.write)

    assert served(index, ask("GET /cart"), made) == "2"
    assert index.writes(made.state) == [f'POST {SHOP}/add {{"ts":1}}, 2 times']


def test_equal_answers_may_be_made_one() -> None:
    """D3: nothing is lost by it."""
    index = ruled(("GET /?_=1", "A"), ("GET /?_=2", "A"))

    assert list(index.conflicts()) == []
    assert served(index, ask("GET /?_=3")) == "A"


def test_different_answers_that_only_the_rule_tells_apart_are_a_conflict() -> None:
    """D3: with both requests named; a wrong answer is worse than a miss."""
    index = ruled(("GET /?_=1", "A"), ("GET /?_=2", "B"))
    (conflict,) = index.conflicts()

    assert conflict.rules == ("cache",)
    assert (conflict.first, conflict.second) == (f"GET {SHOP}/?_=1", f"GET {SHOP}/?_=2")


def test_where_rules_conflict_they_do_not_hold() -> None:
    """D3: what was recorded is served for its own words, and for no others."""
    index = ruled(("GET /?_=1", "A"), ("GET /?_=2", "B"))
    asked = ["GET /?_=1", "GET /?_=2", "GET /?_=3"]

    assert [served(index, ask(words)) for words in asked] == ["A", "B", "nothing"]


def test_a_built_in_rule_gives_way() -> None:
    """It is no fault of the cassette if what holds everywhere does not hold here."""
    index = ruled(
        ("GET /?sid=1", "A"), ("GET /?sid=2", "B"), built_in=MatchRule(ignore_query=("sid",))
    )

    assert list(index.conflicts()) == []
    assert served(index, ask("GET /?sid=3")) == "nothing"


def test_what_was_ambiguous_without_the_rule_is_no_conflict() -> None:
    """D4: one meaning had both answers already; it is flagged as ever."""
    index = ruled(("GET /?_=1", "A"), ("GET /?_=1", "B"), ("GET /?_=2", "A"), ("GET /?_=2", "B"))

    assert list(index.conflicts()) == []
    assert found(index, ask("GET /?_=3")).is_ambiguous


def test_several_answers_are_those_of_the_rule() -> None:
    """D4: people see one key, not one for each reading of a clock."""
    assert [len(variants.entries) for variants in NODES.several()] == [3]


def test_keys_that_advance_do_so_under_a_rule() -> None:
    """D4: a job is asked for with a new clock each time."""
    rules = Rules({"cache": CACHE})
    index = index_of(
        in_order(("GET /job?_=1", "waiting"), ("GET /job?_=2", "done")),
        Index(rules=rules, advances=lambda _: True),
    )

    assert list(index.conflicts()) == []
    assert served(index, ask("GET /job?_=3")) == "waiting"


def test_sockets_of_one_rule_share_their_scripts() -> None:
    """D4: the socket that was open during the write tells what came of it."""
    said = WebSocketMessage(from_client=False, text=True, content=b"hello", t_ms=0)
    sockets = [
        Exchange(
            started_us=0,
            duration_ms=9000,
            request=ask(f"GET /ws?_={number}"),
            answer=say("", 101),
            messages=(said,),
        )
        for number in (1, 2)
    ]
    index = ruled(*sockets)
    hit = index.find(ask("GET /ws?_=3"))

    assert isinstance(hit, Found)
    assert index.scripts(hit.entry) == [(said,), (said,)]


def test_runs_that_began_afresh_share_no_writes() -> None:
    """D4: a recording that was added later did not see what the first one wrote."""
    first = in_order(("GET /cart", "empty"), ("POST /cart one", "added"), ("GET /cart", "one"))
    second = [exchange("GET /cart", "empty", 10), exchange("GET /help", "help", 11)]
    index = index_of([*first, *(_in_run(one, 1) for one in second)])

    assert served(index, ask("GET /cart")) == "empty"
    assert served(index, ask("GET /cart"), after(index, "POST /cart one")) == "one"
    assert index.wrote_between(index.entries[0], index.entries[2])
    assert not index.wrote_between(index.entries[0], index.entries[3])
    assert index.wrote_between(index.entries[2], index.entries[3])


def test_a_socket_hears_of_the_writes_of_its_own_run_only() -> None:
    """D4: another run's writes were made elsewhere."""
    said = WebSocketMessage(from_client=False, text=True, content=b"tick", t_ms=8000)
    socket = Exchange(
        started_us=0,
        duration_ms=9000,
        request=ask("GET /ws"),
        answer=say("", 101),
        messages=(said,),
    )
    writes = [exchange("POST /a", "", 1), _in_run(exchange("POST /b", "", 2), 1)]
    index = index_of([socket, *writes])

    assert index.scripts(index.entries[0]) == [(Wrote(index.key(1)), said)]


def _in_run(one: Exchange, run: int) -> Exchange:
    return msgspec.structs.replace(one, run=run)
