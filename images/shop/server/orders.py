"""Checkout, and the orders of who is signed in."""

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from server.cart import cart_of, priced_lines
from server.site import checked_form, render, shopper_of, site_of

LOGIN = "/login"


async def checkout(request: Request) -> Response:
    """Order what is in the cart; guests sign in first, an empty cart is shown again."""
    await checked_form(request)
    site, shopper, cart = site_of(request), shopper_of(request), cart_of(request)
    if shopper is None:
        return RedirectResponse(LOGIN, 303)
    lines = priced_lines(site, cart)
    if cart is None or not lines:
        return RedirectResponse("/cart", 303)
    number = site.store.place_order(shopper, cart, lines)
    return RedirectResponse(f"/orders/{number}", 303)


async def history(request: Request) -> Response:
    """List the orders; guests sign in first."""
    shopper = shopper_of(request)
    if shopper is None:
        return RedirectResponse(LOGIN, 303)
    return render(request, "orders.html", {"orders": site_of(request).store.orders(shopper)})


async def one(request: Request) -> Response:
    """Show one order; someone else's looks as if it did not exist."""
    shopper = shopper_of(request)
    if shopper is None:
        return RedirectResponse(LOGIN, 303)
    site = site_of(request)
    for order in site.store.orders(shopper):
        if order.id == request.path_params["order"]:
            return render(request, "order.html", {"order": order, "products": site.products})
    raise HTTPException(404, "There is no such order.")


routes = [
    Route("/checkout", checkout, methods=["POST"]),
    Route("/orders", history),
    Route("/orders/{order:int}", one),
]
