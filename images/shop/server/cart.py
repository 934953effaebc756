"""The cart: show, add, change, remove. Each write redirects to what it changed."""

from secrets import token_urlsafe

from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection, Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from server.site import Site, checked_form, render, site_of, text_field
from server.store import Line, PricedLine

CART_COOKIE = "shop_cart"
MAX_QUANTITY = 99  # what the quantity field of the forms allows


def cart_of(connection: HTTPConnection) -> str | None:
    """Return the visitor's cart; None before the first write."""
    return connection.cookies.get(CART_COOKIE)


def new_cart() -> str:
    """Return a name for a cart that nobody can guess."""
    return token_urlsafe(18)


def keep_cart(response: Response, cart: str) -> None:
    """Let the visitor's browser remember the cart."""
    response.set_cookie(CART_COOKIE, cart, httponly=True, samesite="lax")


def priced_lines(site: Site, cart: str | None) -> list[PricedLine]:
    """Return the cart's lines at today's prices."""
    return [
        PricedLine(
            product=line.product,
            quantity=line.quantity,
            cents=site.products[line.product].price_cents,
        )
        for line in site.store.cart(cart)
    ]


async def show(request: Request) -> Response:
    """Show the cart and its total."""
    site = site_of(request)
    lines = priced_lines(site, cart_of(request))
    total = sum(line.quantity * line.cents for line in lines)
    return render(
        request, "cart.html", {"lines": lines, "products": site.products, "total_cents": total}
    )


async def add(request: Request) -> Response:
    """Add pieces; a visitor's first add gives them a cart cookie."""
    line = posted_line(site_of(request), await checked_form(request))
    cart = cart_of(request) or new_cart()
    site_of(request).store.add_to_cart(cart, line)
    response = RedirectResponse("/cart", 303)
    if cart_of(request) is None:
        keep_cart(response, cart)
    return response


async def change_quantity(request: Request) -> Response:
    """Set how many pieces of a product the cart holds."""
    line = posted_line(site_of(request), await checked_form(request))
    site_of(request).store.set_quantity(cart_of(request) or "", line)
    return RedirectResponse("/cart", 303)


async def remove(request: Request) -> Response:
    """Take a product out."""
    form = await checked_form(request)
    site_of(request).store.remove_from_cart(cart_of(request) or "", text_field(form, "product"))
    return RedirectResponse("/cart", 303)


def posted_line(site: Site, form: FormData) -> Line:
    """Read product and quantity.

    Raises:
        HTTPException: 404 for an unknown product, 422 for a quantity outside 1 to 99.
    """
    product = site.product(text_field(form, "product"))
    return Line(product=product.id, quantity=valid_quantity(text_field(form, "quantity")))


def valid_quantity(text: str) -> int:
    """Read a quantity.

    Raises:
        HTTPException: 422, it is not a whole number from 1 to 99.
    """
    if text.isascii() and text.isdigit() and 1 <= int(text) <= MAX_QUANTITY:
        return int(text)
    raise HTTPException(422, f"The quantity must be from 1 to {MAX_QUANTITY}.")


routes = [
    Route("/cart", show),
    Route("/cart/add", add, methods=["POST"]),
    Route("/cart/quantity", change_quantity, methods=["POST"]),
    Route("/cart/remove", remove, methods=["POST"]),
]
