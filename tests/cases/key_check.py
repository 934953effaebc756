"""Ask whether two requests of a case of kind ``key_pairs`` are one to a cassette."""

from pathlib import Path

from envsvc.cassette.index import Found
from envsvc.exchange.message import Request
from tests.cases.load import Case
from tests.cases.recorded import cassette, redactor_of
from tests.cases.schema import Config, HttpRequest, HttpResponse, KeyPairsInput, Recorded

_TYPES = {
    "json": "application/json",
    "json-rpc": "application/json",
    "graphql": "application/json",
    "form": "application/x-www-form-urlencoded",
    "multipart": 'multipart/form-data; boundary="{boundary}"',
    "xml": "application/xml",
    "xml-rpc": "text/xml",
    "soap": "application/soap+xml",
    "ndjson": "application/x-ndjson",
    "text": "text/plain",
    "plain": "text/plain",
    "binary": "application/octet-stream",
}
_METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}


def check_key_pairs(case: Case, folder: Path) -> None:
    """Do nothing if each pair of *case* is one request or two, as it says."""
    given = case.read(KeyPairsInput)
    assert given.pairs, f"{case.id} compares nothing"
    for number, pair in enumerate(given.pairs):
        a, b = (asked(given.what, text) for text in (pair.a, pair.b))
        for side, (recorded, other) in enumerate(((a, b), (b, a))):
            place = folder / f"{number}-{side}"
            assert answers(recorded, recorded, place / "same"), pair
            assert answers(recorded, other, place / "other") is pair.same, pair


def asked(what: str, text: str) -> HttpRequest:
    """Return the request of a URL ("GET URLs"), or of a body ("JSON request bodies")."""
    kind, *rest = what.split()
    if what == "URLs" or (rest == ["URLs"] and kind in _METHODS):
        return HttpRequest(method=kind if rest else "GET", url=text)
    is_body = rest in (["bodies"], ["request", "bodies"]) and kind.lower() in _TYPES
    assert is_body, f"what: {what!r} is not understood"
    first_line = text.partition("\r\n")[0].removeprefix("--")
    headers = [("Content-Type", _TYPES[kind.lower()].format(boundary=first_line))]
    return HttpRequest(method="POST", url="http://app.test/", headers=headers, body=text)


def answers(recorded: HttpRequest, other: HttpRequest, folder: Path) -> bool:
    """Say whether a cassette of *recorded* has an answer for *other*."""
    exchange = Recorded(request=recorded, response=HttpResponse(status=200, body="x"))
    loaded = cassette(folder, [exchange], Config())
    headers = tuple((name, str(value)) for name, value in other.headers)
    live = Request(
        method=other.method, url=other.url, headers=headers, body=(other.body or "").encode()
    )
    return isinstance(loaded.index.find(redactor_of(Config()).request(live)), Found)
