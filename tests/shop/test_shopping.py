"""Signing in, the cart, orders and returns: writes that change later reads."""

import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from hashlib import sha256

import httpx
import pytest

pytestmark = pytest.mark.loopback

type StartShop = Callable[..., AbstractContextManager[str]]

ACCOUNT = {"email": "shopper@example.org", "password": "secret123"}


@pytest.fixture
def guest(start_shop: StartShop) -> Iterator[httpx.Client]:
    """Give a test a shop of its own, so that orders count from one."""
    with (
        start_shop("v1") as address,
        httpx.Client(base_url=address, follow_redirects=True) as client,
    ):
        yield client


def post(client: httpx.Client, path: str, **fields: str) -> httpx.Response:
    """Post a form with a token from a page of the shop."""
    return client.post(path, data={**fields, "csrf_token": token(client)})


def token(client: httpx.Client) -> str:
    """Return a form token."""
    match = re.search(r'name="csrf_token" value="([^"]+)"', client.get("/product/p01").text)
    assert match is not None
    return match[1]


def test_wrong_password_is_401(v1: httpx.Client) -> None:
    """The form comes back, with the status that says why."""
    response = post(v1, "/login", email=ACCOUNT["email"], password="wrong")

    assert response.status_code == 401
    assert "shop_session" not in v1.cookies


def test_login_redirects_and_sets_a_hidden_cookie(v1: httpx.Client) -> None:
    """Scripts cannot read the session cookie; it has no Domain and is not Secure."""
    (redirect,) = post(v1, "/login", **ACCOUNT).history
    attributes = redirect.headers["set-cookie"].lower()

    assert redirect.status_code == 303
    assert "httponly" in attributes
    assert "domain" not in attributes
    assert "secure" not in attributes


def test_logout_ends_the_session(v1: httpx.Client) -> None:
    """The old cookie is worth nothing afterwards."""
    post(v1, "/login", **ACCOUNT)
    old = v1.cookies["shop_session"]
    post(v1, "/logout")

    page = httpx.get(f"{v1.base_url}/", cookies={"shop_session": old}).text
    assert "Sign in" in page


@pytest.mark.parametrize("path", ["/login", "/logout", "/cart/add", "/checkout", "/returns"])
def test_form_without_its_token_is_refused(v1: httpx.Client, path: str) -> None:
    """A form that no page of ours showed is 403."""
    assert v1.post(path, data={"csrf_token": "forged"}).status_code == 403


def test_cart_cookie_comes_with_the_first_add_only(v1: httpx.Client) -> None:
    """Looking sets no cookie, adding does, adding again does not."""
    v1.get("/cart")
    assert not v1.cookies
    (first,) = post(v1, "/cart/add", product="p01", quantity="1").history
    (second,) = post(v1, "/cart/add", product="p01", quantity="1").history

    assert "set-cookie" in first.headers
    assert "set-cookie" not in second.headers


def test_cart_shows_what_was_done_to_it(v1: httpx.Client) -> None:
    """Add, add again, change and remove each show in the next page."""
    pages = [
        post(v1, "/cart/add", product="p01", quantity="1"),
        post(v1, "/cart/add", product="p04", quantity="2"),
        post(v1, "/cart/quantity", product="p01", quantity="3"),
        post(v1, "/cart/remove", product="p04"),
        post(v1, "/cart/remove", product="p01"),
    ]

    totals = [re.findall(r"Cart total (\S+)<", page.text) for page in pages]
    assert totals == [["$39.00"], ["$58.80"], ["$136.80"], ["$117.00"], []]


@pytest.mark.parametrize("quantity", ["0", "100", "-1", "two", "٣", ""])
def test_quantity_outside_its_range_is_422(v1: httpx.Client, quantity: str) -> None:
    """Only whole numbers from 1 to 99 are quantities."""
    assert post(v1, "/cart/add", product="p01", quantity=quantity).status_code == 422


def test_guest_who_checks_out_is_asked_to_sign_in(v1: httpx.Client) -> None:
    """The cart waits until the guest has signed in."""
    post(v1, "/cart/add", product="p01", quantity="1")

    assert post(v1, "/checkout").url.path == "/login"
    assert "Cart total $39.00" in post(v1, "/login", **ACCOUNT).text


def test_checkout_leads_to_the_order_and_empties_the_cart(guest: httpx.Client) -> None:
    """The order has a number, is in the history, and the cart is empty."""
    post(guest, "/login", **ACCOUNT)
    post(guest, "/cart/add", product="p01", quantity="2")

    assert post(guest, "/checkout").url.path == "/orders/1"
    assert "$78.00" in guest.get("/orders").text
    assert "Your cart is empty" in guest.get("/cart").text


def test_return_confirms_what_was_uploaded(v1: httpx.Client) -> None:
    """The page shows size and hash of the file."""
    content = b"Walnut tea tray, 3 pieces"
    data = {"csrf_token": token(v1), "note": "Broken <handle>", "reason": "Arrived broken"}
    page = v1.post("/returns", data=data, files={"receipt": ("receipt.txt", content)}).text

    assert f"receipt.txt: 25 bytes, SHA-256 begins {sha256(content).hexdigest()[:12]}" in page
    assert "Broken &lt;handle&gt;" in page
