"""Take out of a canonical body what a match rule says does not count (D3)."""

import re
from collections.abc import Collection, Sequence
from decimal import Decimal

from envsvc.exchange.body import CanonicalBody, FormBody, JsonBody, MultipartBody, RawBody
from envsvc.exchange.json_text import Json, NotCanonicalError, canonical_json, parse_json
from envsvc.exchange.message import header
from envsvc.exchange.multipart import Part
from envsvc.exchange.shape import Shape, has_shape
from envsvc.exchange.xml_text import unordered_xml

type Steps = tuple[str, ...]
"""A JSON pointer by its reference tokens; "*" is every index of an array."""

ANY_INDEX = "*"

_MAX_DIGITS = 40
_POINTER = re.compile(r"(?:/(?:[^/~]|~[01])*)+")
_FIELD_NAME = re.compile(r';\s*name\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;]+))', re.IGNORECASE)


def pointer_steps(pointer: str) -> Steps | None:
    """Return the tokens of a JSON *pointer* (RFC 6901), or None if it is none or the root."""
    if _POINTER.fullmatch(pointer) is None:
        return None
    return tuple(step.replace("~1", "/").replace("~0", "~") for step in pointer[1:].split("/"))


def without_json(
    body: CanonicalBody, places: Sequence[Steps], shape: Shape | None
) -> CanonicalBody:
    """Return *body* without the values at *places* that have *shape* (None: any).

    A member leaves its object; an element of an array becomes null, so that its length stays.
    What is JSON without saying so is read as well; any other body stays.
    """
    document = _document(body)
    if document is None:
        return body
    dialect = body.dialect if isinstance(body, JsonBody) else ""
    left: Json = document
    for steps in places:
        left = _without(left, steps, shape)
    try:
        return body if left is document else JsonBody(canonical_json(left), dialect)
    except NotCanonicalError:  # what did not say that it is JSON may nest deeper
        return body


def without_fields(
    body: CanonicalBody, names: Collection[str], shape: Shape | None
) -> CanonicalBody:
    """Return a form *body* without fields called *names* that have *shape* (None: any)."""
    match body:
        case FormBody():
            kept = tuple(
                (name, value)
                for name, value in body.pairs
                if not (name in names and has_shape(value, shape))
            )
            return FormBody(kept)
        case MultipartBody():
            return MultipartBody(
                tuple(
                    part
                    for part in body.parts
                    if not (field_name(part) in names and has_shape(_text(part), shape))
                )
            )
        case _:
            return body


def with_unordered_xml(body: CanonicalBody, names: Collection[str]) -> CanonicalBody:
    """Return *body* by its text as XML where children of elements called *names* may move."""
    text = unordered_xml(body.content, names) if isinstance(body, RawBody) else None
    return body if text is None else RawBody(text.encode())


def field_name(part: Part) -> str:
    """Return the name of the form field that *part* holds, or "" (RFC 7578 4.2)."""
    match = _FIELD_NAME.search(header(part.headers, "content-disposition"))
    if match is None:
        return ""
    return match[1] if match[1] is not None else match[2]


def leaf_text(value: Json) -> str | None:
    """Return a text or number as text; None for what has no text of its own."""
    match value:
        case str():
            return value
        case Decimal():
            # Written out, 1e999999 is a megabyte; no value of a known shape is that long.
            return f"{value:f}" if abs(value.adjusted()) < _MAX_DIGITS else str(value)
        case _:
            return None


def _document(body: CanonicalBody) -> dict[str, Json] | list[Json] | None:
    match body:
        case JsonBody():
            text = body.text
        case RawBody():
            text = body.content.decode("utf-8", "replace")
        case _:
            return None
    try:
        document = parse_json(text)
    except NotCanonicalError:
        return None
    return document if isinstance(document, dict | list) else None


def _without(value: Json, steps: Steps, shape: Shape | None) -> Json:
    """Return *value* without what is at *steps*; the same object if nothing is there."""
    step, rest = steps[0], steps[1:]
    match value:
        case dict() if step in value:
            return _without_member(value, step, rest, shape)
        case list():
            indices = [n for n in range(len(value)) if step in {ANY_INDEX, str(n)}]
            return _without_elements(value, indices, rest, shape)
        case _:
            return value


def _without_member(
    members: dict[str, Json], name: str, rest: Steps, shape: Shape | None
) -> dict[str, Json]:
    if rest:
        left = _without(members[name], rest, shape)
        return members if left is members[name] else {**members, name: left}
    if not _is_ignored(members[name], shape):
        return members
    return {key: value for key, value in members.items() if key != name}


def _without_elements(
    elements: list[Json], indices: Collection[int], rest: Steps, shape: Shape | None
) -> list[Json]:
    left = list(elements)
    for index in indices:
        if rest:
            left[index] = _without(left[index], rest, shape)
        elif _is_ignored(left[index], shape):
            left[index] = None
    unchanged = all(ours is theirs for ours, theirs in zip(left, elements, strict=True))
    return elements if unchanged else left


def _is_ignored(value: Json, shape: Shape | None) -> bool:
    if shape is None:
        return True
    text = leaf_text(value)
    return text is not None and has_shape(text, shape)


def _text(part: Part) -> str:
    return part.content.decode("utf-8", "replace")
