"""How fast known values are taken out of a large body (D20)."""

import time

from envsvc.exchange.message import Exchange, Request, Response
from envsvc.exchange.redact import Redactor
from tests.bench import content
from tests.bench.figures import Claim, Measurement, Section, median

_BODY_BYTES = 20_000_000
_VALUES = 20
_ROUNDS = 3
_MIN_MB_PER_S = 100.0


def measure_redaction() -> list[Section]:
    """Return one section: an exchange with a 20 MB answer that shows 20 secrets, 10 times each."""
    values = content.secret_values(_VALUES)
    body = content.text_with(values, _BODY_BYTES)
    named = {f"key-{number}": value for number, value in enumerate(values)}
    seconds = median(_seconds(named, body) for _ in range(_ROUNDS))
    speed = len(body) / 1e6 / seconds
    return [
        Section(
            title="Redaction: a 20 MB body, 20 known values",
            measured=(Measurement("Redactor.exchange", {"seconds": seconds, "MB/s": speed}),),
            claims=(Claim(what="throughput", value=speed, unit="MB/s", at_least=_MIN_MB_PER_S),),
        )
    ]


def _seconds(named: dict[str, str], body: bytes) -> float:
    redactor = Redactor(named)
    exchange = Exchange(
        started_us=0,
        duration_ms=0,
        request=Request(method="GET", url=f"http://{content.HOST}/"),
        answer=Response(status=200, headers=(("Content-Type", "text/html"),), body=body),
    )
    start = time.perf_counter()
    redacted = redactor.exchange(exchange)
    seconds = time.perf_counter() - start
    assert isinstance(redacted.answer, Response)
    assert not any(value.encode() in redacted.answer.body for value in named.values())
    return seconds
