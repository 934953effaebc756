"""Drive a server with wrk and read what it prints."""

import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

import msgspec

_REQUESTS = re.compile(r"^\s*(\d+) requests in ([\d.]+)(us|ms|s|m)\b", re.MULTILINE)
_LATENCY = re.compile(r"^\s*99%\s+([\d.]+)(us|ms|s|m)\b", re.MULTILINE)
_BAD_STATUS = re.compile(r"Non-2xx or 3xx responses: (\d+)")
_SOCKET_ERRORS = re.compile(r"Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)")
_SECONDS = {"us": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0}

# wrk asks for one URL only; these ask for all in turn, in absolute form, as a proxy is asked and
# nginx understands as well. The first formats once, so that the load itself stays cheap.
_SAME = """\
wrk.headers["Host"] = "%s"
local requests, number = {}, 0
init = function()
  for _, url in ipairs({%s}) do requests[#requests + 1] = wrk.format(nil, url) end
end
request = function()
  number = number %% #requests + 1
  return requests[number]
end
"""
_NEW = """\
wrk.headers["Host"] = "%s"
local urls, number = {%s}, 0
request = function()
  number = number + 1
  wrk.headers["X-Request"] = number
  return wrk.format(nil, urls[number %% #urls + 1])
end
"""


class BadLoadError(Exception):
    """The load was no load: wrk printed something else, or answers were not as expected."""


class Load(msgspec.Struct, frozen=True, kw_only=True):
    """A load as the client saw it."""

    requests: int
    seconds: float
    p99_ms: float

    @property
    def per_second(self) -> float:
        """Return the requests per second."""
        return self.requests / self.seconds


def parse_wrk(text: str) -> Load:
    """Return the load that wrk reports in *text*.

    Raises: BadLoadError, also where requests failed, for failing may be cheaper than answering.
    """
    requests, latency = _REQUESTS.search(text), _LATENCY.search(text)
    if requests is None or latency is None:
        raise BadLoadError(f"wrk printed no result: {text!r}")
    errors = _SOCKET_ERRORS.search(text)
    failed = sum(map(int, errors.groups())) if errors else 0
    bad_status = _BAD_STATUS.search(text)
    failed += int(bad_status[1]) if bad_status else 0
    if failed:
        raise BadLoadError(f"{failed} of {requests[1]} requests failed")
    return Load(
        requests=int(requests[1]),
        seconds=float(requests[2]) * _SECONDS[requests[3]],
        p99_ms=float(latency[1]) * _SECONDS[latency[2]] * 1000,
    )


def run_wrk(port: int, script: Path, seconds: float, connections: int) -> Load:
    """Load the server on *port* of the loopback. Raises: BadLoadError."""
    command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds:.0f}s", "--latency", "--timeout=10s"]
    done = subprocess.run(
        [*command, f"-s{script}", f"http://127.0.0.1:{port}"],
        capture_output=True,
        text=True,
        timeout=seconds + 30,
        check=False,
    )
    return parse_wrk(done.stdout or done.stderr)


def script_of(host: str, paths: Sequence[str], *, is_new_each_time: bool = False) -> str:
    """Return a wrk script that asks *host* for *paths* in turn.

    With *is_new_each_time* no two requests have the same bytes.
    """
    urls = ", ".join(f'"http://{host}{path}"' for path in paths)
    return (_NEW if is_new_each_time else _SAME) % (host, urls)
