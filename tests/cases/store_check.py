"""Put what cases of the store's kinds say through the store, and look at what comes out."""

import json
import re
from pathlib import Path

import msgspec
import pytest

from envsvc.adapters.yaml_text import BadYamlError, parse_yaml, write_yaml
from envsvc.cassette.bodies import body_path
from envsvc.cassette.names import is_name
from envsvc.exchange import content as content_module
from envsvc.exchange.message import Request, header_values
from tests.cases.exchange_check import served
from tests.cases.load import Case, content, headers, response_of
from tests.cases.recorded import EPOCH_US
from tests.cases.schema import (
    Config,
    HttpRequest,
    HttpResponse,
    NamesInput,
    Recorded,
    RoundtripInput,
    RoundtripValueInput,
    YamlTextInput,
)
from tests.cases.wire import Seen, Wire

_PORTABLE = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9_-])?")
_RESERVED = {"con", "prn", "aux", "nul", *(f"{n}{i}" for n in ("com", "lpt") for i in range(10))}
_OPAQUE = "kept as opaque bytes with a warning, no crash"
_HAND_EDITED = "a hand-edited file with a raw control byte gives an error with file and line"
_VALUE_SAYS = re.compile(
    rf"same (?:string|list of strings|value)(?: \(.*\))?(?:; and {_HAND_EDITED})?"
)


def check_roundtrip(case: Case, folder: Path, ca_folder: Path) -> None:
    """Do nothing if a body comes out of the store as *case* says. Raises: AssertionError."""
    given = case.read(RoundtripInput)
    expect, body = given.expect, content(given)
    assert (expect.same_bytes, expect.result) != (None, ""), f"{case.id} asks nothing"
    assert expect.result in {"", _OPAQUE}, f"{expect.result} is not understood"
    response = HttpResponse(
        status=200, headers=given.headers, body=given.body, body_b64=given.body_b64
    )
    with pytest.MonkeyPatch.context() as patch:
        if expect.max_decoded_bytes is not None:
            patch.setattr(content_module, "MAX_DECODED_BYTES", expect.max_decoded_bytes)
        meant = response_of(response)
        seen = _stored_and_served(response, folders=(folder, ca_folder))
    if expect.same_bytes is not None:
        assert (seen.body == meant.body) is expect.same_bytes
    if expect.result == _OPAQUE:
        assert meant.encoded, "it is not opaque"
        assert seen.body == body
        assert header_values(seen.headers, "content-encoding")
    kinds = header_values(headers(given), "content-type")
    assert header_values(seen.headers, "content-type") == kinds


def _stored_and_served(response: HttpResponse, folders: tuple[Path, Path]) -> Seen:
    request = HttpRequest(url="http://app.test/")
    recorded = [Recorded(request=request, response=response)]
    with (
        served(recorded, Config(), folders, EPOCH_US) as (running, _),
        Wire(running.port) as wire,
    ):
        return wire.ask(Request(method="GET", url=request.url))


def check_roundtrip_value(case: Case, folder: Path, ca_folder: Path) -> None:
    """Do nothing if a value is the same after it was stored. Raises: AssertionError.

    As a body it is bytes. As metadata it is YAML, unless no text in UTF-8 can hold it.
    """
    given = case.read(RoundtripValueInput)
    assert _VALUE_SAYS.fullmatch(given.expect), f"{given.expect} is not understood"
    lines = [("Content-Type", "application/json")]
    response = HttpResponse(status=200, headers=lines, body=given.value_json)
    seen = _stored_and_served(response, folders=(folder, ca_folder))
    assert seen.body == given.value_json.encode()
    value = json.loads(given.value_json)
    if _is_text(value):
        assert parse_yaml(write_yaml({"value": value}), "x.yaml") == {"value": value}
    if _HAND_EDITED in given.expect:
        with pytest.raises(BadYamlError) as caught:
            parse_yaml("app: x\nvalue: a\x1b[0m\n", "x.yaml")
        assert caught.value.where.startswith("x.yaml:2:")


def _is_text(value: object) -> bool:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


def check_yaml_text(case: Case) -> None:
    """Do nothing if a YAML text means what *case* says. Raises: AssertionError."""
    given = case.read(YamlTextInput)
    assert given.alternative in {"", "clear error with line"}
    assert (given.error is None) is (given.expect is not msgspec.UNSET), "value or error, not both"
    if given.error is not None:
        with pytest.raises(BadYamlError, match=re.escape(given.error)) as caught:
            parse_yaml(given.text, "x.yaml")
        assert caught.value.where.startswith("x.yaml:")
        return
    found = parse_yaml(given.text, "x.yaml")
    assert json.dumps(found) == json.dumps(given.expect)


def check_names(case: Case) -> None:
    """Do nothing if all files are called safely. Raises: AssertionError.

    Bodies are called by their content; what becomes a folder is refused unless it is safe.
    """
    given = case.read(NamesInput)
    expect = given.expect
    asks = (expect.max_bytes, expect.distinct, expect.portable)
    assert given.names, f"{case.id} names nothing"
    assert any(asks) or expect.bodies_addressed_by, f"{case.id} asks nothing"
    assert expect.bodies_addressed_by in {"", "sha256 of content"}
    paths = [body_path(name.encode(), "text/html") for name in given.names]
    distinct = len({path.lower() for path in paths}) == len(set(given.names))
    assert distinct is (expect.distinct is not False)
    files = [path.rpartition("/")[2] for path in paths]
    folders = [name for name in given.names if is_name(name)]
    portable = all(map(_is_portable, (*files, *folders)))
    assert portable is (expect.portable is not False)
    assert max(len(name.encode()) for name in (*files, *folders)) <= (expect.max_bytes or 255)


def _is_portable(name: str) -> bool:
    """Say whether *name* is a file on Linux, macOS and Windows alike."""
    is_plain = _PORTABLE.fullmatch(name) is not None and len(name.encode()) <= 255
    return is_plain and name.partition(".")[0].lower() not in _RESERVED
