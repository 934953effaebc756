"""Read web archives (ISO 28500), with warcio."""

import zlib
from collections.abc import Iterable, Iterator
from typing import BinaryIO

import msgspec
from warcio.archiveiterator import ArchiveIterator
from warcio.exceptions import ArchiveLoadFailed
from warcio.recordloader import ArcWarcRecord

from envsvc.cassette.foreign_har import Left, Taken
from envsvc.cassette.loose_json import moment_us
from envsvc.errors import EnvsvcError
from envsvc.exchange.message import Exchange, Headers, Request, Response, without_headers

# warcio takes the fields of a record for granted, and gzip's own errors pass through it.
_NO_ARCHIVE = (
    ArchiveLoadFailed,
    ValueError,
    EOFError,
    AttributeError,
    TypeError,
    LookupError,
    zlib.error,
)
_FRAMING = frozenset({"transfer-encoding", "content-encoding", "content-length"})


class BadWarcError(EnvsvcError):
    """A web archive cannot be read."""

    code = "E213"


def warc_exchanges(file: BinaryIO, where: str) -> Iterator[Taken | Left]:
    """Yield the answers in *file* with their requests, in order. Raises: BadWarcError.

    A request and its answer name each other and stand side by side; an answer alone was asked by
    GET. A revisit has the body of an earlier answer with the same digest, if that is in the file.
    """
    count = 0
    try:
        for count, found in enumerate(_paired(ArchiveIterator(file)), 1):  # noqa: B007 - kept
            yield found
    except _NO_ARCHIVE as error:
        raise _unreadable(str(error), where) from error
    if not count:
        raise _unreadable("it holds no answer", where)


def _unreadable(reason: str, where: str) -> BadWarcError:
    what = f"this web archive cannot be read: {reason}"
    return BadWarcError(what, where=where, fix="Record it again")


def _paired(records: Iterable[ArcWarcRecord]) -> Iterator[Taken | Left]:
    """Yield each answer once its neighbour is known: the request comes before it or after."""
    bodies: dict[str, bytes] = {}
    answers: dict[str, Taken | Left] = {}
    requests: dict[str, Request] = {}
    for record in records:
        if record.http_headers is None:
            continue
        own, partner = _id(record), _partner(record)
        if record.rec_type == "request":
            request = _request(record, _uri(record))
            if partner in answers:
                yield _with_request(answers.pop(partner), request)
            else:
                requests[partner] = requests[own] = request
        elif record.rec_type in {"response", "revisit"}:
            yield from answers.values()
            answers.clear()
            answers[own] = _answered(record, _uri(record), bodies)
            known = requests.get(own) or requests.get(partner)
            requests.clear()
            if known is not None:
                yield _with_request(answers.pop(own), known)
    yield from answers.values()


def _answered(record: ArcWarcRecord, url: str, bodies: dict[str, bytes]) -> Taken | Left:
    digest = record.rec_headers.get_header("WARC-Payload-Digest") or ""
    if record.rec_type == "revisit":
        if digest not in bodies:
            return Left(method="GET", url=url, reason="body missing: a revisit of another archive")
        body = bodies[digest]
    else:
        body = record.content_stream().read()
        bodies[digest] = body
    started_us = moment_us(record.rec_headers.get_header("WARC-Date"))
    status = record.http_headers.get_statuscode()
    if not status.isdigit():
        return Left(method="GET", url=url, reason="malformed: no status")
    answer = Response(
        status=int(status),
        reason=record.http_headers.statusline.partition(" ")[2],
        headers=without_headers(_headers(record), _FRAMING),
        body=body,
    )
    request = Request(method="GET", url=url)
    return Taken(
        exchange=Exchange(started_us=started_us or 0, duration_ms=0, request=request, answer=answer)
    )


def _with_request(found: Taken | Left, request: Request) -> Taken | Left:
    if isinstance(found, Left):
        return found
    exchange = msgspec.structs.replace(found.exchange, request=request)
    return Taken(exchange=exchange, warnings=found.warnings)


def _request(record: ArcWarcRecord, url: str) -> Request:
    method = (record.http_headers.protocol or "GET").partition(" ")[0].upper()
    body = record.content_stream().read()
    return Request(method=method, url=url, headers=_headers(record), body=body)


def _headers(record: ArcWarcRecord) -> Headers:
    return tuple((name, value) for name, value in record.http_headers.headers)


def _uri(record: ArcWarcRecord) -> str:
    uri: str = record.rec_headers.get_header("WARC-Target-URI") or ""
    return uri.strip("<>").partition("#")[0]


def _id(record: ArcWarcRecord) -> str:
    own: str = record.rec_headers.get_header("WARC-Record-ID") or ""
    return own


def _partner(record: ArcWarcRecord) -> str:
    partner: str = record.rec_headers.get_header("WARC-Concurrent-To") or ""
    return partner
