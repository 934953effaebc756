"""A plain HAR: what every other tool can read, and all of it."""

import base64
import json
from typing import Any

import jsonschema
import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from envsvc.cassette.foreign_har import Taken, read_entry
from envsvc.cassette.plain_har import plain_har
from envsvc.exchange.message import Exchange, Failure, Request, Response
from tests.cassette.har_schema import HAR
from tests.exchange.strategies import exchanges

_VALIDATOR = jsonschema.Draft202012Validator(HAR)

type Data = dict[str, Any]


def har(*recorded: Exchange) -> Data:
    """Return the HAR of what was *recorded*."""
    read: Data = json.loads(b"".join(plain_har(iter(recorded), "1.0")))
    return read


def exchange(request: Request, answer: Response | Failure) -> Exchange:
    """Return what was asked and answered."""
    return Exchange(started_us=1_000_000, duration_ms=12.5, request=request, answer=answer)


def only_entry(request: Request, answer: Response) -> Data:
    """Return the one entry of a HAR."""
    (entry,) = har(exchange(request, answer))["log"]["entries"]
    found: Data = entry
    return found


HOME = Request(method="GET", url="http://a.test/?q=1", headers=(("Cookie", "a=1; b=x=y;"),))
POST = Request(
    method="POST", url="http://a.test/in", headers=(("Content-Type", "a/b"),), body=b"\xff\x00"
)
OK = Response(status=200, headers=(("Content-Type", "text/html"),), body="<p>茶</p>".encode())
IMAGE = Response(status=200, headers=(("Content-Type", "image/png"),), body=b"\x89PNG\xff")


@settings(deadline=None)  # a validator in Python takes its time
@given(st.lists(exchanges(), max_size=4))
def test_it_is_har_1_2(recorded: list[Exchange]) -> None:
    """D2: whatever was recorded, a validator has nothing to say."""
    assert list(_VALIDATOR.iter_errors(har(*recorded))) == []


def test_an_empty_recording_has_no_entries() -> None:
    """D2: still a HAR, with the list of pages that Firefox asks for."""
    assert har()["log"]["entries"] == har()["log"]["pages"] == []


def test_each_entry_is_on_a_line() -> None:
    """D2: so that a diff of it reads."""
    pieces = b"".join(plain_har(iter([exchange(HOME, OK)] * 3), "1.0"))

    assert len(pieces.splitlines()) == 3 + 2


def test_a_text_is_a_text() -> None:
    """D2: its size counts bytes."""
    content = only_entry(HOME, OK)["response"]["content"]

    assert content == {"size": 10, "mimeType": "text/html", "text": "<p>茶</p>"}


def test_other_bytes_are_base64() -> None:
    """D2: in an answer by HAR's own field, in a request by one of ours, since HAR has none."""
    entry = only_entry(POST, IMAGE)

    assert entry["response"]["content"]["encoding"] == "base64"
    assert base64.b64decode(entry["response"]["content"]["text"]) == IMAGE.body
    assert base64.b64decode(entry["request"]["postData"]["text"]) == POST.body
    assert entry["request"]["postData"]["_encoding"] == "base64"


def test_a_kind_that_nobody_named_is_unknown() -> None:
    """D2: HAR asks for one."""
    assert only_entry(HOME, Response(status=204))["response"]["content"]["mimeType"] == "x-unknown"


def test_cookies_are_listed() -> None:
    """D2: HAR has them apart from the headers."""
    line = "sid=1; Path=/; HttpOnly; Expires=Tue, 01 Jan 2030 00:00:00 GMT; Secure"
    entry = only_entry(HOME, Response(status=200, headers=(("Set-Cookie", line),)))

    assert entry["request"]["cookies"] == [
        {"name": "a", "value": "1"},
        {"name": "b", "value": "x=y"},
    ]
    assert entry["response"]["cookies"] == [
        {"name": "sid", "value": "1", "path": "/", "httpOnly": True, "secure": True}
    ]


def test_a_host_that_could_not_be_reached_is_left_out() -> None:
    """D8: Playwright waits for ever for an answer with the status of a failure."""
    down = Failure(kind="connect", message="refused")

    assert har(exchange(HOME, down))["log"]["entries"] == []


@pytest.mark.parametrize(("request_", "answer"), [(HOME, OK), (POST, IMAGE)])
def test_it_comes_back_as_it_was(request_: Request, answer: Response) -> None:
    """D2: what is exported and imported asks and answers the same."""
    text = msgspec.json.encode(only_entry(request_, answer))
    again = read_entry(msgspec.json.decode(text), lambda _: None)

    assert isinstance(again, Taken)
    assert again.exchange.request.body == request_.body
    assert again.exchange.answer == answer
