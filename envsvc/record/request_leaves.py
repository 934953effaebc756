"""Take a request apart into the values that may change and the rest that must be equal (D3)."""

from collections.abc import Iterator
from enum import StrEnum
from typing import assert_never

import msgspec

from envsvc.cassette.ruled_body import ANY_INDEX, field_name, leaf_text
from envsvc.exchange.body import CanonicalBody, FormBody, JsonBody, MultipartBody, RawBody
from envsvc.exchange.json_text import Json, parse_json
from envsvc.exchange.key import CanonicalRequest
from envsvc.exchange.shape import shape_of
from envsvc.exchange.url import CanonicalUrl


class Kind(StrEnum):
    """Which part of a request holds a value."""

    QUERY = "query"
    BARE_QUERY = "bare-query"
    PATH_PARAMETER = "path-parameter"
    PATH_SEGMENT = "path-segment"
    JSON = "json"
    FORM = "form"


class Leaf(msgspec.Struct, frozen=True, order=True):
    """Where a value stands, as a match rule names it; "" for what a rule knows by shape only."""

    kind: Kind
    name: str = ""


class Value(msgspec.Struct, frozen=True):
    """The text at a leaf. Several values of a request may stand at the same leaf."""

    leaf: Leaf
    text: str


class Dissected(msgspec.Struct, frozen=True):
    """A request by its values, in order, and by ``rest``: all that is no value of its own."""

    values: tuple[Value, ...]
    rest: tuple[object, ...]

    @property
    def places(self) -> tuple[object, ...]:
        """Return what two requests share if they differ in values only."""
        return (self.rest, tuple(value.leaf for value in self.values))

    def differing(self, other: "Dissected") -> list[tuple[Value, Value]]:
        """Return the pairs of values that differ, given that the places are the same."""
        pairs = zip(self.values, other.values, strict=True)
        return [(ours, theirs) for ours, theirs in pairs if ours != theirs]


def dissected(request: CanonicalRequest) -> Dissected | None:
    """Return *request* taken apart, or None if its target is no absolute URL."""
    if isinstance(request.url, str):
        return None
    values: list[Value] = []
    rest: list[object] = [request.method, request.url.origin]
    for part in (*_url_parts(request.url), *_body_parts(request.body)):
        if isinstance(part, Value):
            values.append(part)
        else:
            rest.append(part)
    return Dissected(tuple(values), tuple(rest))


type _Part = Value | str | bytes


def _url_parts(url: CanonicalUrl) -> Iterator[_Part]:
    for segment in url.path.split("/"):
        name, *parameters = segment.split(";")
        yield Value(Leaf(Kind.PATH_SEGMENT), name)
        for parameter in parameters:
            key, _, text = parameter.partition("=")
            yield Value(Leaf(Kind.PATH_PARAMETER, key), text)
    for name, text in url.query:
        if not text and shape_of(name):
            yield Value(Leaf(Kind.BARE_QUERY), name)
        else:
            yield Value(Leaf(Kind.QUERY, name), text)


def _body_parts(body: CanonicalBody) -> Iterator[_Part]:
    match body:
        case JsonBody():
            yield from _json_parts(parse_json(body.text), "")
        case FormBody():
            for name, text in body.pairs:
                yield Value(Leaf(Kind.FORM, name), text)
        case MultipartBody():
            for part in body.parts:
                text = part.content.decode("latin-1")
                yield Value(Leaf(Kind.FORM, field_name(part)), text)
        case RawBody():
            yield body.content
        case _:
            assert_never(body)


def _json_parts(value: Json, pointer: str) -> Iterator[_Part]:
    match value:
        case dict():
            for key, member in sorted(value.items()):
                name = key.replace("~", "~0").replace("/", "~1")
                yield from _json_parts(member, f"{pointer}/{name}")
        case list():
            yield f"{pointer} {len(value)}"
            for element in value:
                yield from _json_parts(element, f"{pointer}/{ANY_INDEX}")
        case _:
            text = leaf_text(value)
            yield f"{pointer} {value}" if text is None else Value(Leaf(Kind.JSON, pointer), text)
