"""A recorded request altered in one of its parts: what must miss then, and what must still hit."""

import gzip
import json
from collections.abc import Iterator
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, quote, urlencode, urlsplit, urlunsplit

from msgspec.structs import replace

from envsvc.exchange.message import Request, header, media_type

_FORM, _JSON, _MULTIPART = (
    "application/x-www-form-urlencoded",
    "application/json",
    "multipart/form-data",
)
_ADDED = "mutated"


class Mutation(NamedTuple):
    """A request with one part altered, and the name of that part."""

    part: str
    request: Request


def others(request: Request) -> Iterator[Mutation]:
    """Yield requests that ask something else than *request*."""
    url = urlsplit(request.url)
    yield Mutation("method", replace(request, method="PATCH"))
    yield Mutation("scheme", _at(request, scheme={"http": "https"}.get(url.scheme, "http")))
    yield Mutation("host", _at(request, netloc="x" + url.netloc))
    yield Mutation("port", _at(request, netloc=f"{url.hostname}:8099"))
    yield Mutation("path", _at(request, path=url.path + "x"))
    yield Mutation("path", _at(request, path="/x" + url.path))
    if url.path.swapcase() != url.path:
        yield Mutation("path", _at(request, path=url.path.swapcase()))
    for query in _other_pairs(url.query):
        yield Mutation("query", _at(request, query=query))
    yield from _other_bodies(request)


def same(request: Request) -> Iterator[Mutation]:
    """Yield requests that ask the same as *request* in other words."""
    url = urlsplit(request.url)
    yield Mutation("header", _with(request, ("User-Agent", "another")))
    yield Mutation("header", _with(request, ("Accept-Encoding", "zstd")))
    yield Mutation("header", _with(request, ("Sec-Fetch-Dest", "empty")))
    yield Mutation("header order", replace(request, headers=request.headers[::-1]))
    lower = tuple((name.lower(), value) for name, value in request.headers)
    yield Mutation("header case", replace(request, headers=lower))
    yield Mutation("host case", _at(request, netloc=url.netloc.upper()))
    if url.port is None:
        port = {"http": 80, "ws": 80}.get(url.scheme, 443)
        yield Mutation("default port", _at(request, netloc=f"{url.netloc}:{port}"))
    letter = next((i for i, c in enumerate(url.path) if c.isalpha() and "%" not in url.path), None)
    if letter is not None:
        escaped = f"%{ord(url.path[letter]):02x}"
        path = url.path[:letter] + escaped + url.path[letter + 1 :]
        yield Mutation("escape", _at(request, path=path))
    pairs = url.query.split("&")
    names = [pair.partition("=")[0] for pair in pairs]
    if len(set(names)) == len(names) > 1:
        yield Mutation("query order", _at(request, query="&".join(reversed(pairs))))
    yield from _same_bodies(request)


def _at(request: Request, **parts: str) -> Request:
    return replace(request, url=urlunsplit(urlsplit(request.url)._replace(**parts)))


def _with(request: Request, *headers: tuple[str, str]) -> Request:
    given = {name.lower() for name, _ in headers}
    kept = tuple(pair for pair in request.headers if pair[0].lower() not in given)
    return replace(request, headers=(*kept, *headers))


def _other_pairs(text: str) -> Iterator[str]:
    pairs = parse_qsl(text, keep_blank_values=True)
    yield urlencode([*pairs, (_ADDED, "1")])
    for number, (name, value) in enumerate(pairs):
        rest = pairs[:number], pairs[number + 1 :]
        yield urlencode([*rest[0], *rest[1]])
        yield urlencode([*rest[0], (name, value + "x"), *rest[1]])
        yield urlencode([*rest[0], (name + "x", value), *rest[1]])


def _other_bodies(request: Request) -> Iterator[Mutation]:
    body = request.body
    if not body:
        yield Mutation("body", replace(request, body=b"mutated"))
        return
    yield Mutation("body", replace(request, body=b""))
    part, altered = _altered_contents(request)
    for content in altered:
        yield Mutation(part, replace(request, body=content))


def _altered_contents(request: Request) -> tuple[str, Iterator[bytes]]:
    body = request.body
    match media_type(request.headers):
        case "application/x-www-form-urlencoded":
            return "form", (form.encode() for form in _other_pairs(body.decode()))
        case "application/json":
            return "JSON", (json.dumps(one).encode() for one in _other_json(json.loads(body)))
        case "multipart/form-data":
            return "multipart", _other_parts(request)
        case _:
            return "raw body", _flipped(body)


def _flipped(body: bytes) -> Iterator[bytes]:
    for place in {0, len(body) // 2, len(body) - 1}:
        yield body[:place] + bytes([body[place] ^ 1]) + body[place + 1 :]


def _other_json(value: Any) -> Iterator[Any]:  # noqa: ANN401 - JSON
    """Yield *value* with one leaf, key or length changed."""
    match value:
        case dict():
            yield from _other_objects(value)
        case list():
            yield from _other_arrays(value)
        case bool():
            yield from (not value, int(value))
        case None:
            yield "null"
        case str():
            yield from (value + "x", [value])
        case _:
            yield from (value + 1, str(value))


def _other_objects(value: dict[str, Any]) -> Iterator[Any]:
    yield {**value, _ADDED: 1}
    for key, one in value.items():
        rest = {k: v for k, v in value.items() if k != key}
        yield from (rest, {**rest, key + "x": one})
        yield from ({**value, key: other} for other in _other_json(one))


def _other_arrays(value: list[Any]) -> Iterator[Any]:
    yield [*value, _ADDED]
    if value[::-1] != value:
        yield value[::-1]
    for number, one in enumerate(value):
        for other in _other_json(one):
            yield [*value[:number], other, *value[number + 1 :]]


def _other_parts(request: Request) -> Iterator[bytes]:
    body, boundary = request.body, _boundary(request)
    for piece in (b"\r\n" + body).split(b"\r\n--" + boundary)[1:-1]:
        head, _, content = piece.partition(b"\r\n\r\n")
        if content:
            changed = bytes([content[0] ^ 1]) + content[1:]
            yield body.replace(piece, head + b"\r\n\r\n" + changed, 1)
        yield body.replace(piece, piece.replace(b'name="', b'name="x', 1), 1)
        yield body.replace(piece, piece + b"x", 1)
        yield (b"\r\n" + body).replace(b"\r\n--" + boundary + piece, b"", 1)[2:]


def _same_bodies(request: Request) -> Iterator[Mutation]:
    kind, body = media_type(request.headers), request.body
    if not body:
        return
    if not header(request.headers, "content-encoding"):
        packed = _with(replace(request, body=gzip.compress(body)), ("Content-Encoding", "gzip"))
        yield Mutation("encoding", packed)
    if kind == _JSON:
        spread = json.dumps(json.loads(body), indent=2, sort_keys=True, ensure_ascii=True)
        yield Mutation("JSON spelling", replace(request, body=spread.encode()))
    if kind == _FORM:
        pairs = parse_qsl(body.decode(), keep_blank_values=True)
        spelt = urlencode(pairs, quote_via=quote)
        yield Mutation("form spelling", replace(request, body=spelt.encode()))
    if kind == _MULTIPART:
        old, new = _boundary(request), b"another-boundary-7"
        renamed = header(request.headers, "content-type").replace(old.decode(), new.decode())
        told = _with(replace(request, body=body.replace(old, new)), ("Content-Type", renamed))
        yield Mutation("boundary", told)


def _boundary(request: Request) -> bytes:
    value = header(request.headers, "content-type").partition("boundary=")[2]
    return value.partition(";")[0].strip('"').encode()
