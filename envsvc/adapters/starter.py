"""Write the first files of a workspace for a user's own app."""

import json
import re
import shlex
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from string import Template
from urllib.parse import urlsplit

import msgspec

from envsvc.cassette.names import RULE, is_name
from envsvc.errors import EnvsvcError


class StarterExistsError(EnvsvcError):
    """A file that the starter would write is there already."""

    code = "E109"


class BadStarterError(EnvsvcError):
    """What was said about the app cannot be written down as it is."""

    code = "E108"


class NewApp(msgspec.Struct, frozen=True, kw_only=True):
    """An app to be described: its name, and the URL or the command that runs it.

    ``host`` is the virtual host; if it is "" one is made up.
    """

    name: str
    url: str = ""
    command: str = ""
    version: str = "v1"
    host: str = ""


_NOT_HOST = re.compile(r"[^a-z0-9-]+")
_PUBLIC_HOST = re.compile(r"[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z][A-Za-z0-9-]*")


def write_starter(root: Path, app: NewApp) -> list[Path]:
    """Write a workspace for *app* into *root* and return the files, in reading order.

    A har/.gitignore that is there already stays. Raises: BadStarterError, and StarterExistsError
    before anything is written.
    """
    values = _values(app)
    targets = _targets(root, app.name)
    existing = [path for path in targets if path.exists()]
    if existing:
        raise StarterExistsError(
            f"{app.name} is described already",
            where=str(existing[0]),
            fix="Choose another --app name, or edit that file",
        )
    ignore = root / "har" / ".gitignore"
    if not ignore.exists():
        targets[ignore] = "har.gitignore"
    for path, template in targets.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(_filled(template, values))
    return list(targets)


def _targets(root: Path, app: str) -> dict[Path, str]:
    """Return which file comes from which template."""
    described = root / "images" / app
    return {
        described / "app.yaml": "app.yaml",
        described / "tours" / "explore.yaml": "explore.yaml",
        described / "tours" / "example.yaml": "example.yaml",
        root / "answer_tables" / app / "README.md": "README.md",
    }


def _filled(template: str, values: Mapping[str, str]) -> str:
    text = files("envsvc.adapters").joinpath("starter_files", template).read_text(encoding="utf-8")
    return Template(text).substitute(values)


def check_new(app: NewApp) -> None:
    """Raise BadStarterError if *app* cannot be written down as it is."""
    _values(app)


def _values(app: NewApp) -> dict[str, str]:
    if not (is_name(app.name) and is_name(app.version)):
        raise BadStarterError(
            f"{app.name}/{app.version} cannot be the name of an app and its version",
            fix=f"Choose others: {RULE}",
        )
    if bool(app.url) == bool(app.command):
        raise BadStarterError(
            "an app needs either a URL or a command",
            fix="Give one of --url and --command",
        )
    launch, host = _of_url(app) if app.url else _of_command(app)
    host = _quoted(app.host) if app.host else host
    return {"app": app.name, "host": host, "launch": launch, "version": app.version}


def _of_url(app: NewApp) -> tuple[str, str]:
    parts = urlsplit(app.url)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise BadStarterError(f"{app.url!r} is no URL", fix="Write it whole: http://127.0.0.1:3000")
    origin = f"{parts.scheme}://{parts.netloc}"
    is_public = _PUBLIC_HOST.fullmatch(parts.hostname) is not None
    return f"url: {_quoted(origin)}", parts.hostname if is_public else _made_up_host(app.name)


def _of_command(app: NewApp) -> tuple[str, str]:
    try:
        words = shlex.split(app.command)
    except ValueError as error:
        raise BadStarterError(
            f"the command cannot be split into words: {error}", where=app.command
        ) from error
    if "{port}" not in app.command:
        raise BadStarterError(
            "the command does not say where the port goes",
            where=app.command,
            fix="Put {port} into it: envsvc runs every app on a port of its own",
        )
    return f"command: [{', '.join(map(_quoted, words))}]", _made_up_host(app.name)


def _made_up_host(name: str) -> str:
    # ".test" is nobody's and never will be (RFC 6761 6.2).
    return f"{_NOT_HOST.sub('-', name.lower()).strip('-')}.test"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)  # a JSON text is a YAML text
