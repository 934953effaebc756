"""Make a real cassette of what a case has recorded, as sealing does."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from envsvc.adapters.cassette_files import CassetteFiles
from envsvc.app.seal import described
from envsvc.cassette.manifest import BrowserInfo, Manifest
from envsvc.cassette.rules import MatchRule
from envsvc.exchange.message import Chunk, Exchange, Request
from envsvc.exchange.redact import Redactor
from envsvc.exchange.url import host_of
from envsvc.playback.outcome import MissPolicy
from envsvc.ports import Cassette
from envsvc.record.quality import MAX_ATTEMPTS, Keep, judge
from tests.cases.load import Data, request_of, response_of

SECOND_US = 1_000_000
EPOCH_US = 1_704_110_400 * SECOND_US  # 2024-01-01T12:00:00Z
# The instructions of a case that are followed here or by whoever asks.
KNOWN = {
    "ignore_body_paths",
    "ignore_query",
    "host_alias",
    "drop_bad",
    "on_miss",
    "credentials",
    "redact_headers",
}


def exchanges(recorded: Sequence[Data], config: Data) -> list[Exchange]:
    """Return what was *recorded*, one second after another.

    ``<redacted>`` stands for the only secret that is named: what crossed the wire was that.
    """
    named = "".join(named_secrets(config).values()).encode()
    return [
        Exchange(
            started_us=EPOCH_US + number * SECOND_US,
            duration_ms=100,
            request=_with_secret(request_of(one["request"]), named),
            answer=response_of(one["response"]),
            chunks=tuple(
                Chunk(t_ms=10 * place, length=len(piece.encode()))
                for place, piece in enumerate(one["response"].get("chunks", []))
            ),
        )
        for number, one in enumerate(recorded)
    ]


def _with_secret(request: Request, named: bytes) -> Request:
    body = request.body.replace(b"<redacted>", named) if named else request.body
    return msgspec.structs.replace(request, body=body)


def named_secrets(config: Data) -> dict[str, str]:
    """Return the secrets that app.yaml would name."""
    found: dict[str, str] = config.get("credentials") or {}
    return found


def rules(config: Data) -> dict[str, MatchRule]:
    """Return the match rules that app.yaml would declare."""
    found: dict[str, MatchRule] = {}
    if "ignore_query" in config:
        found["query"] = MatchRule(ignore_query=tuple(config["ignore_query"]))
    if "ignore_body_paths" in config:
        pointers = (
            path.removeprefix("$").replace(".", "/") for path in config["ignore_body_paths"]
        )
        found["body"] = MatchRule(ignore_json=tuple(pointers))
    if "host_alias" in config:
        found["host"] = MatchRule(host_alias=config["host_alias"])
    return found


def policy(config: Data) -> MissPolicy:
    """Return the miss policy of a case; a case that names none goes on after a miss."""
    return MissPolicy(config.get("on_miss", "error"))


def cassette(folder: Path, recorded: Sequence[Data], config: Data) -> Cassette:
    """Record, redact, judge, seal, write and load what a case has *recorded*."""
    assert set(config) <= KNOWN, config
    redactor = Redactor(named_secrets(config))
    raw = exchanges(recorded, config)
    if config.get("drop_bad"):
        raw = [one for one in raw if isinstance(judge(one, MAX_ATTEMPTS, frozenset()), Keep)]
    learnt = [redactor.exchange(one) for one in raw]
    kept = [redactor.exchange(one) for one in learnt]
    hosts = sorted({host_of(one.request.url) for one in raw}) or ["app.test"]
    aliases: dict[str, Any] = config.get("host_alias") or {}
    manifest = Manifest(
        app="app",
        version="v1",
        recorded_at="2024-01-01T12:00:00Z",
        virtual_host=hosts[0],
        task_hosts=(*hosts, *aliases),
        noise=(),
        match_rules=rules(config),
        tool_schema_version=None,
        answer_table_version=None,
        envsvc_version="0",
        browser=BrowserInfo(build="", locale="", timezone="", viewport=(1, 1)),
        tours=(),
        passes=1,
        entries=len(kept),
        body_bytes=0,
        redaction={},
    )
    kept, manifest = described(manifest, kept)
    store = CassetteFiles(folder)
    store.write(manifest, kept)
    return store.load("app", "v1", Redactor(named_secrets(config)))
