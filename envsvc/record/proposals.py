"""Write match rules from what was seen to change in requests, as narrow as it was seen (D3)."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import assert_never

import msgspec

from envsvc.cassette.manifest import ProposedRule
from envsvc.cassette.rules import MatchRule
from envsvc.exchange.shape import Shape, has_shape, shape_of
from envsvc.exchange.url import CanonicalUrl
from envsvc.record.request_leaves import Kind, Leaf

_MAX_SEEN = 3  # values that are shown: enough to see what kind they are
_MAX_SHOWN = 80  # characters of each: a field of a form may hold a whole file
_WILDCARDS = re.compile(r"([*?\[])")
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9._]+")


class Evidence(msgspec.Struct, frozen=True, kw_only=True):
    """Values at one leaf that seem to be made anew each time; ``because`` says why."""

    leaf: Leaf
    method: str
    url: CanonicalUrl
    texts: tuple[str, ...]
    because: str


def proposed_rules(evidence: Iterable[Evidence]) -> dict[str, ProposedRule]:
    """Return one rule for each leaf of each host, by name, limited to what was seen.

    Parts that a rule knows by their shape only, such as segments of a path, need one: without it
    nothing is proposed.
    """
    found: dict[tuple[object, ...], list[Evidence]] = {}
    for one in evidence:
        by_shape = _shape([one]) if not one.leaf.name else None
        if one.leaf.name or by_shape:
            found.setdefault((one.url.host, one.leaf, by_shape), []).append(one)
    proposed: dict[str, ProposedRule] = {}
    for group in found.values():
        proposed[_free_name(group, proposed)] = _proposal(group)
    return proposed


def _proposal(group: Sequence[Evidence]) -> ProposedRule:
    first, shape = group[0], _shape(group)
    methods = {one.method for one in group}
    paths = {_pattern(one, shape) for one in group}
    texts = dict.fromkeys(text[:_MAX_SHOWN] for one in group for text in one.texts)
    rule = msgspec.structs.replace(
        _rule(first.leaf, shape),
        where=_escaped(first.url.host) + _common(sorted(paths)),
        method=methods.pop() if len(methods) == 1 else "",
    )
    return ProposedRule(rule=rule, because=first.because, seen=tuple(texts)[:_MAX_SEEN])


def _rule(leaf: Leaf, shape: Shape | None) -> MatchRule:
    match leaf.kind:
        case Kind.QUERY:
            # Only where it is there: a request without it is often answered otherwise.
            return MatchRule(ignore_query=(leaf.name,), having_query=(leaf.name,), shape=shape)
        case Kind.JSON:
            return MatchRule(ignore_json=(leaf.name,), shape=shape)
        case Kind.FORM:
            return MatchRule(ignore_form=(leaf.name,), shape=shape)
        case Kind.PATH_PARAMETER:
            return MatchRule(ignore_path_parameter=(leaf.name,), shape=shape)
        case Kind.BARE_QUERY:
            return MatchRule(ignore_bare_query=shape)
        case Kind.PATH_SEGMENT:
            return MatchRule(ignore_path_segment=shape)
        case _:
            assert_never(leaf.kind)


def _shape(group: Iterable[Evidence]) -> Shape | None:
    """Return the shape of all values, or None if they have none in common."""
    texts = [text for one in group for text in one.texts]
    shape = shape_of(texts[0])
    return shape if shape and all(has_shape(text, shape) for text in texts) else None


def _pattern(one: Evidence, shape: Shape | None) -> str:
    """Return the path as a pattern in which segments that the rule ignores are open."""
    if one.leaf.kind is not Kind.PATH_SEGMENT:
        return _escaped(one.url.path)
    parts = one.url.path.split("/")
    return "/".join("*" if has_shape(part, shape) else _escaped(part) for part in parts)


def _escaped(text: str) -> str:
    return _WILDCARDS.sub(r"[\1]", text)


def _common(patterns: Sequence[str]) -> str:
    """Return one pattern for sorted *patterns*: the folder that holds all, if they are several."""
    if len(patterns) == 1:
        return patterns[0]
    shared = [one for one, other in _leading(patterns[0].split("/"), patterns[-1].split("/"))]
    return "/".join([*shared, "*"])


def _leading(one: Sequence[str], other: Sequence[str]) -> Iterator[tuple[str, str]]:
    for pair in zip(one[:-1], other[:-1], strict=False):
        if pair[0] != pair[1]:
            return
        yield pair


def _free_name(group: Sequence[Evidence], taken: Iterable[str]) -> str:
    leaf = group[0].leaf
    called = _NOT_IN_NAMES.sub("-", leaf.name or str(_shape(group))).strip("-")
    name = f"{leaf.kind.value}-{called}"
    return name if name not in taken else f"{name}-{group[0].url.host}"
