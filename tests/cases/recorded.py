"""Make a real cassette of what a case has recorded, as sealing does."""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

import msgspec

from envsvc.adapters.cassette_files import CassetteFiles
from envsvc.app.final_scan import refuse_leaks
from envsvc.app.seal import described
from envsvc.cassette.entry import timestamp
from envsvc.cassette.manifest import BrowserInfo, Manifest
from envsvc.cassette.rules import MatchRule
from envsvc.exchange.message import Chunk, Exchange, Request
from envsvc.exchange.redact import Redactor
from envsvc.exchange.secret_names import RedactionRules
from envsvc.exchange.url import host_of
from envsvc.ports import Cassette
from envsvc.record.quality import MAX_ATTEMPTS, Keep, judge
from tests.cases.load import Data, request_of, response_of
from tests.cases.schema import Config, Recorded

SECOND_US = 1_000_000
EPOCH_US = 1_704_110_400 * SECOND_US  # 2024-01-01T12:00:00Z


def moment_us(text: str) -> int:
    """Return an RFC 3339 moment in microseconds since the epoch."""
    return round(datetime.fromisoformat(text).timestamp() * SECOND_US)


def exchanges(recorded: Sequence[Recorded], config: Config) -> list[Exchange]:
    """Return what was *recorded*, each a second after the one before unless it says when.

    ``<redacted>`` stands for the only secret that is named: what crossed the wire was that.
    """
    named = "".join(config.credentials.values()).encode()
    found: list[Exchange] = []
    for one in recorded:
        next_us = found[-1].started_us + SECOND_US if found else EPOCH_US
        found.append(
            Exchange(
                started_us=moment_us(one.recorded_at) if one.recorded_at else next_us,
                duration_ms=100,
                request=_with_secret(request_of(one.request), named),
                answer=response_of(one.response),
                chunks=tuple(
                    Chunk(t_ms=10 * place, length=len(piece.encode()))
                    for place, piece in enumerate(one.response.chunks)
                ),
            )
        )
    return found


def _with_secret(request: Request, named: bytes) -> Request:
    body = request.body.replace(b"<redacted>", named) if named else request.body
    return msgspec.structs.replace(request, body=body)


def redactor_of(config: Config) -> Redactor:
    """Return a redactor as app.yaml would describe it."""
    rules = RedactionRules(
        headers=tuple(config.redact_headers),
        cookies=tuple(config.redact_cookies),
        fields=tuple(config.redact_fields),
        once=tuple(config.redact_once),
    )
    return Redactor(config.credentials, rules=rules)


def redacted(raw: Sequence[Exchange], redactor: Redactor) -> list[Exchange]:
    """Return *raw* as sealing redacts it: read twice, for what the last one teaches."""
    learnt = [redactor.exchange(one) for one in raw]
    redactor.count_anew()
    return [redactor.exchange(one) for one in learnt]


def _rules(config: Config) -> dict[str, MatchRule]:
    """Return the match rules that app.yaml would declare."""
    found = {name: msgspec.convert(rule, MatchRule) for name, rule in config.match_rules.items()}
    pointers = [path.removeprefix("$").replace(".", "/") for path in config.ignore_body_paths]
    short = {
        "query": MatchRule(ignore_query=tuple(config.ignore_query)),
        "body": MatchRule(ignore_json=tuple(pointers)),
        "form": MatchRule(ignore_form=tuple(config.ignore_form)),
        "path": MatchRule(ignore_path_parameter=tuple(config.ignore_path_parameter)),
        "host": MatchRule(host_alias=config.host_alias),
    }
    return {**found, **{name: rule for name, rule in short.items() if rule != MatchRule()}}


def cassette(folder: Path, recorded: Sequence[Recorded | Data], config: Config | Data) -> Cassette:
    """Record, redact, judge, seal, write and load what a case has *recorded*."""
    config = msgspec.convert(config, Config, from_attributes=True)
    given = msgspec.convert(recorded, list[Recorded], from_attributes=True)
    redactor = redactor_of(config)
    raw = exchanges(given, config)
    if config.drop_bad:
        intended = frozenset(config.intended_statuses)
        raw = [one for one in raw if isinstance(judge(one, MAX_ATTEMPTS, intended), Keep)]
    kept = redacted(raw, redactor)
    hosts = sorted({host_of(one.request.url) for one in raw}) or ["app.test"]
    rules = _rules(config)
    manifest = Manifest(
        app="app",
        version="v1",
        recorded_at=timestamp(raw[0].started_us if raw else EPOCH_US),
        virtual_host=hosts[0],
        task_hosts=(*hosts, *(name for rule in rules.values() for name in rule.host_alias)),
        noise=tuple(config.noise),
        match_rules=rules,
        tool_schema_version=None,
        answer_table_version=None,
        envsvc_version="0",
        browser=BrowserInfo(build="", locale="", timezone="", viewport=(1, 1)),
        tours=(),
        passes=1,
        entries=len(kept),
        body_bytes=0,
        redaction={rule: count for rule, count in redactor.counts.items() if count},
        repeat=msgspec.convert(config.repeat, dict[str, str]),
    )
    kept, manifest = described(manifest, kept)
    refuse_leaks(manifest, kept, redactor.spellings)
    store = CassetteFiles(folder)
    store.write(manifest, kept)
    return store.load("app", "v1", redactor_of(config))
