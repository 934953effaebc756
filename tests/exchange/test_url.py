"""Two URLs are one where that can be proven, and only there."""

from random import Random
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envsvc.exchange.url import (
    CanonicalUrl,
    canonical_pairs,
    canonical_url,
    host_of,
    normalised_escapes,
    split_authority,
)
from tests.exchange.strategies import TEXTS, URLS

SAME = [
    ("http://app.test/v?k=a%2Bb", "http://app.test/v?k=a%2bb"),
    ("http://app.test/v?k=a+b", "http://app.test/v?k=a%20b"),
    ("http://app.test/s?foo=with space", "http://app.test/s?foo=with%20space"),
    ('http://app.test/t?q={"title":"x y"}', "http://app.test/t?q=%7B%22title%22%3A%22x%20y%22%7D"),
    ("http://app.test/t?q=a|b", "http://app.test/t?q=a%7Cb"),
    ("http://app.test/t?q=%7Etilde", "http://app.test/t?q=~tilde"),
    ("http://app.test/?flag", "http://app.test/?flag="),
    ("http://APP.test:80/A#x", "http://app.test/A"),
    ("https://app.test:443/A", "https://app.test/A"),
    ("http://app.test:/A", "http://app.test/A"),
    ("http://app.test", "http://app.test/"),
    ("http://app.test/a?", "http://app.test/a"),
    ("http://app.test/s?w=%C4%E3", "http://app.test/s?w=%c4%e3"),
    ("http://app.test/%7euser", "http://app.test/~user"),
    ("http://app.test/é", "http://app.test/%c3%a9"),
    ("http://app.test/?b=2&a=1", "http://app.test/?a=1&b=2"),
    ("HTTP://app.test/", "http://app.test/"),
    ("http://user:word@app.test/", "http://app.test/"),
    ("http://[::1]:80/", "http://[::1]/"),
    ("ws://app.test:80/", "ws://app.test/"),
    ("http://app.test:080/", "http://app.test/"),
    ("http://[0:0::0:1]/", "http://[::1]/"),
    ("http://BÜCHER.app.test/", "http://xn--bcher-kva.app.test/"),
    ("http://bu\u0308cher.test/", "http://xn--bcher-kva.test/"),
    ("http://app.test/?&a=1&&b=2&", "http://app.test/?a=1&b=2"),
]
DIFFERENT = [
    ("http://app.test/v?k=a%2Bb%3D%3D", "http://app.test/v?k=a+b%3D%3D"),
    ("http://app.test/a+b", "http://app.test/a%20b"),
    ("http://app.test/s?foo=with%20space", "http://app.test/s?foo=with%2520space"),
    ("http://app.test/a%2Fb", "http://app.test/a/b"),
    ("http://app.test/?abc==", "http://app.test/?abc="),
    ("http://app.test/?flag=", "http://app.test/?flag=0"),
    ("http://app.test/?flag=", "http://app.test/"),
    ("http://app.test/search/?q=/", "http://app.test/search/?q="),
    ("http://app.test/search/", "http://app.test/search"),
    ("http://app.test/A", "http://app.test/a"),
    ("http://app.test:8080/A", "http://app.test/A"),
    ("https://app.test/A", "http://app.test/A"),
    ("http://app.test/s?w=%C4%E3", "http://app.test/s?w=%BA%C3"),
    ("http://app.test/s?w=%E9", "http://app.test/s?w=%C3%A9"),
    ("http://app.test/?x=1&x=2", "http://app.test/?x=2&x=1"),
    ("http://app.test/?a=1%26b=2", "http://app.test/?a=1&b=2"),
    ("http://app.test/?a%3D1", "http://app.test/?a=1"),
    ("http://app.test/?w=%00%FF", "http://app.test/?w=%00%C3%BF"),
    ("http://app.test/?w=%FF", "http://app.test/?w=%00%C3%BF"),
    ("http://[::1]:81/", "http://[::1]/"),
    ("http://[::x]/", "http://[::y]/"),
    ("http://straße.test/", "http://strasse.test/"),
    ("http://app.test./", "http://app.test/"),
    ("http://app.test:0/", "http://app.test/"),
    ("http://app.test/?=", "http://app.test/"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_spellings_of_one_url_are_equal(one: str, other: str) -> None:
    """D3, S3-06: what provably asks the same is one URL, so that replay does not miss it."""
    assert canonical_url(one) == canonical_url(other)


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_urls_that_may_differ_stay_apart(one: str, other: str) -> None:
    """D3, S3-06: what may ask for something else is never merged."""
    assert canonical_url(one) != canonical_url(other)


@pytest.mark.parametrize("text", ["", "/cart", "shop.test/cart", "mailto:a@b", "1http://x/"])
def test_what_is_no_absolute_url_has_no_parts(text: str) -> None:
    """A bare path names no host, so nothing can be said of it."""
    assert canonical_url(text) is None


def spelled(url: CanonicalUrl) -> str:
    """Return a URL that has the parts of *url*."""
    query = "&".join(f"{_escaped(name)}={_escaped(value)}" for name, value in url.query)
    return f"{url.scheme}://{url.host}:{url.port}{url.path}?{query}"


def _escaped(text: str) -> str:
    # A NUL in front marks bytes (see canonical_pairs), each written as one character.
    return quote(text[1:].encode("latin-1")) if text.startswith("\x00") else quote(text, safe="")


@given(URLS)
def test_canonical_once_is_canonical_for_ever(url: str) -> None:
    """The canonical form of a canonical URL is itself."""
    once = canonical_url(url)

    assert once is not None
    assert canonical_url(spelled(once)) == once


@given(TEXTS)
def test_escapes_are_normalised_only_once(path: str) -> None:
    """Doing it again changes nothing: nothing is ever decoded twice."""
    once = normalised_escapes(path)

    assert normalised_escapes(once) == once


@given(
    st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=5, unique_by=lambda pair: pair[0]),
    st.randoms(use_true_random=False),
)
def test_the_order_of_different_names_does_not_matter(
    pairs: list[tuple[str, str]], random: Random
) -> None:
    """D3: pairs are sorted by name."""
    texts = [f"{quote(name, safe='')}={quote(value, safe='')}" for name, value in pairs]
    shuffled = random.sample(texts, len(texts))

    assert canonical_pairs("&".join(shuffled)) == canonical_pairs("&".join(texts))


def test_the_order_within_a_name_is_kept() -> None:
    """D3: sorted by name, but stable within one."""
    assert canonical_pairs("b=1&a=2&b=0") == (("a", "2"), ("b", "1"), ("b", "0"))


def test_no_query_has_no_pairs() -> None:
    """An empty text is not a pair of empty texts."""
    assert canonical_pairs("") == ()


@pytest.mark.parametrize(
    ("authority", "host", "port"),
    [
        ("shop.test", "shop.test", ""),
        ("shop.test:8080", "shop.test", "8080"),
        ("shop.test:", "shop.test", ""),
        ("shop.test:port", "shop.test:port", ""),
        ("shop.test:²", "shop.test:²", ""),
        ("me:word@shop.test:80", "shop.test", "80"),
        ("a@b@shop.test", "shop.test", ""),
        ("[::1]", "[::1]", ""),
        ("[::1]:8080", "[::1]", "8080"),
        ("[2001:db8::80]:", "[2001:db8::80]", ""),
        ("2001:db8::80", "2001:db8::80", ""),
        ("::1", "::1", ""),
        ("", "", ""),
    ],
)
def test_an_authority_is_split_at_its_port(authority: str, host: str, port: str) -> None:
    """A colon inside an IPv6 address is never taken for a port (RFC 3986 3.2.2)."""
    assert split_authority(authority) == (host, port)


@pytest.mark.parametrize(
    ("url", "origin"),
    [
        ("https://Shop.test:443/a?b", "https://shop.test"),
        ("http://shop.test:443/", "http://shop.test:443"),
        ("http://[::1]:8080/", "http://[::1]:8080"),
    ],
)
def test_an_origin_names_no_default_port(url: str, origin: str) -> None:
    """As browsers write it (RFC 6454 6.2)."""
    parts = canonical_url(url)

    assert parts is not None
    assert parts.origin == origin


@pytest.mark.parametrize(
    ("url", "host"), [("http://Shop.test:80/a", "shop.test"), ("nonsense", ""), ("", "")]
)
def test_the_host_of_a_url_is_in_lower_case(url: str, host: str) -> None:
    """D3: host case is no difference; what is no URL has no host."""
    assert host_of(url) == host
