"""Start the servers that are measured, and read from /proc what they used."""

import os
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

_TICKS_PER_S = os.sysconf("SC_CLK_TCK")
_READY_TIMEOUT_S = 60.0
_STOP_TIMEOUT_S = 10.0
_POLL_S = 0.002
# Where utime and stime stand behind the name of a process (proc(5)).
_UTIME, _STIME = 11, 12


def cpu_s(pid: int) -> float:
    """Return the seconds of processor time that a process and its children have used."""
    total = 0
    for process in process_tree(pid):
        fields = _read(process, "stat").rpartition(")")[2].split()
        total += int(fields[_UTIME]) + int(fields[_STIME])
    return total / _TICKS_PER_S


def peak_mb(pid: int) -> float:
    """Return the largest resident memory so far of a process and its children, in MB (10^6)."""
    return sum(map(_peak_kib, process_tree(pid))) * 1024 / 1e6


def process_tree(pid: int) -> list[int]:
    """Return *pid* and all that descend from it."""
    children = _read(pid, f"task/{pid}/children").split()
    return [pid, *(each for child in children for each in process_tree(int(child)))]


@contextmanager
def running(command: Sequence[str | Path], log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Run *command* until left; what it prints goes to the file *log*."""
    with log.open("wb") as output:
        process = subprocess.Popen(
            [str(word) for word in command],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        try:
            yield process
        finally:
            _stop(process)


def free_port() -> int:
    """Return a port of the loopback that nothing listens on now."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return int(sock.getsockname()[1])


def wait_for_port(process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    """Wait until *process* listens on *port*. Raises: RuntimeError with what it printed."""
    deadline = time.monotonic() + _READY_TIMEOUT_S
    while time.monotonic() < deadline and process.poll() is None:
        with socket.socket() as sock:
            if not sock.connect_ex(("127.0.0.1", port)):
                return
        time.sleep(_POLL_S)
    raise RuntimeError(f"{process.args!r} did not listen on {port}: {log.read_text()[-2000:]}")


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(_STOP_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _peak_kib(pid: int) -> int:
    for line in _read(pid, "status").splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1])
    return 0


def _read(pid: int, name: str) -> str:
    return Path(f"/proc/{pid}/{name}").read_text()
