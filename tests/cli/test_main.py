"""The command tells people what is wrong in words and programs in codes (D18)."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from envsvc import __version__
from envsvc.cassette.manifest import Manifest
from tests.cli.conftest import Envsvc

COMMANDS = ["init", "record", "serve", "exec", "report", "ls", "verify"]


def test_the_version_is_printed(envsvc: Envsvc) -> None:
    """D18: --version says what is installed."""
    assert envsvc("--version").out == f"envsvc {__version__}\n"


def test_help_lists_the_commands(envsvc: Envsvc) -> None:
    """D18: every command is found from --help."""
    helped = envsvc("--help").out

    assert [name for name in COMMANDS if f" {name} " not in helped] == []


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_shows_an_example(envsvc: Envsvc, name: str) -> None:
    """D18: help holds a line to copy, and --json is there."""
    helped = envsvc(name, "--help").out

    assert f"envsvc {name} " in helped.replace("\n", " \n").partition("Example:")[2]
    assert "--json" in helped


@pytest.mark.parametrize("words", [["ls"], ["--help"], ["verify", "--app", "v1"]])
def test_small_commands_start_quickly(words: list[str]) -> None:
    """D18: what needs no browser and no proxy does not load them."""
    script = (
        "import sys; from envsvc.cli import main\n"
        f"sys.argv = ['envsvc', *{words}]\n"
        "try: main.main()\nexcept SystemExit: pass\n"
        "print(*{'mitmproxy', 'playwright', 'matplotlib'}.intersection(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )

    assert done.stdout.splitlines()[-1] == ""


@pytest.mark.parametrize("words", [["nope"], ["ls", "--nope"], ["verify"]])
def test_wrong_usage_is_code_2(envsvc: Envsvc, words: list[str]) -> None:
    """D18: 2 is usage, and stdout stays empty for whoever reads it."""
    ran = envsvc(*words)

    assert (ran.code, ran.out) == (2, "")


def test_an_error_is_one_line_with_its_code(envsvc: Envsvc, tmp_path: Path) -> None:
    """D18: what, where, what next, on stderr."""
    ran = envsvc("ls")

    assert ran.err.startswith("error E101: no workspace here or above")
    assert f"({tmp_path}). Change into one" in ran.err
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)


def test_an_error_is_json_too(envsvc: Envsvc, tmp_path: Path) -> None:
    """D18, S0-09: a program reads code, what, where and fix from stdout, people stderr."""
    ran = envsvc("ls", "--json")
    error = ran.json["error"]

    assert isinstance(error, dict)
    assert (error["code"], error["where"]) == ("E101", str(tmp_path))
    assert sorted(error) == ["code", "fix", "what", "where"]
    assert ran.err.startswith("error E101")


def test_what_the_agent_is_told_is_not_for_us(envsvc: Envsvc, cassette: Manifest) -> None:
    """D18: --json after the command of exec belongs to that command."""
    ran = envsvc("exec", "--app", "shop/v9", "agent", "--json")

    assert (ran.code, ran.out) == (2, "")


def test_a_workspace_elsewhere_is_named(envsvc: Envsvc, cassette: Manifest) -> None:
    """D1: -C works from anywhere, and from below."""
    assert envsvc("-C", "images/shop", "ls", "--json").code == 0


def test_markup_in_a_message_is_text(envsvc: Envsvc, cassette: Manifest) -> None:
    """D18: a name is shown as it was given, whatever it looks like."""
    assert r"'[red]v9\x1b'" in envsvc("verify", "--app", "[red]v9\x1b").err


def test_what_the_system_refuses_is_no_bug(envsvc: Envsvc, cassette: Manifest) -> None:
    """D18: an unexpected refusal of the system names the file and ends with 2."""
    ran = envsvc("init", "images/shop/app.yaml", "--app", "x", "--url", "http://127.0.0.1:1")

    assert ran.code == 2
    assert ran.err.startswith("error E310: the system says: ")
    assert "images/shop/app.yaml/images/x" in ran.err


BROKEN = """
import os, signal, sys
from envsvc.cli import ls, main
from envsvc.adapters import workspace
def find(self):
    if os.environ["HOW"] == "interrupt":
        os.kill(os.getpid(), signal.SIGINT)
    raise ValueError("[bold] is broken")
workspace.Workspace.find = find
sys.argv = ["envsvc", "ls"]
main.main()
"""


@pytest.mark.parametrize(("debug", "has_traceback"), [("", False), ("1", True)])
def test_a_bug_says_that_it_is_one(debug: str, *, has_traceback: bool) -> None:
    """D18: code 70, and the traceback only for who asks for it."""
    environment = {**os.environ, "HOW": "bug", "ENVSVC_DEBUG": debug}
    done = subprocess.run(
        [sys.executable, "-c", BROKEN], capture_output=True, text=True, check=False, env=environment
    )

    assert done.returncode == 70
    assert "this is a bug in envsvc: ValueError: [bold] is broken" in done.stderr
    assert ("Traceback" in done.stderr) is has_traceback


def test_an_interrupt_is_code_130() -> None:
    """D18: Ctrl-C is no error of anybody."""
    done = subprocess.run(
        [sys.executable, "-c", BROKEN],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "HOW": "interrupt"},
    )

    assert (done.returncode, done.stderr) == (128 + signal.SIGINT, "")


def test_a_pace_that_there_is_not_is_a_clear_error(envsvc: Envsvc) -> None:
    """E406: before anything is started."""
    ran = envsvc("serve", "--app", "shop/v1", "--pace", "fast")

    assert ran.code == 2
    assert "error E406" in ran.err
