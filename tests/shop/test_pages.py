"""Pages, redirects, headers and compression of the running shop."""

import re
from collections.abc import Callable
from contextlib import AbstractContextManager

import httpx
import pytest

pytestmark = pytest.mark.loopback

type StartShop = Callable[..., AbstractContextManager[str]]


def test_catalogue_lists_twelve_products(v1: httpx.Client) -> None:
    """Every product has a link."""
    links = re.findall(r'href="/product/(p\d\d)"', v1.get("/catalogue").text)

    assert links == [f"p{number:02}" for number in range(1, 13)]


@pytest.mark.parametrize(
    ("query", "product"), [("LINEN", "p05"), ("茶壶", "p03"), ("折り紙", "p04"), ("炊飯器", "p08")]
)
def test_search_finds_words_in_any_script(v1: httpx.Client, query: str, product: str) -> None:
    """Latin, Chinese and Japanese words find their product."""
    page = v1.get("/search", params={"q": query}).text

    assert re.findall(r'href="/product/(p\d\d)"', page) == [product]


def test_search_shows_the_query_as_text(v1: httpx.Client) -> None:
    """Markup in a query stays text."""
    assert "<b>x" not in v1.get("/search", params={"q": "<b>x"}).text


@pytest.mark.parametrize("path", ["/favicon.ico", "/product/p13", "/product/", "/orders/99x"])
def test_what_is_not_there_is_404(v1: httpx.Client, path: str) -> None:
    """The favicon is missing on purpose, the rest by nature."""
    assert v1.get(path).status_code == 404


def test_sale_redirects_twice(v1: httpx.Client) -> None:
    """The chain has two hops and its first sets the cookie."""
    hops = v1.get("/go/sale").history

    assert [hop.status_code for hop in hops] == [302, 302]
    assert hops[0].headers["set-cookie"].startswith("sale=spring;")


def test_sale_page_depends_on_the_cookie(v1: httpx.Client) -> None:
    """The same address reads differently with and without the cookie."""
    without = v1.get("/catalogue?sale=1").text

    assert "needs a cookie" in without
    assert "Welcome to the spring sale" in v1.get("/go/sale").text


def test_request_id_is_in_page_and_header(v1: httpx.Client) -> None:
    """Both name the same request."""
    response = v1.get("/")

    assert response.headers["x-request-id"] in response.text


def test_inline_script_carries_the_nonce_of_the_policy(v1: httpx.Client) -> None:
    """The policy allows exactly the script that the page holds."""
    response = v1.get("/")
    nonce = re.findall("'nonce-([^']+)'", response.headers["content-security-policy"])

    assert re.findall(r'<script nonce="([^"]+)"', response.text) == nonce


@pytest.mark.parametrize(
    ("accepted", "coding"),
    [
        ("gzip, deflate, br", "br"),
        ("gzip", "gzip"),
        ("br;q=0, gzip", "gzip"),
        ("identity", None),
    ],
)
def test_compression_follows_what_is_accepted(
    v1: httpx.Client, accepted: str, coding: str | None
) -> None:
    """Brotli before gzip, neither unless it is accepted; the text stays whole."""
    response = v1.get("/catalogue", headers={"Accept-Encoding": accepted})

    assert response.headers.get("content-encoding") == coding
    assert "</html>" in response.text


def test_links_name_neither_host_nor_scheme(v1: httpx.Client) -> None:
    """The shop can be mapped to any address: redirects and links are paths."""
    assert "http://127" not in v1.get("/").text
    assert v1.get("/go/sale", follow_redirects=False).headers["location"] == "/go/sale/enter"


def test_faults_never_hit_health(start_shop: StartShop) -> None:
    """With a fault rate of one every page fails, and /health does not."""
    with start_shop("v1", "--fault-rate", "1") as address:
        statuses = [httpx.get(f"{address}{path}").status_code for path in ("/", "/health")]

    assert statuses == [503, 200]


def test_the_same_seed_gives_the_same_faults(start_shop: StartShop) -> None:
    """Two shops with one seed fail the same requests."""
    options = ("--fault-rate", "0.5", "--fault-seed", "7")
    runs = []
    for _ in range(2):
        with start_shop("v1", *options) as address, httpx.Client() as client:
            runs.append([client.get(f"{address}/").status_code for _ in range(20)])

    assert runs[0] == runs[1]
    assert set(runs[0]) == {200, 503}
