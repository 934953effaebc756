"""The runner fails on every expectation that is wrong, and on all that it does not understand."""

import base64
import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from tests.cases.exchange_check import check_exchange
from tests.cases.key_check import check_key_pairs
from tests.cases.load import Case, read
from tests.cases.redact_check import check_redact
from tests.cases.store_check import (
    check_names,
    check_roundtrip,
    check_roundtrip_value,
    check_yaml_text,
)
from tests.cases.stored_scan import where_found

pytestmark = [pytest.mark.cases, pytest.mark.loopback]

GZIPPED = "H4sIAAAAAAACA8tIzcnJBwCGphA2BQAAAA=="  # hello
_DATE, _EXPIRES = "Mon, 01 Jan 2024 00:00:00 GMT", "Mon, 01 Jan 2024 02:00:00 GMT"


def _get(path: str, *headers: list[str], host: str = "http://app.test") -> dict[str, Any]:
    return {"method": "GET", "url": f"{host}{path}", "headers": list(headers)}


def _exchange(path: str, response: dict[str, Any], *headers: list[str]) -> dict[str, Any]:
    return {"request": _get(path, *headers), "response": {"status": 200, **response}}


RECORDED = [
    _exchange("/page", {"headers": [["X-A", "1"], ["Set-Cookie", "a=1"]], "body": "page"}),
    _exchange("/json", {"headers": [["Content-Type", "application/json"]], "body": '{"n":1}'}),
    _exchange("/twice", {"body": "one"}),
    _exchange("/twice", {"body": "two"}),
    _exchange("/events", {
        "headers": [["Content-Type", "text/event-stream"]], "body": "data: 1\n\ndata: 2\n\n",
        "chunks": ["data: 1\n\n", "data: 2\n\n"],
    }),
    _exchange("/gzip", {"headers": [["Content-Encoding", "gzip"]], "body_b64": GZIPPED}),
    {
        "request": {
            "method": "POST", "url": "http://app.test/api", "body": '{"n":1}',
            "headers": [["Content-Type", "application/json"]],
        },
        "response": {"status": 200, "body": "posted"},
    },
    _exchange("/old?day=2024-01-01", {"body": "then"}),
    {
        **_exchange("/dated", {"headers": [
            ["Date", _DATE], ["Set-Cookie", f"sid=1; Expires={_EXPIRES}"],
        ]}),
        "recorded_at": "2024-01-01T00:00:00Z",
    },
    {
        "request": {"method": "GET", "url": "https://tls.test/"},
        "response": {"status": 200, "body": "secure"},
    },
]  # fmt: skip
ASKED_JSON = {
    "method": "POST", "url": "http://app.test/api", "body": '{"n":2}',
    "headers": [["Content-Type", "application/json"]],
}  # fmt: skip
HIT, MISS = {"verdict": "hit"}, {"verdict": "miss"}
NEAR = {"use": 6, "diff": [{"path": "$.n", "recorded": 1, "asked": 2}]}
FAR = {"use": 6, "diff": [{"path": "$.n", "recorded": 1, "asked": 3}]}

