"""JSON-RPC 2.0: a call is the same call whatever its id, and its answer bears the id that was sent.

The id is a client's own counter (JSON-RPC 2.0, 4), so it is left out of the key and written into
the recorded answer; every other byte of that stays as it was.
"""

import json
import re
from collections.abc import Iterator, Mapping

import msgspec

from envsvc.exchange.json_text import Json

_SKIP = json.JSONDecoder()
# A line of an event stream that holds a message (HTML 9.2.5); MCP answers so.
_EVENT = re.compile(r"^(data: ?)(.*)$", re.MULTILINE)
_WHITE = " \t\r\n"
_ANY_ID = True  # stands for whatever id was sent: no id may be a boolean


class _Member(msgspec.Struct, frozen=True):
    """A member of an object: its name, and where its value begins and ends in the text."""

    name: str
    start: int
    end: int


def without_ids(document: Json) -> Json:
    """Return *document* with the ids of its calls made equal, if it is a call or a batch of them.

    That there is an id stays: without one it is a notification, which gets no answer.
    """
    if isinstance(document, list):
        return [_without_id(item) for item in document] if all(map(is_call, document)) else document
    return _without_id(document)


def is_call(document: Json) -> bool:
    """Say whether *document* is a request or notification object."""
    return isinstance(document, dict) and document.get("jsonrpc") == "2.0" and "method" in document


def _without_id(document: Json) -> Json:
    if isinstance(document, dict) and is_call(document) and "id" in document:
        return {**document, "id": _ANY_ID}
    return document


def id_tokens(text: str) -> list[str]:
    """Return the ids of the calls in *text* as they are written, in order; [] if it is no call."""
    objects = _objects(text)
    tokens = [
        text[member.start : member.end]
        for members in objects
        for member in members
        if member.name == "id"
    ]
    return tokens if any(m.name == "jsonrpc" for members in objects for m in members) else []


def with_ids(answer: str, ids: Mapping[str, str]) -> str:
    """Return *answer* with its ids replaced by what *ids* maps them to, all else as it was.

    What is no JSON comes back as it is; so does an id that *ids* does not know, such as the null
    of an error that nobody can be told apart by.
    """
    pieces, end = [], 0
    for members in _objects(answer):
        for member in members:
            token = answer[member.start : member.end]
            if member.name == "id" and _plain(token) in ids:
                pieces += [answer[end : member.start], ids[_plain(token)]]
                end = member.end
    return "".join([*pieces, answer[end:]])


def echoed(answer: bytes, ids: Mapping[str, str]) -> bytes:
    """Return *answer* with its ids replaced as in ``with_ids``; JSON, or events that hold JSON."""
    try:
        text = answer.decode()
    except UnicodeDecodeError:
        return answer
    if not _EVENT.search(text):
        return with_ids(text, ids).encode()
    return _EVENT.sub(lambda line: line[1] + with_ids(line[2], ids), text).encode()


def echoes(asked: str, recorded: str) -> dict[str, str]:
    """Return what recorded ids are to be replaced by: the ids that were *asked*, place by place."""
    return {
        _plain(old): new for old, new in zip(id_tokens(recorded), id_tokens(asked), strict=False)
    }


def _plain(token: str) -> str:
    """Return *token* so that two spellings of one id are equal."""
    return json.dumps(json.loads(token))


def _objects(text: str) -> list[list[_Member]]:
    """Return the members of the object in *text*, or of each object in its array."""
    try:
        start = _white(text, 0)
        if text[start : start + 1] == "{":
            return [list(_members(text, start)[0])]
        if text[start : start + 1] == "[":
            return list(_items(text, start + 1))
    except (ValueError, IndexError, RecursionError):
        pass
    return []


def _items(text: str, place: int) -> Iterator[list[_Member]]:
    place = _white(text, place)
    while text[place] == "{":
        members, place = _members(text, place)
        yield members
        place = _white(text, place)
        if text[place] == ",":
            place = _white(text, place + 1)


def _members(text: str, place: int) -> tuple[list[_Member], int]:
    """Return the members of the object that begins at *place*, and where it ends."""
    found = []
    place = _white(text, place + 1)
    while text[place] != "}":
        name, place = _SKIP.raw_decode(text, place)
        place = _white(text, place)
        if text[place] != ":" or not isinstance(name, str):
            raise ValueError("no member")
        start = _white(text, place + 1)
        _, end = _SKIP.raw_decode(text, start)
        found.append(_Member(name, start, end))
        place = _white(text, end)
        if text[place] == ",":
            place = _white(text, place + 1)
    return found, place + 1


def _white(text: str, place: int) -> int:
    while text[place] in _WHITE:
        place += 1
    return place
