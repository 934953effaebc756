"""The demo from its first command to its report, as `make demo` runs it."""

import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

pytestmark = pytest.mark.browser

DEMO = Path(__file__).resolve().parents[2] / "images" / "shop" / "demo.py"
TIMEOUT_S = 180  # what the demo may take


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How the demo went."""

    exit_code: int
    printed: str
    folder: Path

    def line(self, label: str) -> list[str]:
        """Return the cells of a line of the score sheet."""
        match = re.search(rf"^│ +{label} +│ (.*?) +│ (.*?) +│$", self.printed, re.MULTILINE)
        assert match, label
        return list(match.groups())


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    """Run the demo once, in a folder of its own."""
    folder = tmp_path_factory.mktemp("demo") / "workspace"
    done = subprocess.run(
        [sys.executable, str(DEMO), "--folder", str(folder)],
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )
    return Outcome(exit_code=done.returncode, printed=done.stdout + done.stderr, folder=folder)


@pytest.fixture(scope="module")
def page(demo: Outcome) -> str:
    """Give the text of the report."""
    return (demo.folder / "report.html").read_text(encoding="utf-8")


def test_the_demo_succeeds(demo: Outcome) -> None:
    """Every check of its own holds."""
    assert demo.exit_code == 0, demo.printed
    assert "NO  " not in demo.printed


@pytest.mark.parametrize(
    ("label", "baseline", "explorer"),
    [
        ("recall", "50.0% (2 of 4)", "50.0% (2 of 4)"),
        ("precision", "100.0% (2 of 2)", "100.0% (2 of 2)"),
        ("false alarms", "0", "0"),
        ("task", "0", "12"),
        ("third party", "0", "0"),
        ("live", "0", "0"),
        ("outbound connections", "0", "0"),
        ("policy", "strict", "error"),
        ("verdict", "replayed", "replayed"),
    ],
)
def test_the_score_sheet(demo: Outcome, label: str, baseline: str, explorer: str) -> None:
    """The frozen pages show two of four bugs; the other two are on views nobody recorded."""
    assert demo.line(label) == [baseline, explorer]


def test_the_apps_are_off(demo: Outcome) -> None:
    """Nothing listens where they listened."""
    assert re.search(r"^ok +ports \d+, \d+ of the apps are closed$", demo.printed, re.MULTILINE)


def test_both_releases_are_recorded_and_certified(demo: Outcome) -> None:
    """Each cassette proves itself."""
    assert re.findall(r"^ok +cassette of (\S+) is certified$", demo.printed, re.MULTILINE) == [
        "shop/v1",
        "shop/v2",
    ]


def test_the_demo_says_whether_the_network_was_sealed(demo: Outcome) -> None:
    """Where a network of its own is not possible, it says so."""
    assert demo.printed.count("in a network of its own") + demo.printed.count(
        "a network of its own is not possible here"
    )


def test_the_report_shows_both_runs(page: str) -> None:
    """Scores, misses and pictures of the findings are in it."""
    assert page.count("50.0% (2 of 4)") == 2
    assert page.count("?sort=price") >= 12
    assert page.count("data:image/png;base64,") == 4


def test_the_report_asks_for_nothing(page: str) -> None:
    """Nothing in it is fetched from anywhere."""
    assert re.findall(r'(?:src|href)="(?!#|data:)[^"]*"', page) == []


def test_the_report_lies_where_the_demo_says(demo: Outcome) -> None:
    """Its last line is the path."""
    last = demo.printed.rstrip().splitlines()[-1]

    assert last == f"report: {demo.folder / 'report.html'}"