# What is asked, what is expected rightly, and what wrongly.
EXPECTATIONS: list[tuple[dict[str, Any], dict[str, Any], dict[str, Any]]] = [
    (_get("/page"), HIT, MISS),
    (_get("/nowhere"), MISS, HIT),
    (_get("/page"), HIT, {"verdict": "synthesized"}),
    (_get("/page"), HIT, {"verdict": "no such verdict"}),
    (_get("/page"), {**HIT, "use": 0}, {**HIT, "use": 1}),
    (_get("/nowhere"), MISS, {**MISS, "use": 0}),
    (_get("/", host="https://tls.test"), {**HIT, "use": 9}, {**HIT, "use": 0}),
    (_get("/page?"), {**HIT, "match": "canonical"}, {**HIT, "match": "exact"}),
    (_get("/page"), {**HIT, "match": "exact"}, {**HIT, "match": "no such match"}),
    (_get("/twice"), {**HIT, "flag": "ambiguous_key"}, {**HIT, "flag": "state_assumed"}),
    (_get("/twice"), {**HIT, "flag": "ambiguous_key"}, {**HIT, "flag": "no such flag"}),
    (_get("/page"), HIT, {**HIT, "flag": "ambiguous_key"}),
    (ASKED_JSON, {**MISS, "reason": "body differs"}, {**MISS, "reason": "query differs"}),
    (_get("/page"), HIT, {**HIT, "reason": "body differs"}),
    (
        _get("/old?day=2024-03-01"),
        {**MISS, "hint": "pin the client clock to 2024-01-01"},
        {**MISS, "hint": "pin the client clock to 2024-03-01"},
    ),
    (ASKED_JSON, {**MISS, "near_miss": True}, {**MISS, "near_miss": False}),
    (ASKED_JSON, {**MISS, "near_miss": NEAR}, {**MISS, "near_miss": FAR}),
    (ASKED_JSON, {**MISS, "near_miss": NEAR}, {**MISS, "near_miss": {**NEAR, "use": 0}}),
    (_get("/page"), HIT, {**HIT, "near_miss": False}),
    (
        _get("/nowhere"),
        {**MISS, "upstream_connections": 0},
        {**MISS, "upstream_connections": 1},
    ),
    (_get("/page"), {**HIT, "status": 200}, {**HIT, "status": 204}),
    (_get("/page"), {**HIT, "status": [200, 206]}, {**HIT, "status": [204, 206]}),
    (_get("/page"), {**HIT, "body": "page"}, {**HIT, "body": "pag"}),
    (_get("/page"), {**HIT, "body_b64": "cGFnZQ=="}, {**HIT, "body_b64": "cGFn"}),
    (_get("/json"), {**HIT, "body_json": {"n": 1}}, {**HIT, "body_json": {"n": True}}),
    (_get("/page"), {**HIT, "body_contains": "ag"}, {**HIT, "body_contains": "x"}),
    (_get("/gzip"), {**HIT, "decoded_body": "hello"}, {**HIT, "decoded_body": "hell"}),
    (_get("/events"), {**HIT, "chunks_at_least": 2}, {**HIT, "chunks_at_least": 3}),
    (_get("/page"), {**HIT, "headers_absent": ["X-B"]}, {**HIT, "headers_absent": ["X-A"]}),
    (
        _get("/page"),
        {**HIT, "headers_present": [["X-A", "1"]]},
        {**HIT, "headers_present": [["X-A", "2"]]},
    ),
    (
        _get("/page"),
        {**HIT, "headers_list": [["X-A", "1"]]},
        {**HIT, "headers_list": [["X-A", "1"], ["X-A", "1"]]},
    ),
    (_get("/page"), {**HIT, "set_cookie_names": ["a"]}, {**HIT, "set_cookie_names": []}),
    (_get("/dated"), {**HIT, "use": 8, "shift": "dates"}, {**HIT, "use": 0, "shift": "dates"}),
    (_get("/page"), HIT, {**HIT, "no such field": 1}),
]  # fmt: skip


@pytest.mark.parametrize(("asked", "right", "wrong"), EXPECTATIONS)
def test_a_wrong_expectation_fails(
    asked: dict[str, Any],
    right: dict[str, Any],
    wrong: dict[str, Any],
    tmp_path: Path,
    ca_folder: Path,
) -> None:
    """The right one passes, so that it is the wrong one alone that fails."""

    def given(expect: dict[str, Any]) -> Case:
        steps = [{"request": asked, "expect": expect}]
        return Case("x", "exchange", {"kind": "exchange", "recorded": RECORDED, "replay": steps})

    check_exchange(given(right), tmp_path / "right", ca_folder)
    with pytest.raises(AssertionError):
        check_exchange(given(wrong), tmp_path / "wrong", ca_folder)


def test_a_connection_that_goes_out_is_counted(tmp_path: Path, ca_folder: Path) -> None:
    """The origin is real: what the live policy fetches arrives there."""

    def given(connections: int) -> Case:
        expect = {"verdict": "live", "upstream_connections": connections, "body": "live"}
        steps = [{"request": _get("/nowhere"), "expect": expect}]
        return Case("x", "exchange", {
            "kind": "exchange", "recorded": RECORDED, "replay": steps,
            "config": {"on_miss": "live"},
        })  # fmt: skip

    check_exchange(given(1), tmp_path / "right", ca_folder)
    with pytest.raises(AssertionError):
        check_exchange(given(0), tmp_path / "wrong", ca_folder)


SECRET = "s3cr3t-Value-77"
REDACT = {
    "kind": "redact",
    "recorded": [
        {
            "request": {
                "method": "POST", "url": "http://app.test/in", "body": f"password={SECRET}",
                "headers": [["Content-Type", "application/x-www-form-urlencoded"]],
            },
            "response": {"status": 200, "body": f"you sent {SECRET}"},
        }
    ],
    "secrets": [SECRET],
    "expect": {"absent_from_store": True},
}  # fmt: skip
PAIRS = {
    "kind": "key_pairs",
    "pairs": [{"a": '{"n":1}', "b": '{ "n": 1 }', "same": True}],
    "what": "JSON request bodies",
}
TRIP = {"kind": "roundtrip", "body_b64": "AAH/", "expect": {"same_bytes": True}}
VALUE = {"kind": "roundtrip_value", "value_json": '"a"', "expect": "same string"}
TEXT = {"kind": "yaml_text", "text": "a: no", "expect": {"a": "no"}}
NO_TEXT = {"kind": "yaml_text", "text": "a: [", "error": "cannot read YAML"}
NAMES = {"kind": "names", "names": ["a", "b"], "expect": {"portable": True}}
OPAQUE = "kept as opaque bytes with a warning, no crash"
BOMB = {**TRIP, "headers": [["Content-Encoding", "gzip"]], "body_b64": GZIPPED}

