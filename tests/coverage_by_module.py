"""Hold every core module to full branch coverage by its own test file alone.

A percentage over everything hides a module that only distant tests reach by chance; here a module
counts as covered by what its own tests run, and by being imported. ``make check`` calls it:
``python -m tests.coverage_by_module`` prints what is missing and ends with 1, else with 0.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import NamedTuple

import coverage

ROOT = Path(__file__).resolve().parents[1]
CORE_PACKAGES = ("answers", "cassette", "drift", "exchange", "playback", "record", "snapshot")


class Pair(NamedTuple):
    """A core module and the test file that specifies it, as paths from the root."""

    module: str
    test: str

    @property
    def tests(self) -> list[str]:
        """Return the test file, and what is split off it: test_redact.py, test_redact_more.py."""
        stem = self.test.removesuffix(".py")
        split = sorted(str(path.relative_to(ROOT)) for path in ROOT.glob(f"{stem}_more*.py"))
        return [self.test, *split]


def core_pairs() -> Iterator[Pair]:
    """Yield every core module with its test file, whether that exists or not."""
    yield Pair("envsvc/errors.py", "tests/test_errors.py")
    for package in CORE_PACKAGES:
        for module in sorted((ROOT / "envsvc" / package).glob("*.py")):
            if module.name != "__init__.py":
                test = f"tests/{package}/test_{module.name}"
                yield Pair(f"envsvc/{package}/{module.name}", test)


def run_tests(tests: list[str], data_file: Path) -> bool:
    """Run *tests* with one coverage context for each; say whether they passed.

    The package's own pytest plugin stays out, or it would import the core before it is measured.
    """
    options = ["-q", "-p", "no:cacheprovider", "-p", "no:envsvc", "--hypothesis-seed=0"]
    options += ["--cov=envsvc", "--cov-branch", "--cov-context=test", "--cov-report="]
    command = [sys.executable, "-m", "pytest", *options, *tests]
    # Python's own monitoring has no contexts; only the C tracer does.
    environment = {**os.environ, "COVERAGE_FILE": str(data_file), "COVERAGE_CORE": "ctrace"}
    return subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode == 0


def missing(pair: Pair, measured: coverage.Coverage) -> str:
    """Return the report line of *pair* if its own tests leave something out, else ""."""
    report = StringIO()
    covered = measured.report(
        morfs=[str(ROOT / pair.module)],
        contexts=[*(f"^{test}::" for test in pair.tests), "^$"],
        show_missing=True,
        file=report,
    )
    return "" if covered == 100 else report.getvalue().splitlines()[2]


def main() -> int:
    """Check all core modules and return the exit code."""
    pairs = list(core_pairs())
    with tempfile.TemporaryDirectory() as folder:
        data_file = Path(folder) / "coverage"
        if not run_tests([test for pair in pairs for test in pair.tests], data_file):
            return 1
        measured = coverage.Coverage(data_file, config_file=str(ROOT / "pyproject.toml"))
        measured.load()
        findings = [line for pair in pairs if (line := missing(pair, measured))]
    for line in findings:
        sys.stdout.write(f"not covered by its own tests: {line}\n")
    sys.stdout.write(f"{len(pairs) - len(findings)} of {len(pairs)} core modules fully covered\n")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
