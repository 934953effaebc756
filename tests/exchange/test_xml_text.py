"""XML in which the order of named elements does not count."""

import pytest

from envsvc.exchange.xml_text import MAX_DEPTH, unordered_xml

AB = b"<s><m>a</m><m>b</m></s>"
BA = b"<s><m>b</m><m>a</m></s>"


def same(one: bytes, other: bytes, *unordered: str) -> bool:
    """Say whether the two are one document if children of *unordered* may move."""
    texts = unordered_xml(one, unordered), unordered_xml(other, unordered)
    return texts[0] == texts[1] is not None


def test_children_of_a_named_element_may_move() -> None:
    """XML-RPC: members of a struct have no order."""
    assert same(AB, BA, "s")


@pytest.mark.parametrize("unordered", [(), ("m",), ("S",)])
def test_children_of_other_elements_may_not(unordered: tuple[str, ...]) -> None:
    """Order is meaning in XML, unless somebody says otherwise."""
    assert not same(AB, BA, *unordered)


def test_every_element_may_be_meant() -> None:
    """A star is all of them."""
    assert same(b"<p>" + AB + b"<x/></p>", b"<p><x/>" + BA + b"</p>", "*")


def test_an_order_that_counts_is_kept_inside_one_that_does_not() -> None:
    """Only the named element is open."""
    assert not same(b"<s><l><i>1</i><i>2</i></l></s>", b"<s><l><i>2</i><i>1</i></l></s>", "s")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (AB, b"<s>\n  <m>a</m>\n  <m>b</m>\n</s>"),
        (b'<s a="1" b="2"/>', b"<s b='2'  a='1'></s>"),
        (b"<s>&lt;</s>", b"<s><![CDATA[<]]></s>"),
        (b'<x:s xmlns:x="u"/>', b'<s xmlns="u"/>'),
        (b'<?xml version="1.0"?><s/>', b"<s/>"),
        (b"<s><!-- why --></s>", b"<s/>"),
    ],
)
def test_what_means_the_same_in_xml_is_the_same(one: bytes, other: bytes) -> None:
    """XML 1.0 2.10, 3.1, 2.7; Namespaces in XML 3."""
    assert same(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (AB, b"<s><m>a</m><m>c</m></s>"),
        (AB, b"<s><m>a</m></s>"),
        (b"<s a='1'/>", b"<s a='2'/>"),
        (b"<s> </s>", b"<s/>"),
        (b"<p>one <b>x</b> two <b>y</b></p>", b"<p>one <b>y</b> two <b>x</b></p>"),
        (b'<x:s xmlns:x="u"/>', b'<x:s xmlns:x="v"/>'),
    ],
)
def test_what_differs_is_not(one: bytes, other: bytes) -> None:
    """Children amid text keep their places even where order does not count."""
    assert not same(one, other, "*")


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"no xml",
        b"<s>",
        b'<!DOCTYPE s [<!ENTITY x "y">]><s>&x;</s>',
        b'<?xml version="1.0" encoding="none-such"?><s/>',
        b"<s>" * (MAX_DEPTH + 1) + b"</s>" * (MAX_DEPTH + 1),
    ],
)
def test_what_cannot_be_read_has_no_text(body: bytes) -> None:
    """Nothing is unpacked, and nothing nests beyond the bound."""
    assert unordered_xml(body, ["*"]) is None