type Check = Callable[[Case, Path, Path], None]


def _key_pairs(case: Case, folder: Path, _: Path) -> None:
    check_key_pairs(case, folder)


def _yaml_text(case: Case, *_: Path) -> None:
    check_yaml_text(case)


def _names(case: Case, *_: Path) -> None:
    check_names(case)


# A check, an input that passes, the place of one field in it, and a wrong value for that.
OTHERS: list[tuple[Check, dict[str, Any], tuple[Any, ...], object]] = [
    (check_redact, REDACT, ("expect", "absent_from_store"), False),
    (check_redact, REDACT, ("secrets", 0), "you sent"),
    (check_redact, REDACT, ("secrets",), []),
    (check_redact, REDACT, ("expect", "same_placeholder"), False),
    (check_redact, REDACT, ("expect", "crash"), True),
    (check_redact, REDACT, ("expect", "found_by"), "shape"),
    (check_redact, REDACT, ("expect", "scan_forms"), ["rot13"]),
    (check_redact, REDACT, ("expect", "stored_part_bytes_b64"), "c2VudCBz"),
    (check_redact, REDACT, ("expect", "replay"), [{"request": _get("/x"), "expect": HIT}]),
    (check_redact, REDACT, ("expect", "absent"), True),
    (check_redact, REDACT, ("expect",), {}),
    (_key_pairs, PAIRS, ("pairs", 0, "same"), False),
    (_key_pairs, PAIRS, ("pairs", 0, "b"), '{"n":2}'),
    (_key_pairs, PAIRS, ("pairs",), []),
    (_key_pairs, PAIRS, ("what",), "no such bodies"),
    (check_roundtrip, TRIP, ("expect", "same_bytes"), False),
    (check_roundtrip, TRIP, ("expect", "result"), "no such result"),
    (check_roundtrip, TRIP, ("expect",), {}),
    (check_roundtrip, BOMB, ("expect",), {"result": OPAQUE}),
    (check_roundtrip_value, VALUE, ("expect",), "another string"),
    (_yaml_text, TEXT, ("expect", "a"), False),
    (_yaml_text, TEXT, ("error",), "no such error"),
    (_yaml_text, NO_TEXT, ("error",), "no such error"),
    (_names, NAMES, ("expect", "portable"), False),
    (_names, NAMES, ("expect", "distinct"), False),
    (_names, NAMES, ("expect", "max_bytes"), 10),
    (_names, NAMES, ("expect", "bodies_addressed_by"), "md5"),
    (_names, NAMES, ("names",), []),
]  # fmt: skip


@pytest.mark.parametrize(("check", "right", "place", "wrong"), OTHERS)
def test_a_wrong_input_of_another_kind_fails(
    check: Check,
    right: dict[str, Any],
    place: tuple[Any, ...],
    wrong: object,
    tmp_path: Path,
    ca_folder: Path,
) -> None:
    """One changed field is enough; without the change it passes."""
    changed = copy.deepcopy(right)
    holder: Any = changed
    for step in place[:-1]:
        holder = holder[step]
    holder[place[-1]] = wrong

    check(Case("x", right["kind"], right), tmp_path / "right", ca_folder)
    with pytest.raises(AssertionError):
        check(Case("x", right["kind"], changed), tmp_path / "wrong", ca_folder)


def test_a_file_that_says_more_is_refused(tmp_path: Path) -> None:
    """What stands beside the input of a case is for people, or it is not understood."""
    path = tmp_path / "more.yaml"
    path.write_text("- {id: a, input: {kind: names}, expected: 1}")

    with pytest.raises(AssertionError, match="expected"):
        read(path)


_RAW = SECRET.encode()
WRITTEN = {
    "raw": _RAW,
    "percent": b"a=" + "".join(f"%{byte:02x}" for byte in _RAW).encode(),
    "twice percent": quote(quote("?" + SECRET + "?", safe=""), safe="").encode(),
    **{f"base64 after {n}": base64.b64encode(b"x" * n + _RAW + b"yy") for n in range(3)},
    "base64 within base64": base64.b64encode(b"x" + base64.b64encode(b"user:" + _RAW)),
    "hex": _RAW.hex().encode(),
    "HEX": _RAW.hex().upper().encode(),
    "json": "".join(f"\\u{byte:04x}" for byte in _RAW).encode(),
    "html": "".join(f"&#{byte};" for byte in _RAW).encode(),
}


@pytest.mark.parametrize("way", WRITTEN)
def test_the_scan_finds_a_secret_however_it_is_written(way: str, tmp_path: Path) -> None:
    """A scan that finds nothing proves something only if it can find."""
    (tmp_path / "stored").write_bytes(b'{"text": "' + WRITTEN[way] + b'"}')
    (tmp_path / "other").write_bytes(b"nothing")

    assert where_found(tmp_path, SECRET) == ["stored"]
