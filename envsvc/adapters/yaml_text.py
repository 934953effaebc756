"""Read and write YAML so that a text means the same to everyone who looks at it.

What is not quoted is a text, unless it is plainly null, true, false or a number: ``no``, ``on``
and ``2026-01-01`` stay texts, as do all keys. Whatever could hide or change a meaning is
refused: a key twice, tags, aliases.
"""

import re
from collections.abc import Callable, Sequence

import yaml
from yaml.reader import ReaderError

from envsvc.errors import EnvsvcError


class BadYamlError(EnvsvcError):
    """A text is not YAML, or uses a part of YAML that envsvc refuses."""

    code = "E102"


_TAG = "tag:yaml.org,2002:"
_PLAIN_TYPES = [
    (_TAG + "null", re.compile(r"(?:~|null|)\Z")),
    (_TAG + "bool", re.compile(r"(?:true|false)\Z")),
    (_TAG + "int", re.compile(r"[-+]?(?:0|[1-9][0-9]*)\Z")),
    (
        _TAG + "float",
        re.compile(
            r"[-+]?(?:[0-9]+\.[0-9]*(?:[eE][-+]?[0-9]+)?|\.[0-9]+(?:[eE][-+]?[0-9]+)?"
            r"|[0-9]+[eE][-+]?[0-9]+|\.inf)\Z|\.nan\Z"
        ),
    ),
]
_SCALARS: dict[str, Callable[[str], object]] = {
    _TAG + "null": lambda _: None,
    _TAG + "bool": lambda text: text == "true",
    _TAG + "int": int,
    _TAG + "float": lambda text: float(text.replace(".inf", "inf").replace(".nan", "nan")),
    _TAG + "str": str,
}
# What YAML can hold raw but readers take for a line break or drop.
_NEEDS_ESCAPES = re.compile(r"[^\t\n -~\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd]")
_WIDTH = 1_000_000  # a value is never wrapped: a diff shows whole values


class _Reader(yaml.CSafeLoader):
    yaml_implicit_resolvers = {None: _PLAIN_TYPES}  # noqa: RUF012  (PyYAML's own interface)


class _Writer(yaml.CSafeDumper):
    # YAML 1.1's types stay known here, so that other readers' ``no`` is written in quotes.
    yaml_implicit_resolvers = {  # noqa: RUF012
        **yaml.CSafeDumper.yaml_implicit_resolvers,
        None: _PLAIN_TYPES,
    }

    def ignore_aliases(self, data: object) -> bool:  # noqa: ARG002  (PyYAML's own interface)
        """Write every value out where it stands."""
        return True


def parse_yaml(text: str, where: str) -> object:
    """Return the value of one YAML document; None if it is empty. *where* names it in errors.

    Raises: BadYamlError with line and column.
    """
    return _Builder(where).value(_root(text, where))


def write_yaml(value: object) -> str:
    """Return *value* (dict, list, tuple, str, int, float, bool, None) as YAML in block style.

    Keys keep their order, texts their characters; ``parse_yaml`` gives the value back.
    """
    text: str = yaml.dump(
        value,
        Dumper=_Writer,
        allow_unicode=True,
        default_flow_style=False,
        sort_keys=False,
        width=_WIDTH,
    )
    return text


def line_of(text: str, path: Sequence[str | int]) -> int:
    """Return the line (from 1) where the value at *path* begins, or as near as it exists."""
    node, line = _root(text, ""), 1
    for part in path:
        found = _child(node, part)
        if found is None:
            break
        line, node = found
    return line


def _root(text: str, where: str) -> yaml.Node | None:
    try:
        node: yaml.Node | None = yaml.compose(text, Loader=_Reader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise _bad(error.problem or str(error.context), where, mark) from error
    except ReaderError as error:  # has no mark but a place in bytes
        before = text.encode()[: error.position]
        line, column = before.count(b"\n"), len(before.rpartition(b"\n")[2].decode())
        mark = yaml.Mark("", 0, line, column, None, 0)
        problem = f"{error.reason} (#x{error.character:02x})"
        raise _bad(problem, where, mark) from error
    return node


class _Builder:
    """Builds the value of a node, once: a node that comes twice is an alias."""

    def __init__(self, where: str) -> None:
        self._where = where
        self._seen: set[int] = set()

    def value(self, node: yaml.Node | None) -> object:
        match node:
            case None:
                return None
            case yaml.MappingNode(tag="tag:yaml.org,2002:map"):
                self._see(node)
                return self._mapping(node)
            case yaml.SequenceNode(tag="tag:yaml.org,2002:seq"):
                self._see(node)
                return [self.value(item) for item in node.value]
            case yaml.ScalarNode() if node.tag in _SCALARS:
                self._see(node)
                return self._scalar(node)
            case _:
                raise self._refused(f"the tag {node.tag!r} is not allowed", node)

    def _see(self, node: yaml.Node) -> None:
        if id(node) in self._seen:
            raise self._refused("an alias (*name) is used for this value; write it out", node)
        self._seen.add(id(node))

    def _scalar(self, node: yaml.ScalarNode) -> object:
        try:
            return _SCALARS[node.tag](node.value)
        except ValueError as error:
            raise self._refused(str(error), node) from error

    def _mapping(self, node: yaml.MappingNode) -> dict[str, object]:
        built: dict[str, object] = {}
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise self._refused("a key must be a text", key)
            if key.value in built:
                raise self._refused(f"the key {key.value!r} stands here twice", key)
            built[key.value] = self.value(value)
        return built

    def _refused(self, problem: str, node: yaml.Node) -> BadYamlError:
        return _bad(problem, self._where, node.start_mark)


_FIX = "Correct the file"


def _bad(problem: str, where: str, mark: yaml.Mark | None) -> BadYamlError:
    place = f":{mark.line + 1}:{mark.column + 1}" if mark else ""
    return BadYamlError(f"cannot read YAML: {problem}", where=f"{where}{place}", fix=_FIX)


def _child(node: yaml.Node | None, part: str | int) -> tuple[int, yaml.Node] | None:
    """Return the child of *node* called or numbered *part* with its line, or None."""
    if isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
        return node.value[part].start_mark.line + 1, node.value[part]
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if key.value == part:
                return key.start_mark.line + 1, value
    return None


def _text(writer: yaml.CSafeDumper, text: str) -> yaml.ScalarNode:
    return writer.represent_scalar(_TAG + "str", text, style=_style(text))


def _style(text: str) -> str | None:
    if _NEEDS_ESCAPES.search(text):
        return '"'
    return "|" if "\n" in text else None


_Writer.add_representer(str, _text)
