"""Read a YAML file as a typed value; a mistake is named with its field and its line."""

import re
from collections.abc import Sequence
from pathlib import Path

import msgspec

from envsvc.adapters.yaml_text import BadYamlError, line_of, parse_yaml
from envsvc.errors import EnvsvcError


class BadConfigError(EnvsvcError):
    """A configuration file does not say what it must, or says what is not known."""

    code = "E103"


type _Path = tuple[str | int, ...]

_ANY_KEY = "[...]"  # how msgspec writes the key of a dictionary
_PLACE = re.compile(r"(?P<problem>.*?)(?: - at (?P<key>`key` in )?`\$(?P<path>.*)`)?", re.DOTALL)
_PART = re.compile(r"\.(\w+)|\[(\d+|\.\.\.)\]")
_UNKNOWN_FIELD = re.compile(r"Object contains unknown field `(.*)`")


def read_config[T](path: Path, kind: type[T]) -> T:
    """Return the value of type *kind* that the file at *path* holds.

    Raises: BadYamlError, BadConfigError; OSError if it cannot be read.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise BadYamlError(
            f"not UTF-8: byte {error.start} is {error.object[error.start]:#x}",
            where=str(path),
            fix="Save the file as UTF-8",
        ) from error
    return parse_config(text, kind, str(path))


def parse_config[T](text: str, kind: type[T], where: str) -> T:
    """Return the value of type *kind* that *text* holds. Raises: BadYamlError, BadConfigError."""
    raw = parse_yaml(text, where)
    try:
        return msgspec.convert(raw, kind, str_keys=True)
    except msgspec.ValidationError as error:
        path, problem = _place(raw, kind, str(error))
        place = f"{where}:{line_of(text, path)}" if path else where
        named = f"{_dotted(path)}: " if path else ""
        raise BadConfigError(
            f"{named}{problem[:1].lower()}{problem[1:]}", where=place, fix="Correct this field"
        ) from error


def _place(raw: object, kind: type[object], message: str) -> tuple[_Path, str]:
    """Return where in *raw* msgspec's *message* points, and what it says there."""
    match = _PLACE.fullmatch(message)
    problem, path_text = (match["problem"], match["path"] or "") if match else (message, "")
    parts = [name or number for name, number in _PART.findall(path_text)]
    path: _Path = ()
    for part in parts:
        path = (*path, _culprit(raw, kind, path, message) if part == "..." else _number(part))
    unknown = _UNKNOWN_FIELD.fullmatch(problem)
    return (*path, unknown[1]) if unknown else path, problem


def _number(part: str) -> str | int:
    return int(part) if part.isdigit() else part


def _culprit(raw: object, kind: type[object], path: _Path, message: str) -> str:
    """Return the key of the dictionary at *path* whose value makes msgspec say *message*."""
    for key in _at(raw, path):
        try:
            msgspec.convert(_with_only(raw, path, key), kind, str_keys=True)
        except msgspec.ValidationError as error:
            if str(error) == message:
                return str(key)
    return _ANY_KEY


def _at(raw: object, path: Sequence[str | int]) -> dict[str, object]:
    for part in path:
        raw = raw[part]  # type: ignore[index]  # msgspec has just walked this path
    return raw if isinstance(raw, dict) else {}


def _with_only(raw: object, path: Sequence[str | int], key: str) -> object:
    """Return *raw* with nothing but *key* in the dictionary at *path*."""
    if not path:
        return {key: raw[key]} if isinstance(raw, dict) else raw
    if isinstance(raw, dict):
        return {**raw, path[0]: _with_only(raw[path[0]], path[1:], key)}
    if isinstance(raw, list) and isinstance(path[0], int):
        changed = _with_only(raw[path[0]], path[1:], key)
        return [*raw[: path[0]], changed, *raw[path[0] + 1 :]]
    return raw


def _dotted(path: _Path) -> str:
    parts = (f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    return "".join(parts).removeprefix(".")
