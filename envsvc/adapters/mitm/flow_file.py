"""Read what mitmproxy wrote with ``-w``."""

from collections.abc import Iterator
from typing import BinaryIO

import msgspec
from mitmproxy import http
from mitmproxy.exceptions import FlowReadException
from mitmproxy.io import FlowReader

from envsvc.adapters.mitm.capture import captured, messages_of, response_of
from envsvc.app.record_app import Place
from envsvc.cassette.foreign_har import Left, Taken
from envsvc.errors import EnvsvcError


class BadFlowsError(EnvsvcError):
    """A file of flows cannot be read."""

    code = "E212"


def flow_exchanges(file: BinaryIO, where: str) -> Iterator[Taken | Left]:
    """Yield the HTTP flows in *file*, in order. Raises: BadFlowsError."""
    try:
        for flow in FlowReader(file).stream():
            if isinstance(flow, http.HTTPFlow):
                yield _read(flow)
            else:
                yield Left(method="", url=flow.type, reason="no HTTP", is_foreign=True)
    except (FlowReadException, ValueError, TypeError, LookupError, AttributeError) as error:
        raise BadFlowsError(
            f"these flows cannot be read: {error}", where=where, fix="Record them again"
        ) from error


def _read(flow: http.HTTPFlow) -> Taken | Left:
    capture = captured(flow, Place())
    request, response = capture.request, flow.response
    if response is None or flow.error is not None:
        reason = flow.error.msg if flow.error else "no answer"
        return Left(method=request.method, url=request.url, reason=f"a failed load: {reason}")
    if response.raw_content is None:
        return Left(method=request.method, url=request.url, reason="body missing")
    answer = response_of(response, response.raw_content)
    ended_s = response.timestamp_end or response.timestamp_start or capture.started_s
    exchange = capture.exchange(answer, ended_s)
    if flow.websocket is not None:
        messages = messages_of(flow.websocket, capture.started_s)
        exchange = msgspec.structs.replace(exchange, messages=messages)
    return Taken(exchange=exchange)
