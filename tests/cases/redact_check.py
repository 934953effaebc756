"""Record what a case of kind ``redact`` says, then look at every stored byte."""

import base64
import re
from collections.abc import Sequence
from pathlib import Path

import msgspec

from envsvc.adapters.cassette_files import CassetteFiles
from envsvc.exchange.message import Exchange, Request, Response
from tests.cases.exchange_check import check_steps, served
from tests.cases.load import Case
from tests.cases.recorded import EPOCH_US, cassette, exchanges
from tests.cases.schema import Config, Message, Recorded, RedactInput, Step
from tests.cases.stored_scan import where_found
from tests.cases.wire import Wire

# How a case may call what the scan looks for; it looks for all of them every time.
_FORMS = {
    *("raw", "percent-encoded", "base64", "base64url", "base64 of user:secret", "hex"),
    *("json-escaped", "html-escaped"),
}
_FOUND_BY = {
    "shape": ("secret.shape.",),
    "name": ("secret.field.", "secret.header.", "secret.cookie"),
    "value": ("secret.propagated",),
}
_SERVED = re.compile(r"<the placeholder served by (?P<method>[A-Z]+) (?P<path>/[^>]*)>")


def check_redact(case: Case, folder: Path, ca_folder: Path) -> None:
    """Do nothing if the store holds what *case* says, and no secret. Raises: AssertionError."""
    given = case.read(RedactInput)
    expect = given.expect
    asks = (expect.absent_from_store, expect.stored_part_bytes_b64, expect.same_placeholder)
    assert any(one is not None for one in asks) or expect.crash is False, f"{case.id} asks nothing"
    assert expect.crash is not True, "nothing shall crash"
    config = _named(given)
    loaded = cassette(folder, given.recorded, config)
    left = {secret: where_found(folder, secret) for secret in given.secrets}
    if expect.absent_from_store is not None:
        assert given.secrets, "no secret is named"
        assert any(left.values()) is not expect.absent_from_store, left
    assert set(expect.scan_forms) <= _FORMS, set(expect.scan_forms) - _FORMS
    if expect.found_by:
        rules = _FOUND_BY[expect.found_by]
        assert any(rule.startswith(rules) for rule in loaded.manifest.redaction)
    stored = [exchange for _, exchange in CassetteFiles(folder).entries("app", "v1")]
    raw = exchanges(given.recorded, config)
    assert len(stored) == len(raw)
    if expect.stored_part_bytes_b64 is not None:
        part = base64.b64decode(expect.stored_part_bytes_b64)
        assert any(part in one for exchange in stored for one in _bodies(exchange))
    if expect.same_placeholder is not None:
        for secret in given.secrets:
            stand_ins = set(_stand_ins(raw, stored, secret))
            assert stand_ins, f"{secret} stands in no place that can be compared"
            assert (len(stand_ins) == 1) is expect.same_placeholder, stand_ins
    if expect.replay:
        steps = [_filled_in(step, given, config, (folder, ca_folder)) for step in expect.replay]
        check_steps(steps, given.recorded, config, folders=(folder, ca_folder))


def _named(given: RedactInput) -> Config:
    """Return what app.yaml would say.

    A secret that never crosses the wire as it is, but only within an encoding and under a name
    that tells nothing, can be known by one thing alone: that app.yaml names it.
    """
    fields = [*given.config.redact_fields, *given.redact_fields]
    sent = "\n".join(_texts(given.recorded))
    hidden = {f"s{n}": secret for n, secret in enumerate(given.secrets) if secret not in sent}
    credentials = {**hidden, **given.config.credentials}
    return msgspec.structs.replace(given.config, redact_fields=fields, credentials=credentials)


def _texts(recorded: Sequence[Recorded]) -> list[str]:
    messages: list[Message] = [one.request for one in recorded]
    messages += [one.response for one in recorded]
    lines = [str(value) for message in messages for _, value in message.headers]
    bodies = [message.body or message.body_b64 or "" for message in messages]
    return [*lines, *bodies, *(one.request.url for one in recorded)]


def _bodies(exchange: Exchange) -> tuple[bytes, bytes]:
    answer = exchange.answer
    assert isinstance(answer, Response)
    return exchange.request.body, answer.body


def _places(exchange: Exchange) -> list[str]:
    answer = exchange.answer
    assert isinstance(answer, Response)
    lines = [value for _, value in (*exchange.request.headers, *answer.headers)]
    bodies = [body.decode("latin-1") for body in _bodies(exchange)]
    return [exchange.request.url, *bodies, *lines]


def _stand_ins(raw: list[Exchange], stored: list[Exchange], secret: str) -> list[str]:
    """Return what stands where *secret* stood alone in a text."""
    pairs = [
        pair
        for before, after in zip(raw, stored, strict=True)
        for pair in zip(_places(before), _places(after), strict=True)
    ]
    return [_between(before, after, secret) for before, after in pairs if before.count(secret) == 1]


def _between(before: str, after: str, secret: str) -> str:
    head, _, tail = before.partition(secret)
    assert after.startswith(head), (before, after)
    assert after.endswith(tail), (before, after)
    return after[len(head) : len(after) - len(tail)]


def _filled_in(step: Step, given: RedactInput, config: Config, folders: tuple[Path, Path]) -> Step:
    """Return *step* with what a replay serves in the place of the secrets of a page."""
    text = step.request.body or ""
    wanted = _SERVED.search(text)
    assert wanted or "<the placeholder" not in text, f"{text} is not understood"
    if not wanted:
        return step
    recorded = next(
        one
        for one in given.recorded
        if one.request.method == wanted["method"] and one.request.url.endswith(wanted["path"])
    )
    with (
        served(given.recorded, config, folders, EPOCH_US) as (running, _),
        Wire(running.port, running.ca_certificate) as wire,
    ):
        asked = Request(method=recorded.request.method, url=recorded.request.url)
        shown = wire.ask(asked).body.decode()
    page = recorded.response.body or ""
    secret = next(one for one in given.secrets if page.count(one) == 1)
    body = text.replace(wanted[0], _between(page, shown, secret))
    return msgspec.structs.replace(step, request=msgspec.structs.replace(step.request, body=body))
