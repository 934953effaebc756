"""Add match rules to an app.yaml so that all else in it stays as it was written."""

import os
import re
from collections.abc import Mapping
from pathlib import Path

import msgspec

from envsvc.adapters.config_file import parse_config
from envsvc.adapters.yaml_text import write_yaml
from envsvc.cassette.rules import MatchRule
from envsvc.errors import EnvsvcError
from envsvc.record.app_spec import AppSpec

_BLOCK = re.compile(r"^match_rules:[ \t]*(?:#.*)?$", re.MULTILINE)
_INDENT = re.compile(r"\n(?:[ \t]*(?:#.*)?\n)*( +)")
_PLAIN_INDENT = "  "


class RulesNotAddedError(EnvsvcError):
    """Match rules cannot be added to an app.yaml that is written in an unusual way."""

    code = "E111"


def rules_text(rules: Mapping[str, MatchRule], indent: str = "") -> str:
    """Return *rules* by name as lines of YAML, each after *indent*; "" for none."""
    if not rules:
        return ""
    lines = write_yaml(msgspec.to_builtins(dict(rules))).splitlines()
    return "".join(f"{indent}{line}\n" for line in lines)


def with_rules_added(text: str, rules: Mapping[str, MatchRule], where: str) -> str:
    """Return the *text* of an app.yaml with *rules* added; *where* names it in errors.

    Raises: RulesNotAddedError where that would change anything else in it; BadYamlError,
    BadConfigError for a text that is no app.yaml.
    """
    before = parse_config(text, AppSpec, where)
    expected = msgspec.structs.replace(before, match_rules={**before.match_rules, **rules})
    if expected == before:
        return text
    fresh = {name: rule for name, rule in rules.items() if name not in before.match_rules}
    is_taken = any(before.match_rules.get(name, rule) != rule for name, rule in rules.items())
    added = None if is_taken else _inserted(text, fresh)
    if added is None or parse_config(added, AppSpec, where) != expected:
        raise RulesNotAddedError(
            "the rules cannot be added here without changing the rest",
            where=where,
            fix=f"Add them by hand, then envsvc match-rules apply:\n{rules_text(rules)}",
        )
    return added


def add_rules(path: Path, rules: Mapping[str, MatchRule]) -> None:
    """Add *rules* to the app.yaml at *path*: it is replaced whole, or not at all.

    Raises: as with_rules_added; OSError.
    """
    text = with_rules_added(path.read_text(encoding="utf-8"), rules, str(path))
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        fresh.write_text(text, encoding="utf-8")
        fresh.chmod(path.stat().st_mode)
        fresh.replace(path)
    finally:
        fresh.unlink(missing_ok=True)


def _inserted(text: str, rules: Mapping[str, MatchRule]) -> str | None:
    """Return *text* with *rules* under its key, or at its end if it has no such key."""
    ended = text if text.endswith("\n") else f"{text}\n"
    block = _BLOCK.search(ended)
    if block is None:
        if re.search(r"^match_rules\b", ended, re.MULTILINE):
            return None
        return f"{ended}match_rules:\n{rules_text(rules, _PLAIN_INDENT)}"
    indent = _INDENT.match(ended, block.end())
    written = rules_text(rules, indent[1] if indent else _PLAIN_INDENT)
    return f"{ended[: block.end()]}\n{written}{ended[block.end() + 1 :]}"
