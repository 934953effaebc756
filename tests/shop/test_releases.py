"""The two releases differ where they should and nowhere else."""

import re

import httpx
import pytest

pytestmark = pytest.mark.loopback

PRODUCTS = [f"p{number:02}" for number in range(1, 13)]
VOLATILE = re.compile(
    r'<time>.*?</time>|id="request-id">[^<]*|id="served-in">[^<]*|'
    r'name="csrf_token" value="[^"]*"|nonce="[^"]*"'
)


def stable(client: httpx.Client, path: str) -> str:
    """Return a page without its volatile tokens."""
    return VOLATILE.sub("", client.get(path).text)


def changed(before: httpx.Client, after: httpx.Client, query: str = "") -> list[str]:
    """Return the products whose page differs between two shops."""
    paths = {product: f"/product/{product}{query}" for product in PRODUCTS}
    return [name for name, path in paths.items() if stable(before, path) != stable(after, path)]


def test_a_page_is_never_twice_the_same(v1: httpx.Client) -> None:
    """Volatile tokens differ between two renderings."""
    assert v1.get("/product/p01").text != v1.get("/product/p01").text


def test_a_page_without_volatile_tokens_is_always_the_same(v1: httpx.Client) -> None:
    """Nothing but the known tokens is volatile."""
    assert changed(v1, v1) == []


def test_four_default_views_change_between_releases(v1: httpx.Client, v2: httpx.Client) -> None:
    """A new wording, a repair, and two new defects."""
    assert changed(v1, v2) == ["p02", "p07", "p09", "p12"]


def test_one_sorted_view_changes_between_releases(v1: httpx.Client, v2: httpx.Client) -> None:
    """The repaired order of p05."""
    assert changed(v1, v2, "?sort=price") == ["p05"]


def test_every_page_kind_but_home_hides_the_release(v1: httpx.Client, v2: httpx.Client) -> None:
    """Pages around the products read the same in both releases."""
    paths = ["/catalogue", "/search?q=brush", "/login", "/cart", "/prices", "/chat", "/returns"]

    assert [path for path in paths if stable(v1, path) != stable(v2, path)] == []


@pytest.mark.parametrize("path", ["/", "/health"])
def test_home_and_health_tell_the_release(v1: httpx.Client, v2: httpx.Client, path: str) -> None:
    """These two say which release runs."""
    assert "v1" in v1.get(path).text
    assert "v2" in v2.get(path).text
