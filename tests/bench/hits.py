"""What an exact hit costs: envsvc, nginx and mitmdump under the same load, in turns (D20)."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack

import msgspec

from tests.bench import content
from tests.bench.figures import Claim, Measurement, Section, ratio
from tests.bench.processes import cpu_s, peak_mb
from tests.bench.servers import (
    Place,
    Served,
    envsvc_serving,
    mitmdump_serving,
    nginx_serving,
)
from tests.bench.tls_load import run_tls
from tests.bench.wrk import Load, run_wrk, script_of

_ENVSVC, _NGINX, _MITMDUMP = "envsvc serve", "nginx", "mitmdump"
_ROUNDS = 3
_ROUND_S = 1.0
_WARM_UP_S = 1.0
_CONNECTIONS = 16
_MAX_TIMES_NGINX = 1.5
_MAX_SHARE_OF_MITMDUMP = 1 / 40
_CPU = "CPU µs/request"

type Ask = Callable[[Served, float, Callable[[], None]], Load]
"""Load a server for some seconds; the call marks the moment from which it counts."""


class _Kind(msgspec.Struct, frozen=True, kw_only=True):
    """A kind of load."""

    title: str
    ask: Ask


class _Sample(msgspec.Struct, frozen=True):
    load: Load
    cpu_us: float


def measure_hits(place: Place) -> list[Section]:
    """Return a section for each kind of load, on servers that have seen no other."""
    place.cassette("small", content.small_exchanges())
    return [_section(kind, place) for kind in _kinds(place)]


def _kinds(place: Place) -> list[_Kind]:
    page = (content.PAGE_PATH,)
    return [
        _Kind(title="http, 4 KiB JSON", ask=_plain(place, "json", content.JSON_PATHS)),
        _Kind(title="http, 100 KB page", ask=_plain(place, "page", page)),
        _Kind(
            title="http, 4 KiB JSON, every request new (decided, not remembered)",
            ask=_plain(place, "new", content.JSON_PATHS, is_new_each_time=True),
        ),
        _Kind(title="https, 4 KiB JSON", ask=_secure(content.JSON_PATHS)),
        _Kind(title="https, 100 KB page", ask=_secure(page)),
    ]


def _plain(place: Place, name: str, paths: Sequence[str], *, is_new_each_time: bool = False) -> Ask:
    script = place.folder / f"{name}.lua"
    script.write_text(script_of(content.HOST, paths, is_new_each_time=is_new_each_time))

    def ask(served: Served, seconds: float, at_start: Callable[[], None]) -> Load:
        at_start()
        return run_wrk(served.port, script, seconds, _CONNECTIONS)

    return ask


def _secure(paths: Sequence[str]) -> Ask:
    urls = [f"https://{content.HOST}{path}" for path in paths]

    def ask(served: Served, seconds: float, at_start: Callable[[], None]) -> Load:
        return run_tls(served, urls, seconds, _CONNECTIONS, at_start)

    return ask


def _section(kind: _Kind, place: Place) -> Section:
    with ExitStack() as stack:
        servers = {
            _ENVSVC: stack.enter_context(envsvc_serving(place, "small")),
            _NGINX: stack.enter_context(nginx_serving(place)),
            _MITMDUMP: stack.enter_context(mitmdump_serving(place)),
        }
        measured = _measured(kind.ask, servers)
    return Section(
        title=f"Exact hit: {kind.title}, {_CONNECTIONS} connections",
        measured=measured,
        claims=_claims({row.candidate: row.figures[_CPU] for row in measured}),
    )


def _measured(ask: Ask, servers: Mapping[str, Served]) -> tuple[Measurement, ...]:
    """Load the servers in turns, so that what else runs on the machine meets all alike."""
    for served in servers.values():
        ask(served, _WARM_UP_S, lambda: None)
    samples: dict[str, list[_Sample]] = {name: [] for name in servers}
    for _ in range(_ROUNDS):
        for name, served in servers.items():
            samples[name].append(_sample(ask, served))
    return tuple(_measurement(name, samples[name], servers[name]) for name in servers)


def _sample(ask: Ask, served: Served) -> _Sample:
    before: list[float] = []
    load = ask(served, _ROUND_S, lambda: before.append(cpu_s(served.pid)))
    return _Sample(load, (cpu_s(served.pid) - before[0]) / load.requests * 1e6)


def _measurement(name: str, samples: Sequence[_Sample], served: Served) -> Measurement:
    """Return the best of each figure: what else runs on the machine only makes them worse."""
    return Measurement(
        name,
        {
            _CPU: min(sample.cpu_us for sample in samples),
            "requests/s": max(sample.load.per_second for sample in samples),
            "p99 ms": min(sample.load.p99_ms for sample in samples),
            "peak RSS MB": peak_mb(served.pid),
        },
    )


def _claims(cpu: Mapping[str, float]) -> tuple[Claim, ...]:
    return (
        Claim(
            what="CPU, envsvc over nginx",
            value=ratio(cpu[_ENVSVC], cpu[_NGINX]),
            unit="x",
            at_most=_MAX_TIMES_NGINX,
        ),
        Claim(
            what="CPU, envsvc over mitmdump",
            value=ratio(cpu[_ENVSVC], cpu[_MITMDUMP]),
            unit="x",
            at_most=_MAX_SHARE_OF_MITMDUMP,
        ),
        # What the kernel and the cipher cost of themselves, where bodies are large.
        Claim(what="CPU, nginx over mitmdump", value=ratio(cpu[_NGINX], cpu[_MITMDUMP]), unit="x"),
    )
