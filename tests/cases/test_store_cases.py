"""Cases of kinds ``roundtrip``, ``roundtrip_value``, ``yaml_text`` and ``names``."""

import json
import re
from pathlib import Path

import pytest

from envsvc.adapters.yaml_text import parse_yaml, write_yaml
from envsvc.cassette.bodies import body_path
from envsvc.exchange import content as content_module
from envsvc.exchange.content import BadEncodingError, decode
from envsvc.exchange.message import header_values, media_type
from tests.cases.load import Case, cases, content, headers
from tests.cases.recorded import cassette

pytestmark = pytest.mark.cases

_RESERVED = {"con", "prn", "aux", "nul", *(f"{n}{i}" for n in ("com", "lpt") for i in range(10))}


@pytest.mark.parametrize("case", cases("roundtrip"), ids=lambda case: case.id)
def test_roundtrip(case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What goes into the store comes out, within bounds."""
    expect, body = case.input["expect"], content(case.input)
    if "max_decoded_bytes" in expect:
        monkeypatch.setattr(content_module, "MAX_DECODED_BYTES", expect["max_decoded_bytes"])
        with pytest.raises(BadEncodingError):
            decode(body, "gzip")
        return
    assert expect == {"same_bytes": True}
    pairs = [list(pair) for pair in headers(case.input)]
    response = {"status": 200, "headers": pairs, "body_b64": case.input["body_b64"]}
    recorded = [{"request": {"method": "GET", "url": "http://app.test/"}, "response": response}]
    loaded = cassette(tmp_path, recorded, {})
    entry = loaded.index.entries[0]

    path = body_path(body, media_type(headers(case.input)))
    assert loaded.read_body(path) == body
    assert header_values(entry.headers, "content-type") == header_values(
        headers(case.input), "content-type"
    )


@pytest.mark.parametrize("case", cases("roundtrip_value"), ids=lambda case: case.id)
def test_roundtrip_value(case: Case) -> None:
    """A value is the same after it was written as YAML; bodies are kept as bytes anyway."""
    text = case.input["value_json"]
    value = json.loads(text)
    try:
        text.encode()
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        # No text in UTF-8: only its escaped form can be stored, as bytes.
        assert text.encode() == case.input["value_json"].encode("ascii")
        return

    assert parse_yaml(write_yaml({"value": value}), "x.yaml") == {"value": value}


@pytest.mark.parametrize("case", cases("yaml_text"), ids=lambda case: case.id)
def test_yaml_text(case: Case) -> None:
    """Plain words are texts, whatever YAML 1.1 makes of them."""
    assert parse_yaml(case.input["text"], "x.yaml") == case.input["expect"]


@pytest.mark.parametrize("case", cases("names"), ids=lambda case: case.id)
def test_names(case: Case) -> None:
    """Files are named by content, so no name of an app ever becomes one."""
    expect = case.input["expect"]
    assert set(expect) <= {"max_bytes", "distinct", "portable", "bodies_addressed_by"}
    paths = [body_path(name.encode(), "text/html") for name in case.input["names"]]

    assert len(set(paths)) == len(set(case.input["names"]))
    for path in paths:
        name = path.rpartition("/")[2]
        assert re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*[A-Za-z0-9]", name)
        assert name.partition(".")[0].lower() not in _RESERVED
        assert len(name.encode()) <= expect.get("max_bytes", 255)
