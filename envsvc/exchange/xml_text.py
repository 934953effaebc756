"""The text of an XML document in which the order of some elements does not count.

In XML the order of elements has a meaning of its own, unless the protocol on top of it says
otherwise, as XML-RPC does for the members of a struct. Only whoever knows that can name them.
"""

import json
from collections.abc import Collection
from typing import Never
from xml.etree.ElementTree import Element, ParseError, TreeBuilder, XMLParser

# As for JSON: a fixed bound, so that the same body has the same key everywhere.
MAX_DEPTH = 200
ANY_ELEMENT = "*"


class _Refused(Exception):  # noqa: N818  (it never leaves this module)
    """The document nests too deeply, or declares types and entities of its own."""


class _Builder(TreeBuilder):
    def doctype(self, name: str, pubid: str | None, system: str | None) -> Never:  # noqa: ARG002
        # What a declaration defines would have to be read too, and may unpack without end.
        raise _Refused


def unordered_xml(body: bytes, unordered: Collection[str]) -> str | None:
    """Return one text for all documents that mean *body* if children of *unordered* may move.

    *unordered* holds names of elements without their namespace, or ``*`` for every element.
    Attributes have no order (XML 1.0, 3.1); white space between elements does not count. None if
    *body* is no XML, has a DOCTYPE, or nests deeper than MAX_DEPTH.
    """
    parser = XMLParser(target=_Builder())  # noqa: S314  (without a DOCTYPE there are no entities)
    try:
        parser.feed(body)
        return _text(parser.close(), unordered, MAX_DEPTH)
    except (ParseError, _Refused, ValueError, LookupError):
        return None


def _text(element: Element, unordered: Collection[str], levels: int) -> str:
    if not levels:
        raise _Refused
    children = [_text(child, unordered, levels - 1) for child in element]
    texts = [element.text or "", *(child.tail or "" for child in element)]
    if children and not any(text.strip() for text in texts):
        texts = []
        if _local_name(element) in unordered or ANY_ELEMENT in unordered:
            children.sort()
    return json.dumps([element.tag, sorted(element.attrib.items()), texts, children])


def _local_name(element: Element) -> str:
    return element.tag.rpartition("}")[2]
