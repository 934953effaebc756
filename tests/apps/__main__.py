"""Record and replay all six apps, both versions of each: ``python -m tests.apps [APP ...]``.

Installs Node.js where it is missing and may be; the apps themselves go to .cache/apps.
"""

import argparse
import subprocess
import sys
from collections.abc import Sequence

from tests.apps.node import NodeMissingError, ensure_node
from tests.apps.workspace import APPS, REPOSITORY, App


def main(words: Sequence[str]) -> int:
    """Run the tests of the apps that are named, or of all; return pytest's exit code."""
    names = [app.name for app in APPS]
    parser = argparse.ArgumentParser(prog="python -m tests.apps", description=__doc__)
    parser.add_argument("apps", nargs="*", metavar="APP", help=f"of: {', '.join(names)}")
    chosen = parser.parse_args(words).apps or names
    if unknown := set(chosen) - set(names):
        parser.error(f"unknown: {', '.join(sorted(unknown))}")
    return run_tests([app for app in APPS if app.name in chosen])


def run_tests(apps: Sequence[App]) -> int:
    """Run the tests of *apps*; return pytest's exit code, 3 if they need what is not there."""
    try:
        if any(app.needs_node for app in apps):
            ensure_node()
    except NodeMissingError as error:
        sys.stderr.write(f"{error}\n")
        return 3
    # One app at a time: their servers and two browsers fill a small machine.
    expression = " or ".join(f"{app.name}/" for app in apps)
    options = ["-m", "apps", "-k", expression, "-p", "no:randomly", "-v"]
    return subprocess.call(
        [sys.executable, "-m", "pytest", *options, "tests/apps/test_apps.py"], cwd=REPOSITORY
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
