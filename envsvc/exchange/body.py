"""The canonical form of a request body: which bodies provably mean the same (D3)."""

from urllib.parse import quote_from_bytes

import msgspec

from envsvc.exchange.content import BadEncodingError, decode
from envsvc.exchange.json_rpc import without_ids
from envsvc.exchange.json_text import NotCanonicalError, canonical_json, parse_json
from envsvc.exchange.message import Headers, header, media_type
from envsvc.exchange.multipart import Part, boundary_of, split_parts
from envsvc.exchange.url import canonical_pairs


class RawBody(msgspec.Struct, frozen=True, tag="raw"):
    """Bytes that mean themselves."""

    content: bytes


class JsonBody(msgspec.Struct, frozen=True, tag="json"):
    """A JSON document by its canonical text; the ids of JSON-RPC calls are left out of it.

    ``dialect`` is the media type where that says what the document means, such as a merge patch;
    "" for plain JSON.
    """

    text: str
    dialect: str = ""


class FormBody(msgspec.Struct, frozen=True, tag="form"):
    """A urlencoded form by its decoded pairs, sorted by name and stable within a name."""

    pairs: tuple[tuple[str, str], ...]


class MultipartBody(msgspec.Struct, frozen=True, tag="multipart"):
    """A multipart body by its parts in order, without the boundary."""

    parts: tuple[Part, ...]


_JSON_TYPES = frozenset({
    *("application/json", "application/json-rpc", "application/jsonrequest"),
    *("application/x-json", "text/json", "text/x-json", "application/csp-report"),
})  # fmt: skip

type CanonicalBody = RawBody | JsonBody | FormBody | MultipartBody


def canonical_body(headers: Headers, body: bytes) -> CanonicalBody:
    """Return what *body* means by its Content-Type, its Content-Encoding undone.

    An absent body equals an empty one. What does not parse is RawBody of the bytes as sent.
    """
    try:
        decoded = decode(body, header(headers, "content-encoding"))
    except BadEncodingError:
        return RawBody(body)
    return _parsed(headers, decoded) or RawBody(decoded)


def _parsed(headers: Headers, body: bytes) -> CanonicalBody | None:
    kind = media_type(headers)
    if kind in _JSON_TYPES or kind.endswith("+json"):
        return _json_body(body, "" if kind in _JSON_TYPES else kind)
    if kind == "application/x-www-form-urlencoded":
        return _form_body(body)
    if kind.startswith("multipart/"):
        return _multipart_body(header(headers, "content-type"), body)
    return None


def _json_body(body: bytes, dialect: str) -> JsonBody | None:
    try:
        return JsonBody(canonical_json(without_ids(parse_json(body.decode()))), dialect)
    except (UnicodeDecodeError, NotCanonicalError):
        return None


def _form_body(body: bytes) -> FormBody | None:
    # A byte that is none of ASCII means what its escape means (WHATWG URL 5.1). An empty body is
    # no form, so that it equals an absent one, which has no Content-Type.
    return FormBody(canonical_pairs(quote_from_bytes(body, safe=_ASCII))) if body else None


_ASCII = bytes(range(128))


def _multipart_body(content_type: str, body: bytes) -> MultipartBody | None:
    boundary = boundary_of(content_type)
    parts = split_parts(body, boundary) if boundary else None
    return MultipartBody(parts) if parts is not None else None
