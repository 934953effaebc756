"""Recordings in a few words: what was asked, second after second, and what was answered."""

from collections.abc import Iterable

import msgspec

from envsvc.cassette.entry import entry_of
from envsvc.cassette.index import Found, Index
from envsvc.cassette.stored import StoredResponse
from envsvc.cassette.variants import StateUnknown
from envsvc.cassette.writes import Made
from envsvc.exchange.message import Exchange, Failure, Headers, Request, Response

SHOP = "http://shop.test"


def ask(words: str, headers: Headers = ()) -> Request:
    """Return the request that *words* name: ``GET /cart``, or ``POST /cart body``."""
    method, path, *body = words.split(" ", 2)
    return Request(method=method, url=SHOP + path, headers=headers, body="".join(body).encode())


def say(body: str, status: int = 200, headers: Headers = ()) -> Response:
    """Return an answer of *body*."""
    return Response(status=status, headers=headers, body=body.encode())


def exchange(
    words: str,
    answer: Response | Failure | str,
    second: float,
    *,
    headers: Headers = (),
    lasts_s: float = 0.5,
) -> Exchange:
    """Return an exchange that begins in *second*; a text stands for a 200 of that body."""
    return Exchange(
        started_us=round(second * 1_000_000),
        duration_ms=lasts_s * 1000,
        request=ask(words, headers),
        answer=say(answer) if isinstance(answer, str) else answer,
    )


def in_order(*recorded: tuple[str, Response | Failure | str] | Exchange) -> list[Exchange]:
    """Return exchanges one second after another."""
    return [
        msgspec.structs.replace(one, started_us=second * 1_000_000)
        if isinstance(one, Exchange)
        else exchange(*one, second)
        for second, one in enumerate(recorded)
    ]


def index_of(exchanges: Iterable[Exchange], index: Index | None = None) -> Index:
    """Return the index of *exchanges*; the path of a body is its text."""
    filled = Index() if index is None else index
    for one in exchanges:
        filled.add(entry_of(one, lambda body, _: body.decode()), one.request)
    return filled


def served(index: Index, request: Request, made: Made | None = None) -> str:
    """Return the body that *request* is answered with, or ``nothing`` or ``state unknown``."""
    found = index.find(request, made or Made())
    if isinstance(found, StateUnknown):
        return "state unknown"
    if found is None:
        return "nothing"
    answer = found.entry.answer
    return answer.body_path if isinstance(answer, StoredResponse) else answer.kind


def found(index: Index, request: Request, made: Made | None = None) -> Found:
    """Return what was found of *request*, which must be there."""
    result = index.find(request, made or Made())
    assert isinstance(result, Found)
    return result


def after(index: Index, *writes: str) -> Made:
    """Return a session that has made these *writes*, recorded or not."""
    made = Made()
    for words in writes:
        request = ask(words)
        result = index.find(request, made)
        if isinstance(result, Found) and result.write is not None:
            made.wrote(result.write)
        else:
            made.wrote_unrecorded(request.url)
    return made
