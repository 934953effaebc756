"""How long a large cassette takes until it is served, and what it needs in memory (D20)."""

import math
import subprocess
import sys
import time
from collections.abc import Callable
from http.client import HTTPConnection
from urllib.parse import urlsplit

import msgspec

from tests.bench import content
from tests.bench.figures import Claim, Measurement, Section
from tests.bench.processes import cpu_s, peak_mb
from tests.bench.servers import Place, envsvc_serving

_ROUNDS = 5
_MAX_READY_S = 1.0
_MAX_PEAK_MB = 150.0


class _Sample(msgspec.Struct, frozen=True):
    seconds: float
    cpu_s: float = math.nan
    peak_mb: float = math.nan


def measure_loading(place: Place) -> list[Section]:
    """Return one section: from the start of the process to the first answer."""
    place.cassette("small", content.small_exchanges())
    place.cassette("large", content.large_exchanges())
    small_url = f"http://{content.HOST}{content.PAGE_PATH}"
    samples = {
        "python -c pass": _best(_interpreter),
        "402 entries, 3 MB": _best(lambda: _served(place, "small", small_url)),
        "10,000 entries, 500 MB": _best(lambda: _served(place, "large", content.large_url(7))),
    }
    _, small, large = samples.values()
    return [
        Section(
            title="Loading: from starting `envsvc serve` to its first answer, files in page cache, "
            f"best of {_ROUNDS}",
            measured=tuple(_row(name, sample) for name, sample in samples.items()),
            claims=(
                Claim(
                    what="ready, start of the program included",
                    value=large.seconds,
                    unit="s",
                    at_most=_MAX_READY_S,
                ),
                Claim(
                    what="of it for 10,000 entries rather than 402",
                    value=large.seconds - small.seconds,
                    unit="s",
                ),
                Claim(what="peak RSS", value=large.peak_mb, unit="MB", at_most=_MAX_PEAK_MB),
            ),
        )
    ]


def _served(place: Place, app: str, url: str) -> _Sample:
    start = time.perf_counter()
    with envsvc_serving(place, app) as served:
        _get(served.port, url)
        seconds = time.perf_counter() - start
        return _Sample(seconds, cpu_s(served.pid), peak_mb(served.pid))


def _get(port: int, url: str) -> None:
    connection = HTTPConnection("127.0.0.1", port, timeout=10)
    connection.request("GET", url, headers={"Host": urlsplit(url).netloc})
    answer = connection.getresponse()
    assert answer.status == 200, answer.status
    answer.read()
    connection.close()


def _interpreter() -> _Sample:
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", "pass"], check=True)
    return _Sample(time.perf_counter() - start)


def _best(sample: Callable[[], _Sample]) -> _Sample:
    """Return the best of each figure: what else runs on the machine only makes them worse."""
    samples = [sample() for _ in range(_ROUNDS)]
    return _Sample(
        min(each.seconds for each in samples),
        min(each.cpu_s for each in samples),
        min(each.peak_mb for each in samples),
    )


def _row(candidate: str, sample: _Sample) -> Measurement:
    figures = {"seconds": sample.seconds, "CPU s": sample.cpu_s, "peak RSS MB": sample.peak_mb}
    return Measurement(candidate, figures)
