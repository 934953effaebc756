"""The workspace of other projects' apps, and the command run in it."""

import os
import subprocess
import sys
from pathlib import Path

import msgspec

type Finished = subprocess.CompletedProcess[str]

REPOSITORY = Path(__file__).parents[2]
IMAGES = Path(__file__).parent / "images"
# Where app.sh installs what it starts, and the password of every account that it makes.
ENVIRONMENT = {
    "ENVSVC_APPS_CACHE": str(REPOSITORY / ".cache" / "apps"),
    "ENVSVC_APPS_PASSWORD": "secret123",
}
FULL = "full"
_COMMAND_TIMEOUT_S = 900  # the first recording of an app installs it
# A network namespace has nothing but a loopback of its own, and that is down at first.
_NO_NETWORK = ("unshare", "--net", "sh", "-c", 'ip link set lo up && exec "$@"', "sh")


class Pause(msgspec.Struct, frozen=True, kw_only=True):
    """Where a visitor stops: before the step ``before``, and does ``look`` again on going on."""

    before: str
    look: str


class App(msgspec.Struct, frozen=True, kw_only=True):
    """An app with its two versions; one visitor pauses before its first write, one after some."""

    name: str
    versions: tuple[str, str]
    needs_node: bool = False
    before_writing: Pause
    after_writing: Pause

    @property
    def version_names(self) -> list[str]:
        """Return both versions as ``--app`` takes them."""
        return [f"{self.name}/{version}" for version in self.versions]


APPS = (
    App(
        name="datasette",
        versions=("v0.64", "v1.0a"),
        before_writing=Pause(before="add note 1", look="notes empty"),
        after_writing=Pause(before="add note 2", look="notes 1"),
    ),
    App(
        name="roundup",
        versions=("v2.3", "v2.6"),
        before_writing=Pause(before="create issue 1", look="list empty"),
        after_writing=Pause(before="resolve issue 1", look="list two"),
    ),
    App(
        name="oscar",
        versions=("v3.2", "v4.1"),
        before_writing=Pause(before="anon add tea", look="anon basket empty"),
        after_writing=Pause(before="order history", look="basket empty again"),
    ),
    App(
        name="nodered",
        versions=("v3", "v4"),
        needs_node=True,
        before_writing=Pause(before="user endpoint", look="flow drawn"),
        after_writing=Pause(before="flows json", look="reload shows change"),
    ),
    App(
        name="verdaccio",
        versions=("v5", "v6"),
        needs_node=True,
        before_writing=Pause(before="search box", look="home list"),
        after_writing=Pause(before="metadata json", look="home shows new"),
    ),
    App(
        name="tiddlywiki",
        versions=("v5.2", "v5.4"),
        needs_node=True,
        before_writing=Pause(before="search", look="open wiki"),
        after_writing=Pause(before="delete by api", look="list json"),
    ),
)


def make_workspace(folder: Path) -> Path:
    """Make *folder* a workspace with the apps' descriptions and no recording; return it."""
    folder.mkdir(parents=True, exist_ok=True)
    images = folder / "images"
    if not images.is_symlink():
        images.symlink_to(IMAGES)
    return folder


def envsvc(workspace: Path, *words: str) -> Finished:
    """Run the command in *workspace*."""
    return run_program("envsvc.cli.main", "-C", str(workspace), *words)


def run_program(module: str, *words: str, with_network: bool = True) -> Finished:
    """Run a Python module as a program, in a network namespace without routes if so asked."""
    command = [sys.executable, "-m", module, *words]
    return subprocess.run(
        command if with_network else [*_NO_NETWORK, *command],
        capture_output=True,
        text=True,
        timeout=_COMMAND_TIMEOUT_S,
        check=False,
        cwd=REPOSITORY,
        env={**os.environ, **ENVIRONMENT},
    )


def app_called(name: str) -> App:
    """Return the app called *name*. Raises: KeyError."""
    return {app.name: app for app in APPS}[name]
