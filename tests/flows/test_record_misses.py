"""What a session missed is recorded from its report, and then answered."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.loopback, pytest.mark.browser]

REPOSITORY = Path(__file__).parents[2]
SORTED = "http://shop.test/product/p05?sort=price"


def envsvc(workspace: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run the command in *workspace*."""
    return subprocess.run(
        [sys.executable, "-m", "envsvc.cli.main", "-C", str(workspace), *words],
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """Give a workspace with the shop and its committed cassette of v1."""
    for folder in ("images", "har", "answer_tables"):
        shutil.copytree(REPOSITORY / folder, tmp_path / folder)
    return tmp_path


def ask(workspace: Path, url: str, report: Path) -> subprocess.CompletedProcess[str]:
    """Ask for *url* under the strict policy and leave a report."""
    words = ("exec", "--app", "shop/v1", "--report", str(report), "--", "curl", "-sf", url)
    return envsvc(workspace, *words)


def test_what_was_missed_is_recorded_and_answered(workspace: Path, tmp_path: Path) -> None:
    """S0-12, D8: the command that a miss prints works, and the result is certified."""
    report = tmp_path / "session.json"
    missed = ask(workspace, SORTED, report)
    recorded = envsvc(workspace, "record", "--app", "shop/v1", "--from-misses", str(report))
    answered = ask(workspace, SORTED, report)

    assert (missed.returncode, recorded.returncode) == (4, 0), recorded.stderr
    assert answered.returncode == 0
    assert "Offers" in answered.stdout


def test_a_report_without_misses_is_a_clear_error(workspace: Path, tmp_path: Path) -> None:
    """D18: nothing to record is said, and nothing is touched."""
    report = tmp_path / "session.json"
    ask(workspace, "http://shop.test/catalogue", report)
    refused = envsvc(workspace, "record", "--app", "shop/v1", "--from-misses", str(report))

    assert (refused.returncode, "E316" in refused.stderr) == (2, True)


def test_a_report_of_another_version_is_a_clear_error(workspace: Path, tmp_path: Path) -> None:
    """S3-17: answers of one version never get into the cassette of another."""
    report = tmp_path / "session.json"
    ask(workspace, SORTED, report)
    refused = envsvc(workspace, "record", "--app", "shop/v2", "--from-misses", str(report))

    assert (refused.returncode, "E315" in refused.stderr) == (2, True)
