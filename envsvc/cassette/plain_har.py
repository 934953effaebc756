"""A recording as a plain HAR 1.2: every body embedded, nothing that only envsvc reads.

http://www.softwareishard.com/blog/har-12-spec/; web socket messages as Chrome exports them.
"""

import base64
from collections.abc import Iterator

import msgspec

from envsvc.cassette.entry import entry_of
from envsvc.exchange.message import Exchange, Headers, Request, Response, header_values

type Json = dict[str, object]
"""A part of a HAR."""

_ENCODER = msgspec.json.Encoder()


def plain_har(exchanges: Iterator[Exchange], envsvc_version: str) -> Iterator[bytes]:
    """Yield the HAR of *exchanges* piece by piece, one entry on a line.

    Hosts that could not be reached are left out: HAR has no word for them, and readers hang.
    """
    creator = _ENCODER.encode({"name": "envsvc", "version": envsvc_version})
    yield b'{"log":{"version":"1.2","creator":' + creator + b',"pages":[],"entries":['
    before = b"\n"
    for exchange in exchanges:
        if isinstance(exchange.answer, Response):
            yield before + _ENCODER.encode(_entry(exchange, exchange.answer))
            before = b",\n"
    yield b"\n]}}\n"


def _entry(exchange: Exchange, answer: Response) -> Json:
    entry: dict[str, Json] = msgspec.to_builtins(entry_of(exchange, lambda _body, _kind: ""))
    del entry["_envsvc"]
    _embed_request(entry["request"], exchange.request)
    response = entry["response"]
    response["content"] = _content(answer)
    response["cookies"] = [_set_cookie(v) for v in header_values(answer.headers, "set-cookie")]
    return {**entry}


def _embed_request(data: Json, request: Request) -> None:
    data["cookies"] = list(_cookies(request.headers))
    if request.body:
        posted = data["postData"]
        assert isinstance(posted, dict)  # noqa: S101 - an entry with a body has one
        del posted["_file"]
        if not posted["text"]:
            posted |= {"text": base64.b64encode(request.body).decode(), "_encoding": "base64"}


def _content(answer: Response) -> Json:
    kinds = header_values(answer.headers, "content-type")
    kept: Json = {"size": len(answer.body), "mimeType": kinds[0] if kinds else "x-unknown"}
    try:
        return {**kept, "text": answer.body.decode()}
    except UnicodeDecodeError:
        return {**kept, "text": base64.b64encode(answer.body).decode(), "encoding": "base64"}


def _cookies(headers: Headers) -> Iterator[Json]:
    for line in header_values(headers, "cookie"):
        for pair in line.split(";"):
            name, _, value = pair.strip().partition("=")
            if name:
                yield {"name": name, "value": value}


def _set_cookie(line: str) -> Json:
    """Return a Set-Cookie line as HAR has it; its expiry stays in the header alone."""
    pair, *attributes = (part.strip() for part in line.split(";"))
    name, _, value = pair.partition("=")
    given = {key.strip().lower(): v.strip() for key, _, v in (a.partition("=") for a in attributes)}
    places: Json = {key: given[key] for key in ("path", "domain") if key in given}
    flags = {"httpOnly": "httponly" in given, "secure": "secure" in given}
    return {"name": name, "value": value, **places, **flags}
