"""Start one release of the shop on one port."""

import argparse
import sys
from pathlib import Path

import uvicorn

if not __package__:
    # Run as a file, Python searches this folder; the package lies one folder up.
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from server.app import create_app
from server.faults import FaultPlan
from server.releases import RELEASES


def parse(arguments: list[str]) -> argparse.Namespace:
    """Turn command line text into options; argparse reports mistakes and exits with 2."""
    parser = argparse.ArgumentParser(prog="server", description=__doc__)
    parser.add_argument("--version", choices=sorted(RELEASES), required=True)
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument(
        "--fault-rate", type=float, default=0.0, help="share of 503 answers, 0 to 1"
    )
    parser.add_argument("--fault-seed", type=int, default=0, help="same seed, same faults")
    return parser.parse_args(arguments)


def main() -> None:
    """Serve until a signal ends the process."""
    options = parse(sys.argv[1:])
    app = create_app(options.version, FaultPlan(rate=options.fault_rate, seed=options.fault_seed))
    uvicorn.run(
        app,
        host=options.host,
        port=options.port,
        http="httptools",
        ws="wsproto",
        log_level="warning",
        # An open stream must not keep a stopped shop alive.
        timeout_graceful_shutdown=1,
    )


if __name__ == "__main__":
    main()
