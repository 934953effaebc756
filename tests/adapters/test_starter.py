"""The starter is a workspace that works."""

from pathlib import Path

import pytest

from envsvc.adapters.starter import NewApp, write_starter
from envsvc.adapters.workspace import Workspace, load_tour
from envsvc.errors import EnvsvcError
from envsvc.record.app_spec import AppSpec


def started(root: Path, app: NewApp) -> AppSpec:
    """Write the starter of *app* and return the description it loads as."""
    write_starter(root, app)
    return Workspace.find(root).app(app.name).spec


def test_a_command_is_split_as_a_shell_does(tmp_path: Path) -> None:
    """D1: quotes keep words together, {port} stays for the recorder."""
    spec = started(tmp_path, NewApp(name="blog", command="run 'my \"app\"' --port={port} 茶"))

    assert spec.versions["v1"].command == ("run", 'my "app"', "--port={port}", "茶")


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://wiki.example/start?x", "wiki.example"),
        ("http://127.0.0.1:3000", "my-wiki.test"),
        ("http://localhost:3000/", "my-wiki.test"),
        ("http://[::1]:3000/", "my-wiki.test"),
    ],
)
def test_a_url_gives_the_virtual_host(tmp_path: Path, url: str, host: str) -> None:
    """D1: a name that is stable: the site's own, or one that is nobody's."""
    assert started(tmp_path, NewApp(name="My_wiki", url=url)).virtual_host == host


def test_the_url_is_the_origin(tmp_path: Path) -> None:
    """D1: a version is an app, not a page of it."""
    spec = started(tmp_path, NewApp(name="wiki", url="http://127.0.0.1:3000/a?b#c"))

    assert spec.versions["v1"].url == "http://127.0.0.1:3000"


@pytest.mark.parametrize("tour", ["explore", "example"])
def test_the_tours_load(tmp_path: Path, tour: str) -> None:
    """D1: the first recording needs no edit, and the example is one that works."""
    write_starter(tmp_path, NewApp(name="blog", url="http://127.0.0.1:1"))
    path = tmp_path / "images/blog/app.yaml"
    path.write_text(path.read_text().replace("# example:", "example:"))
    workspace = Workspace(tmp_path)

    assert load_tour(workspace.tour(workspace.app(), tour)).name == tour


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    """D18: a second start names the file that is there, and writes nothing."""
    path = tmp_path / "images/blog/app.yaml"
    path.parent.mkdir(parents=True)
    path.write_text("mine")

    with pytest.raises(EnvsvcError, match=str(path)) as caught:
        write_starter(tmp_path, NewApp(name="blog", url="http://127.0.0.1:1"))

    assert caught.value.code == "E109"
    assert [file for file in tmp_path.rglob("*") if file.is_file()] == [path]


def test_a_second_app_joins_the_first(tmp_path: Path) -> None:
    """D1: a workspace holds several apps."""
    write_starter(tmp_path, NewApp(name="blog", url="http://127.0.0.1:1"))
    write_starter(tmp_path, NewApp(name="wiki", url="http://127.0.0.1:2"))

    assert Workspace(tmp_path).app_names() == ["blog", "wiki"]


@pytest.mark.parametrize(
    ("app", "problem"),
    [
        (NewApp(name="../x", url="http://a.test"), "cannot be the name"),
        (NewApp(name="", url="http://a.test"), "cannot be the name"),
        (NewApp(name="x"), "either a URL or a command"),
        (NewApp(name="x", url="http://a.test", command="{port}"), "either a URL or a command"),
        (NewApp(name="x", url="127.0.0.1:3000"), "Write it whole"),
        (NewApp(name="x", command="run 'it {port}"), "cannot be split"),
        (NewApp(name="x", command="run"), r"Put \{port\} into it"),
    ],
    ids=range(7),
)
def test_what_cannot_work_is_refused(tmp_path: Path, app: NewApp, problem: str) -> None:
    """D18: before anything is written, with what to say instead."""
    with pytest.raises(EnvsvcError, match=problem) as caught:
        write_starter(tmp_path, app)

    assert caught.value.code == "E108"
    assert list(tmp_path.iterdir()) == []
