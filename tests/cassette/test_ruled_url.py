"""What rules take out of URLs, and that they take nothing else."""

import pytest

from envsvc.cassette.ruled_url import (
    aliased,
    is_origin,
    other_names,
    without_parameters,
    without_query,
    without_segments,
)
from envsvc.exchange.shape import Shape
from envsvc.exchange.url import CanonicalUrl, canonical_url


def parsed(text: str) -> CanonicalUrl:
    """Return the URL *text*, on a.test if it names no host."""
    url = canonical_url(text if "://" in text else f"http://a.test{text}")
    assert url is not None
    return url


@pytest.mark.parametrize(
    ("url", "left"),
    [
        ("/?_=1&q=2", "/?q=2"),
        ("/?_=1&_=2&q=3", "/?q=3"),
        ("/?_=x", "/?_=x"),
        ("/?q=1", "/?q=1"),
        ("/?__=1", "/?__=1"),
    ],
)
def test_a_query_parameter_leaves_by_name_and_shape(url: str, left: str) -> None:
    """D3: never another parameter."""
    assert without_query(parsed(url), ["_"], None, Shape.NUMBER) == parsed(left)


@pytest.mark.parametrize(
    ("url", "left"),
    [("/?1507495059747", "/"), ("/?1507=x", "/?1507=x"), ("/?a", "/?a"), ("/?7&q=1", "/?q=1")],
)
def test_a_bare_parameter_leaves_by_the_shape_of_its_name(url: str, left: str) -> None:
    """A cache-buster may be nothing but a number."""
    assert without_query(parsed(url), [], Shape.NUMBER, None) == parsed(left)


@pytest.mark.parametrize(
    ("url", "left"),
    [
        ("/cart;jsessionid=1A", "/cart"),
        ("/shop;jsessionid=1A/cart;v=1", "/shop/cart;v=1"),
        ("/shop/;jsessionid=1A?q=1", "/shop/?q=1"),
        ("/cart;v=1", "/cart;v=1"),
        ("/jsessionid=1A", "/jsessionid=1A"),
    ],
)
def test_a_path_parameter_leaves_by_name(url: str, left: str) -> None:
    """RFC 3986 3.3: it may stand in any segment."""
    assert without_parameters(parsed(url), ["jsessionid"], None) == parsed(left)


def test_a_path_parameter_of_another_shape_stays() -> None:
    """A short value is no session's name."""
    assert without_parameters(parsed("/a;sid=7"), ["sid"], Shape.TOKEN) == parsed("/a;sid=7")


def test_a_segment_leaves_by_shape_and_leaves_a_mark() -> None:
    """That there was one counts."""
    uuid = "3f0c9a52-7a55-4c1d-9b1e-0a6f3a1c2d11"
    marked = without_segments(parsed(f"/drafts/{uuid}/edit"), Shape.UUID)

    assert marked.path == "/drafts/{}/edit"
    assert without_segments(parsed("/drafts/%7B%7D/edit"), Shape.UUID) != marked


@pytest.mark.parametrize(
    ("url", "aliases", "there"),
    [
        ("http://shop.test/a?q=1", {"shop.test": "127.0.0.1:5001"}, "http://127.0.0.1:5001/a?q=1"),
        ("http://SHOP.test:80/", {"shop.test": "127.0.0.1:5001"}, "http://127.0.0.1:5001/"),
        ("https://shop.test/", {"shop.test": "127.0.0.1"}, "https://127.0.0.1/"),
        ("https://shop.test/", {"https://shop.test": "http://[::1]:5001"}, "http://[::1]:5001/"),
        ("http://shop.test:8080/", {"shop.test": "127.0.0.1:5001"}, "http://shop.test:8080/"),
        ("http://shop.test/", {"https://shop.test": "127.0.0.1"}, "http://shop.test/"),
        ("http://other.test/", {"shop.test": "127.0.0.1:5001"}, "http://other.test/"),
        ("http://a.test/", {"a.test": "b.test", "b.test": "c.test"}, "http://b.test/"),
    ],
)
def test_an_alias_leads_to_the_recorded_origin(
    url: str, aliases: dict[str, str], there: str
) -> None:
    """D3: exactly the origin that is named, and one step only."""
    assert aliased(parsed(url), aliases) == parsed(there)


def test_an_origin_is_known_by_all_its_names() -> None:
    """Patterns may use any of them."""
    aliases = {"shop.test": "127.0.0.1:5001", "www.shop.test": "127.0.0.1:5001", "x.test": "y"}

    assert list(other_names(parsed("http://127.0.0.1:5001/a"), aliases)) == [
        parsed("http://shop.test/a"),
        parsed("http://www.shop.test/a"),
    ]


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("shop.test", True),
        ("127.0.0.1:5001", True),
        ("https://[::1]:5001", True),
        ("http://shop.test/", False),
        ("user@shop.test", False),
        ("", False),
        ("two words", False),
    ],
)
def test_an_origin_is_scheme_host_and_port(text: str, *, is_one: bool) -> None:
    """Nothing else can be an alias."""
    assert is_origin(text) is is_one
