"""An exchange is found by number, key or URL."""

import pytest

from envsvc.app.pick_exchange import NoSuchExchangeError, picked
from envsvc.exchange.key import canonical_key
from tests.cassette.recordings import ask, in_order

RECORDED = in_order(
    ("GET /a?x=1&y=2", "a"), ("POST /cart one", "1"), ("GET /cart", "c"), ("GET /cart", "d")
)
KEY = canonical_key(ask("GET /a?x=1&y=2")).hex()


@pytest.mark.parametrize(
    ("name", "number"),
    [
        ("2", 2),
        (KEY, 0),
        (KEY[:12].upper(), 0),
        ("http://shop.test/a?y=2&x=1", 0),
        ("/a?x=1&y=2", 0),
        ("post /cart", 1),
        ("POST http://SHOP.test/cart", 1),
    ],
)
def test_one_exchange_is_found(name: str, number: int) -> None:
    """A URL counts by its meaning."""
    assert picked(RECORDED, name) == number


@pytest.mark.parametrize(
    "name", ["9", "/never", "GET /never", "ffff" * 8, "nonsense", "", "DELETE /cart"]
)
def test_what_is_not_there_is_not_found(name: str) -> None:
    """D3: no closest match."""
    with pytest.raises(NoSuchExchangeError, match="no exchange is"):
        picked(RECORDED, name)


def test_several_are_named() -> None:
    """By the number that chooses one."""
    with pytest.raises(NoSuchExchangeError) as raised:
        picked(RECORDED, "GET /cart")

    assert "2: GET http://shop.test/cart; 3: GET http://shop.test/cart" in raised.value.fix


def test_an_empty_cassette_has_none() -> None:
    """An empty recording is legal."""
    with pytest.raises(NoSuchExchangeError):
        picked([], "/a")
