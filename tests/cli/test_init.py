"""``envsvc init``: from nothing to something that can be recorded."""

from pathlib import Path

from tests.cli.conftest import Envsvc


def test_it_says_what_it_wrote_and_what_to_do_next(envsvc: Envsvc) -> None:
    """D18: the last line is a command to copy."""
    ran = envsvc("init", "--app", "blog", "--url", "http://127.0.0.1:3000")

    assert ran.code == 0
    assert "wrote images/blog/app.yaml" in ran.out
    assert ran.out.splitlines()[-1].strip() == "envsvc record --app blog/v1"


def test_the_next_command_names_the_folder(envsvc: Envsvc) -> None:
    """D18: a workspace elsewhere is named in the command to copy."""
    ran = envsvc("init", "my evals", "--app", "blog", "--command", "run {port}")

    assert ran.out.splitlines()[-1].strip() == "envsvc -C 'my evals' record --app blog/v1"


def test_what_it_wrote_is_listed(envsvc: Envsvc) -> None:
    """D1: the written workspace is one."""
    envsvc("init", "evals", "--app", "blog", "--command", "run {port}")

    assert "blog/v1" in envsvc("-C", "evals", "ls").out


def test_json_names_the_files(envsvc: Envsvc, tmp_path: Path) -> None:
    """D18: stdout is JSON alone."""
    written = envsvc("init", "--app", "x", "--url", "http://127.0.0.1:1", "--json").json["written"]

    assert isinstance(written, list)
    assert all((tmp_path / path).is_file() for path in written)


def test_a_second_time_is_refused(envsvc: Envsvc) -> None:
    """D18: nothing is overwritten."""
    again = [envsvc("init", "--app", "x", "--url", "http://127.0.0.1:1") for _ in range(2)][1]

    assert again.code == 2
    assert "error E109" in again.err
