"""Every case of the file is run, once: none is passed over because nobody knows its kind."""

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.cases.load import OWN_CASES, Case, cases, files, read

pytestmark = [pytest.mark.cases, pytest.mark.process]

# Nobody can pass what is not built; the last of these to be built takes this away.
_NOT_BUILT_YET = ("leak-", "tool-")

HERE = Path(__file__).parent
_TEST = re.compile(r"(?P<file>[^:\s]+)::(?:\w+::)*test_(?P<name>\w+)(?:\[(?P<case>.+)\])?")


def collected() -> Counter[str]:
    """Return how many tests there are of each case: by its id as parameter, or as its name."""
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-m", "cases", str(HERE)]
    result = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    found: set[tuple[str, str, str]] = set()
    for line in result.stdout.splitlines():
        test = _TEST.fullmatch(line)
        if test:
            found.add((test["file"], test["name"], test["case"] or ""))
    tests: Counter[str] = Counter()
    for case in cases():
        tests[case.id] = len({(file, name) for file, name, of in found if _is_of(case, name, of)})
    return tests


def _is_of(case: Case, name: str, parameter: str) -> bool:
    """Say whether a test is one of *case*; a procedure may have a parameter of its own."""
    if case.kind == "procedure":
        return name == case.id.replace("-", "_")
    return re.fullmatch(rf"{re.escape(case.id)}(?:-\d+)?", parameter) is not None


def test_every_case_is_run_by_exactly_one_test() -> None:
    """Ids are names: two cases of one name would be one test."""
    ids = Counter(case.id for case in cases())
    tests = collected()

    assert {name for name, count in ids.items() if count > 1} == set()
    assert {name for name in ids if tests[name] > 1} == set()
    assert {name for name in ids if not tests[name]} <= _awaited()


def _awaited() -> set[str]:
    """Return the cases of our own file whose feature is not there yet; none of another file."""
    own = {case.id for case in read(OWN_CASES)} if files()[0] == OWN_CASES else set()
    return {name for name in own if name.startswith(_NOT_BUILT_YET)}


def test_our_own_file_is_read_whole() -> None:
    """A file that was cut off would pass as well."""
    assert len(read(OWN_CASES)) == 140
