"""A page as facts that can be compared one by one: what each element says and how it is."""

from collections import Counter
from collections.abc import Iterator

from selectolax.lexbor import LexborHTMLParser, LexborNode

from envsvc.exchange.secret_names import Kind, Names, RedactionRules

type Facts = dict[str, str]
"""What a page says, by place: ``/html/body/p[2]`` for a text, ``/html/body/a[1]@href``."""

_NAMES = Names(RedactionRules())
# What frameworks make anew at each load, whatever it is called (HTML 2.5.6, 4.12.1).
_ANEW = frozenset({"nonce"})
_FIELDS = frozenset({"input", "meta"})
_VALUES = frozenset({"value", "content"})


def page_facts(body: bytes) -> Facts:
    """Return what a page says, without tokens that are made anew.

    White space, comments and the order of attributes and of classes say nothing.
    """
    return dict(_facts(LexborHTMLParser(body)))


def region(place: str) -> str:
    """Return the name of the element that a *place* belongs to, as people call it: its tag."""
    return place.partition("@")[0].rpartition("/")[2].partition("[")[0]


def _facts(page: LexborHTMLParser) -> Iterator[tuple[str, str]]:
    waiting = [("", page.root)] if page.root else []
    while waiting:
        place, node = waiting.pop()
        yield from _attributes(place, node)
        numbers: Counter[str] = Counter()
        text = []
        child = node.first_child
        while child is not None:
            if child.is_text_node:
                text.append(child.text_content or "")
            elif child.is_element_node:
                tag = child.tag or ""
                numbers[tag] += 1
                waiting.append((f"{place}/{tag}[{numbers[tag]}]", child))
            child = child.next
        said = " ".join("".join(text).split())
        yield place, said


def _attributes(place: str, node: LexborNode) -> Iterator[tuple[str, str]]:
    attributes = {name: value or "" for name, value in node.attributes.items()}
    is_token = node.tag in _FIELDS and _is_anew(attributes.get("name") or "")
    for name, value in attributes.items():
        if name in _ANEW or (is_token and name in _VALUES):
            continue
        shown = " ".join(sorted(set(value.split()))) if name == "class" else value
        yield f"{place}@{name}", shown


def _is_anew(name: str) -> bool:
    return _NAMES.field(name) is Kind.ONCE
