"""A JSON-RPC call is the same whatever its id, and is answered with the id that it has."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envsvc.exchange.json_rpc import echoed, echoes, id_tokens, is_call, with_ids, without_ids
from envsvc.exchange.json_text import canonical_json, parse_json


def key(text: str) -> str:
    """Return what the call in *text* means."""
    return canonical_json(without_ids(parse_json(text)))


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ('{"jsonrpc":"2.0","id":1,"method":"m"}', '{"jsonrpc":"2.0","id":"a","method":"m"}', True),
        ('{"jsonrpc":"2.0","id":1,"method":"m"}', '{"jsonrpc":"2.0","id":null,"method":"m"}', True),
        ('{"jsonrpc":"2.0","id":1,"method":"m"}', '{"jsonrpc":"2.0","method":"m"}', False),
        ('{"jsonrpc":"2.0","id":1,"method":"m"}', '{"jsonrpc":"2.0","id":1,"method":"n"}', False),
        (
            '{"jsonrpc":"2.0","id":1,"method":"m","params":{"id":1}}',
            '{"jsonrpc":"2.0","id":1,"method":"m","params":{"id":2}}',
            False,
        ),
        ('{"id":1,"method":"m"}', '{"id":2,"method":"m"}', False),
        ('{"jsonrpc":"1.0","id":1,"method":"m"}', '{"jsonrpc":"1.0","id":2,"method":"m"}', False),
        (
            '[{"jsonrpc":"2.0","id":1,"method":"a"},{"jsonrpc":"2.0","id":2,"method":"b"}]',
            '[{"jsonrpc":"2.0","id":7,"method":"a"},{"jsonrpc":"2.0","id":8,"method":"b"}]',
            True,
        ),
        (
            '[{"jsonrpc":"2.0","id":1,"method":"a"},{"jsonrpc":"2.0","id":2,"method":"b"}]',
            '[{"jsonrpc":"2.0","id":1,"method":"b"},{"jsonrpc":"2.0","id":2,"method":"a"}]',
            False,
        ),
        (
            '[{"jsonrpc":"2.0","id":1,"method":"a"},1]',
            '[{"jsonrpc":"2.0","id":2,"method":"a"},1]',
            False,
        ),
    ],
)
def test_the_id_is_no_part_of_what_is_asked(one: str, other: str, *, is_same: bool) -> None:
    """D3: left out of the key; whether there is one stays."""
    assert (key(one) == key(other)) is is_same


@pytest.mark.parametrize("document", ["1", '"jsonrpc"', "[]", "{}"])
def test_other_documents_are_left_alone(document: str) -> None:
    """They have no calls."""
    assert key(document) == canonical_json(parse_json(document))
    assert not is_call(parse_json(document))


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ('{"jsonrpc":"2.0","id":1,"method":"m"}', ["1"]),
        (' { "id" : "a\\u0062" , "jsonrpc":"2.0","method":"m"}', ['"a\\u0062"']),
        (
            '[{"jsonrpc":"2.0","id":1,"method":"a"}, {"jsonrpc":"2.0","id":2,"method":"b"}]',
            ["1", "2"],
        ),
        ('{"jsonrpc":"2.0","method":"m","params":{"id":1}}', []),
        ('{"id":1}', []),
        ("[1]", []),
        ("[]", []),
        ("{", []),
        ('{"id" 1}', []),
        ("", []),
        ("12", []),
    ],
)
def test_ids_are_found_as_they_are_written(text: str, tokens: list[str]) -> None:
    """Only those of the calls themselves."""
    assert id_tokens(text) == tokens


@pytest.mark.parametrize(
    ("asked", "recorded", "answer", "expected"),
    [
        (
            '"abc-77"',
            "1",
            '{"jsonrpc":"2.0","id":1,"result":42}',
            '{"jsonrpc":"2.0","id":"abc-77","result":42}',
        ),
        (
            '"1"',
            "5",
            '{"id": 5 ,"jsonrpc":"2.0", "result":{"id":5}}',
            '{"id": "1" ,"jsonrpc":"2.0", "result":{"id":5}}',
        ),
        (
            "9007199254740993",
            "5.0",
            '{"jsonrpc":"2.0","id":5.0,"result":1}',
            '{"jsonrpc":"2.0","id":9007199254740993,"result":1}',
        ),
        (
            "2",
            "1",
            '{"jsonrpc":"2.0","id":null,"error":{}}',
            '{"jsonrpc":"2.0","id":null,"error":{}}',
        ),
        ("2", "1", "not json", "not json"),
    ],
)
def test_the_answer_bears_the_id_that_was_sent(
    asked: str, recorded: str, answer: str, expected: str
) -> None:
    """JSON-RPC 2.0, 5: the token as it was written; all else byte for byte."""
    call = '{"jsonrpc":"2.0","id":%s,"method":"m"}'

    assert with_ids(answer, echoes(call % asked, call % recorded)) == expected


def test_answers_of_a_batch_may_come_in_any_order() -> None:
    """JSON-RPC 2.0, 6: they are told apart by their ids."""
    call = '{"jsonrpc":"2.0","id":%s,"method":"m"}'
    ids = echoes(f"[{call % 7},{call % 8}]", f"[{call % 1},{call % 2}]")
    answer = '[{"jsonrpc":"2.0","id":2,"result":"b"}, {"jsonrpc":"2.0","id":1,"result":"a"}]'

    assert with_ids(answer, ids) == (
        '[{"jsonrpc":"2.0","id":8,"result":"b"}, {"jsonrpc":"2.0","id":7,"result":"a"}]'
    )


def test_events_hold_answers_too() -> None:
    """MCP streams them."""
    answer = b'event: message\ndata: {"jsonrpc":"2.0","id":1,"result":{}}\n\n'

    assert echoed(answer, {"1": '"x"'}) == (
        b'event: message\ndata: {"jsonrpc":"2.0","id":"x","result":{}}\n\n'
    )


def test_bytes_that_are_no_text_stay() -> None:
    """Nothing of them is an id."""
    assert echoed(b"\xff", {"1": "2"}) == b"\xff"


def test_a_json_answer_is_echoed() -> None:
    """The usual case."""
    assert echoed(b'{"id":1}', {"1": "2"}) == b'{"id":2}'


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)
IDS = st.integers() | st.text() | st.none()


@given(JSON, IDS, IDS, st.sampled_from([None, 1]))
def test_only_the_id_changes(result: object, old: object, new: object, indent: int | None) -> None:
    """Round trip: what was recorded with one id reads as if it had been recorded with another."""
    call = {"jsonrpc": "2.0", "method": "m"}
    answer = {"result": result, "id": old, "jsonrpc": "2.0"}
    ids = echoes(json.dumps({**call, "id": new}), json.dumps({**call, "id": old}, indent=indent))
    echo = with_ids(json.dumps(answer, indent=indent), ids)

    assert json.loads(echo) == {**answer, "id": new}
