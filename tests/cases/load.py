"""Read a file of cases; its format is described at its top."""

import base64
import os
from pathlib import Path
from typing import Any

import msgspec
import yaml

from envsvc.exchange.content import BadEncodingError, decode
from envsvc.exchange.message import Headers, Request, Response, header

OWN_CASES = Path(__file__).parent / "cases.yaml"

type Data = dict[str, Any]
"""A part of a case, as YAML gives it."""


class Case(msgspec.Struct, frozen=True):
    """One fault: its name, its kind, and its input with what is expected."""

    id: str
    kind: str
    input: Data


def cases(*kinds: str) -> list[Case]:
    """Return the cases of these *kinds* in the file that ENVSVC_CASES names, or in ours."""
    path = Path(os.environ.get("ENVSVC_CASES", OWN_CASES))
    loaded: list[Data] = yaml.safe_load(path.read_text(encoding="utf-8"))
    found = [Case(one["id"], one["input"]["kind"], one["input"]) for one in loaded]
    return [case for case in found if not kinds or case.kind in kinds]


def content(data: Data) -> bytes:
    """Return the bytes of ``body`` or ``body_b64``; b"" if there is neither."""
    if "body_b64" in data:
        return base64.b64decode(data["body_b64"])
    return str(data.get("body") or "").encode()


def headers(data: Data) -> Headers:
    """Return the header lines."""
    return tuple((name, str(value)) for name, value in data.get("headers") or [])


def request_of(data: Data) -> Request:
    """Return the request that *data* describes."""
    return Request(
        method=data.get("method", "GET"),
        url=data["url"],
        headers=headers(data),
        body=content(data),
    )


def response_of(data: Data) -> Response:
    """Return the response that *data* describes, decoded as a recorder does."""
    lines, body, encoded = headers(data), content(data), False
    try:
        body = decode(body, header(lines, "content-encoding")) if body else body
    except BadEncodingError:
        encoded = True
    return Response(status=data["status"], headers=lines, body=body, encoded=encoded)
