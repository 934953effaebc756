"""Read a file of cases; its format is described at its top."""

import base64
import os
from pathlib import Path
from typing import Any

import msgspec
import yaml

from envsvc.exchange.content import BadEncodingError, decode
from envsvc.exchange.message import Headers, Request, Response, header
from tests.cases.schema import HttpRequest, HttpResponse, Message

OWN_CASES = Path(__file__).parent / "cases.yaml"
MORE_CASES = Path(__file__).parent / "more_cases.yaml"

type Data = dict[str, Any]
"""A part of a case, as YAML gives it."""

# What a case says beside its input is for people.
_TOLD = {"id", "input", "source", "area", "basis", "fault", "right", "measured_here", "note"}


class Case(msgspec.Struct, frozen=True):
    """One fault: its name, its kind, and its input with what is expected."""

    id: str
    kind: str
    input: Data

    def read[T](self, as_type: type[T]) -> T:
        """Return the input by its kind's own type. Raises: AssertionError for an unknown field."""
        try:
            return msgspec.convert(self.input, as_type)
        except msgspec.ValidationError as error:
            raise AssertionError(
                f"{self.id}: the runner does not understand this: {error}"
            ) from error


def files() -> list[Path]:
    """Return the file that ENVSVC_CASES names, or else ours."""
    named = os.environ.get("ENVSVC_CASES")
    return [Path(named)] if named else [path for path in (OWN_CASES, MORE_CASES) if path.exists()]


def cases(*kinds: str) -> list[Case]:
    """Return the cases of these *kinds*; all if none is given."""
    found = [case for path in files() for case in read(path)]
    return [case for case in found if not kinds or case.kind in kinds]


def read(path: Path) -> list[Case]:
    """Return the cases in a file."""
    loaded: list[Data] = yaml.safe_load(path.read_text(encoding="utf-8"))
    for one in loaded:
        assert set(one) <= _TOLD, f"{one['id']}: {sorted(set(one) - _TOLD)} is not understood"
    return [Case(one["id"], one["input"]["kind"], one["input"]) for one in loaded]


def content(data: Data | Message) -> bytes:
    """Return the bytes of ``body`` or ``body_b64``; b"" if there is neither."""
    message = data if isinstance(data, Message) else _message(data)
    if message.body_b64 is not None:
        assert message.body is None, "a body is either text or base64"
        return base64.b64decode(message.body_b64)
    return (message.body or "").encode()


def headers(data: Data | Message) -> Headers:
    """Return the header lines."""
    message = data if isinstance(data, Message) else _message(data)
    return tuple((name, str(value)) for name, value in message.headers)


def _message(data: Data) -> Message:
    return msgspec.convert(
        {name: data[name] for name in ("headers", "body", "body_b64") if name in data}, Message
    )


def request_of(data: Data | HttpRequest) -> Request:
    """Return the request that *data* describes."""
    asked = data if isinstance(data, HttpRequest) else msgspec.convert(data, HttpRequest)
    return Request(method=asked.method, url=asked.url, headers=headers(asked), body=content(asked))


def response_of(data: Data | HttpResponse) -> Response:
    """Return the response that *data* describes, decoded as a recorder does."""
    answer = data if isinstance(data, HttpResponse) else msgspec.convert(data, HttpResponse)
    lines, body, encoded = headers(answer), content(answer), False
    if answer.chunks:
        assert body.decode() in {"", "".join(answer.chunks)}, "chunks are no pieces of the body"
        body = "".join(answer.chunks).encode()
    try:
        body = decode(body, header(lines, "content-encoding")) if body else body
    except BadEncodingError:
        encoded = True
    return Response(
        status=answer.status, reason=answer.reason, headers=lines, body=body, encoded=encoded
    )
