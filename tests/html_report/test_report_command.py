"""``envsvc report`` turns session reports into a page."""

import json
from pathlib import Path

import msgspec
import pytest
from typer.testing import CliRunner, Result

from envsvc.adapters.html_report.loading import BadReportInputError
from envsvc.cli.main import app
from envsvc.cli.options import Invocation
from tests.html_report.examples import ATTACK, screenshot, session

ROOT = Path(__file__).resolve().parents[2]


def report(*words: str | Path) -> Result:
    """Run the command in the workspace of the demo shop."""
    arguments = ["-C", str(ROOT), "report", *map(str, words)]
    return CliRunner().invoke(app, arguments, obj=Invocation())


@pytest.fixture
def one(tmp_path: Path) -> Path:
    """Give the report of a session."""
    path = tmp_path / "one.json"
    path.write_bytes(msgspec.json.encode(session()))
    return path


@pytest.fixture
def findings(tmp_path: Path) -> Path:
    """Give findings: a bug of release v1, and a false alarm."""
    path = tmp_path / "findings.json"
    found = [
        {"page": "p03", "view": "default", "kind": "wrong_total", "evidence": "total"},
        {"page": "p01", "view": "default", "kind": "wrong_total", "evidence": "total"},
    ]
    path.write_text(json.dumps({"findings": found, "pages_opened": 12}))
    return path


def test_a_page_is_written(one: Path, tmp_path: Path) -> None:
    """The page lies where it was asked for; folders are made."""
    page = tmp_path / "new" / "report.html"

    assert report(one, "--html", page).exit_code == 0
    assert "<h1>Replay report</h1>" in page.read_text(encoding="utf-8")


def test_figures_are_printed_as_json(one: Path, findings: Path, tmp_path: Path) -> None:
    """Programs read the score and the outcomes from stdout."""
    page = tmp_path / "report.html"
    result = report(one, "--findings", findings, "--html", page, "--json")

    printed = json.loads(result.stdout)
    assert printed["html"] == str(page)
    run = printed["runs"][0]
    assert (run["recall"], run["precision"], run["false_alarms"]) == (0.25, 0.5, 1)
    assert (run["requests"], run["outcomes"]) == (48, {"exact": 41, "canonical": 7})


def test_figures_are_printed_for_people(one: Path, findings: Path, tmp_path: Path) -> None:
    """The score sheet is a table."""
    result = report(one, "--findings", findings, "--html", tmp_path / "report.html")

    assert "25.0% (1 of 4)" in result.stdout


def test_screenshots_are_embedded(one: Path, tmp_path: Path) -> None:
    """Every PNG of the folder is in the page, named by its file."""
    pictures = tmp_path / "pictures"
    pictures.mkdir()
    (pictures / "p03-default-wrong_total.png").write_bytes(screenshot().png)
    page = tmp_path / "report.html"
    report(one, "--screenshots", pictures, "--html", page)

    assert 'alt="p03 default wrong_total"' in page.read_text(encoding="utf-8")


def test_a_report_of_another_workspace_is_shown_without_its_cassette(tmp_path: Path) -> None:
    """An unknown app is no error: its account stands for itself."""
    path = tmp_path / "other.json"
    other = msgspec.structs.replace(session(), app="../..", version=ATTACK)
    path.write_bytes(msgspec.json.encode(other))
    result = report(path, "--html", tmp_path / "report.html", "--json")

    assert result.exit_code == 0
    assert json.loads(result.stdout)["runs"][0]["certified"] is None


def test_a_report_outside_of_any_workspace_is_shown(one: Path, tmp_path: Path) -> None:
    """A page can be made wherever the files were copied to."""
    words = ["-C", str(tmp_path), "report", str(one), "--html", str(tmp_path / "report.html")]

    assert CliRunner().invoke(app, words, obj=Invocation()).exit_code == 0


@pytest.mark.parametrize("content", [b"", b"{}", b"[]", b"\xff", b'{"session": 1}'])
def test_what_is_no_session_report_is_refused(tmp_path: Path, content: bytes) -> None:
    """E601 names the file."""
    path = tmp_path / "bad.json"
    path.write_bytes(content)
    problem = report(path, "--html", tmp_path / "report.html").exception

    assert isinstance(problem, BadReportInputError)
    assert problem.where == str(path)


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    """E601 says what the system says."""
    problem = report(tmp_path / "none.json", "--html", tmp_path / "report.html").exception

    assert isinstance(problem, BadReportInputError)
    assert "No such file" in str(problem)


def test_a_missing_folder_of_screenshots_is_refused(one: Path, tmp_path: Path) -> None:
    """A mistyped folder does not give a page without pictures."""
    words = (one, "--screenshots", tmp_path / "none", "--html", tmp_path / "report.html")

    assert isinstance(report(*words).exception, BadReportInputError)


def test_findings_are_given_once_per_session(one: Path, findings: Path, tmp_path: Path) -> None:
    """Findings of one run must not be taken for those of another."""
    page = tmp_path / "report.html"
    result = report(one, one, "--findings", findings, "--html", page)

    assert result.exit_code == 2
    assert not page.exists()
