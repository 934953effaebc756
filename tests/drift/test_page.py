"""A page is compared by what it says, not by how it is written."""

import pytest

from envsvc.drift.page import page_facts, region


def same(one: str, other: str) -> bool:
    """Say whether two pages say the same."""
    return page_facts(one.encode()) == page_facts(other.encode())


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("<p>a  b</p>", "<p>\n a b </p>"),
        ('<p class="b a">x</p>', '<p class="a  b">x</p>'),
        ('<a href="/x" id="y">x</a>', '<a id="y" href="/x">x</a>'),
        ("<p>x</p><!-- 12:00 -->", "<p>x</p><!-- 12:01 -->"),
        ('<input name="csrf_token" value="a">', '<input name="csrf_token" value="b">'),
        ('<meta name="csrf-token" content="a">', '<meta name="csrf-token" content="b">'),
        ('<script nonce="a">f()</script>', '<script nonce="b">f()</script>'),
        ("", "<html></html>"),
    ],
)
def test_writing_does_not_count(one: str, other: str) -> None:
    """D12: tokens that are made anew and the order of classes say nothing."""
    assert same(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("<p>a</p>", "<p>b</p>"),
        ("<p>a</p>", "<p>a</p><p>a</p>"),
        ("<p>a</p>", "<div>a</div>"),
        ('<a href="/x">x</a>', '<a href="/y">x</a>'),
        ('<input name="q" value="a">', '<input name="q" value="b">'),
        ("<script>f()</script>", "<script>g()</script>"),
        ('<p class="a">x</p>', '<p class="a b">x</p>'),
    ],
)
def test_what_it_says_does(one: str, other: str) -> None:
    """D12: texts, elements, attributes and scripts."""
    assert not same(one, other)


def test_a_deep_page_has_facts() -> None:
    """D12: however deep it nests."""
    deep = b"<div>" * 5_000 + b"x"

    assert "x" in page_facts(deep).values()


@pytest.mark.parametrize(
    ("place", "name"), [("/html[1]/body[1]/aside[2]", "aside"), ("/a[1]@href", "a"), ("", "")]
)
def test_a_region_is_called_by_its_tag(place: str, name: str) -> None:
    """D12: people read it."""
    assert region(place) == name
