"""The rules of the source tree hold: what is where, who imports whom, how long, and what not."""

import subprocess
from itertools import chain
from pathlib import Path

import pytest
from importlinter.cli import lint_imports

from tests.coverage_by_module import CORE_PACKAGES, Pair, core_pairs

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = {"envsvc", "har", "images", "answer_tables", "tests", ".ci"}
MAX_LINES = 400  # more does not fit into a reader's head
# In pieces, so that this file does not name them either.
REGISTRY_HOSTS = [
    "".join(pieces)
    for pieces in [
        ("py", "pi.org"),
        ("python", "hosted.org"),
        ("npm", "js.org"),
        ("npm", "js.com"),
        ("yarn", "pkg.com"),
        ("deb.", "debian.org"),
        ("security.", "debian.org"),
        ("archive.", "ubuntu.com"),
        ("security.", "ubuntu.com"),
    ]
]


def tracked() -> list[Path]:
    """Return the files in git, as paths from the root."""
    listing = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout
    return [Path(name) for name in listing.split("\0") if name and (ROOT / name).exists()]


@pytest.mark.parametrize("pair", list(core_pairs()), ids=lambda pair: pair.module)
def test_every_core_module_has_its_own_test_file(pair: Pair) -> None:
    """Which tests specify a module is never a question."""
    assert (ROOT / pair.module).is_file()
    assert (ROOT / pair.test).is_file()


def test_core_packages_are_flat() -> None:
    """A module in a sub-package would escape the rule above."""
    folders = {
        p.parent.name for name in CORE_PACKAGES for p in (ROOT / "envsvc" / name).rglob("*.py")
    }

    assert folders == set(CORE_PACKAGES)


def test_no_python_file_is_too_long() -> None:
    """What is longer is two things."""
    python = [p for p in tracked() if p.suffix == ".py" and p.parts[0] in FOLDERS]
    long = [str(p) for p in python if len((ROOT / p).read_text().splitlines()) > MAX_LINES]

    assert python
    assert long == []


def test_there_is_no_other_folder_at_the_top() -> None:
    """Everything has its place already."""
    assert {path.parts[0] for path in tracked() if len(path.parts) > 1} <= FOLDERS


def test_imports_point_one_way() -> None:
    """The contracts in pyproject.toml hold: layers, a pure core, one adapter per technology."""
    assert lint_imports(config_filename=str(ROOT / "pyproject.toml"), no_cache=True) == 0


def test_no_file_names_a_package_registry() -> None:
    """Where packages come from is the business of whoever installs."""
    named = chain.from_iterable(
        (f"{path}: {host}" for host in REGISTRY_HOSTS if host.encode() in content)
        for path in tracked()
        for content in [(ROOT / path).read_bytes()]
    )

    assert list(named) == []
