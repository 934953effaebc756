"""The documents say what there is: every command, every error, every link."""

import importlib
import pkgutil
import re
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

import envsvc
from envsvc.cli.main import app
from envsvc.errors import EnvsvcError

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
DOCUMENTS = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "har/FORMAT.md"]
LINK = re.compile(r"\]\((?!https?://|#)([^)#\s]+)")
ERROR_ROW = re.compile(r"^\| `(E\d{3})` \| (\d+) \|", re.MULTILINE)
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]+")
# Of commands that envsvc runs or that the documents name beside it.
FOREIGN_OPTIONS = {"--proxy", "--views", "--require-hashes", "--server-replay", "--help"}
BUG_EXIT_CODE = 70


def commands() -> list[str]:
    """Return the names of all commands."""
    return sorted(command.name for command in app.registered_commands if command.name)


def errors() -> list[type[EnvsvcError]]:
    """Return every error class of envsvc, so every module is loaded first."""
    with warnings.catch_warnings(action="ignore"):  # of what mitmproxy itself imports
        for module in pkgutil.walk_packages(envsvc.__path__, "envsvc."):
            importlib.import_module(module.name)
    return sorted(set(_subclasses(EnvsvcError)), key=lambda error: (error.code, error.__name__))


def _subclasses(kind: type[EnvsvcError]) -> Iterator[type[EnvsvcError]]:
    for subclass in kind.__subclasses__():
        if subclass.__module__.startswith("envsvc."):
            yield subclass
            yield from _subclasses(subclass)


def groups() -> list[tuple[str, str]]:
    """Return group and name of every command that is in a group."""
    return sorted(
        (group.name, command.name)
        for group in app.registered_groups
        for command in (group.typer_instance.registered_commands if group.typer_instance else ())
        if group.name and command.name
    )


def help_of(*words: str) -> str:
    """Return what a command's --help prints."""
    result = CliRunner().invoke(app, [*words, "--help"], env={"COLUMNS": "200"})
    assert result.exit_code == 0
    return result.output


@pytest.mark.parametrize("command", commands())
def test_every_command_is_in_the_table_of_the_readme(command: str) -> None:
    """A command that nobody can read about is not there."""
    assert f"| `envsvc {command}` |" in README


@pytest.mark.parametrize("command", commands())
def test_every_command_is_used_in_the_readme(command: str) -> None:
    """Each has a line to paste."""
    assert re.search(rf"^envsvc (-C \S+ )?{command}\b", README, re.MULTILINE)


@pytest.mark.parametrize("command", commands())
def test_every_help_has_an_example(command: str) -> None:
    """Each --help shows how it is used."""
    text = help_of(command)

    assert "Example:" in text
    assert re.search(rf"envsvc {command}\b", text)


@pytest.mark.parametrize(("group", "command"), groups())
def test_every_command_of_a_group_is_documented_alike(group: str, command: str) -> None:
    """The README names it; its --help has an example and --json."""
    text = help_of(group, command)

    assert f"| `envsvc {group}` |" in README
    assert f"envsvc {group} {command}" in README
    assert f"envsvc {group} {command}" in text
    assert "--json" in text


@pytest.mark.parametrize("command", commands())
def test_every_command_prints_json_when_asked(command: str) -> None:
    """Each takes --json."""
    assert "--json" in help_of(command)


def test_options_in_the_readme_exist() -> None:
    """No option is promised that no command has."""
    helps = [*map(help_of, commands()), *(help_of(*words) for words in groups())]
    known = set(OPTION.findall("".join(helps))) | FOREIGN_OPTIONS
    ours = [line for line in README.splitlines() if "envsvc" in line or "`--" in line]

    assert set(OPTION.findall("\n".join(ours))) - known == set()


def test_every_error_is_in_the_readme_with_its_exit_code() -> None:
    """The table of errors holds each code once, with the exit code that the command has."""
    documented = [(code, int(exit_code)) for code, exit_code in ERROR_ROW.findall(README)]
    raised = {(error.code, error.exit_code) for error in errors() if error.code != "E000"}

    assert documented == sorted(raised | {("E000", BUG_EXIT_CODE)})


def test_no_two_errors_share_a_code() -> None:
    """A code names one error."""
    codes = [error.code for error in errors() if error.code != "E000"]

    assert len(codes) == len(set(codes))


@pytest.mark.parametrize("document", DOCUMENTS)
def test_links_lead_to_files(document: str) -> None:
    """Every relative link of the documents names a file that exists."""
    path = ROOT / document
    links = LINK.findall(path.read_text(encoding="utf-8"))

    assert [link for link in links if not (path.parent / link).exists()] == []


def test_the_changelog_has_a_place_for_what_is_new() -> None:
    """Keep a Changelog: unreleased changes come first."""
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")

    assert re.findall(r"^## \[(.+?)\]", changelog, re.MULTILINE)[0] == "Unreleased"


def test_the_architecture_can_be_read_in_one_go() -> None:
    """It stays within 150 lines."""
    lines = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8").splitlines()

    assert len(lines) <= 150


def test_every_package_is_in_the_architecture() -> None:
    """The folder table leaves no part of envsvc out."""
    architecture = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    parts = [module.name for module in pkgutil.iter_modules(envsvc.__path__)]

    assert [part for part in parts if f"`envsvc/{part}" not in architecture] == []


def test_every_decision_that_the_code_names_is_explained() -> None:
    """A docstring that says D8 sends nobody to a page that has no D8."""
    architecture = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    explained = set(re.findall(r"^\*\*(D\d+) ", architecture, re.MULTILINE))
    sources = [*(ROOT / "envsvc").rglob("*.py"), *(ROOT / "tests").rglob("*.py")]
    named = {
        decision
        for source in sources
        for decision in re.findall(r"\bD\d{1,2}\b", source.read_text(encoding="utf-8"))
    }

    assert named - explained == set()
