"""The JSON interface that the shop's own script calls."""

import json

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from server.cart import MAX_QUANTITY, cart_of, keep_cart, new_cart
from server.product import Product, dollars
from server.site import site_of


async def products(request: Request) -> Response:
    """List id, name and price of all products."""
    return JSONResponse([summary(item) for item in site_of(request).products.values()])


async def stock(request: Request) -> Response:
    """Tell how many pieces of a product there are."""
    item = site_of(request).product(request.path_params["product"])
    return JSONResponse({"product": item.id, "stock": item.stock})


async def quote(request: Request) -> Response:
    """Price `{"product": "p01", "quantity": 3}`; 422 if it does not read like that."""
    match await posted_json(request):
        case {"product": str(product), "quantity": int(quantity)} if 1 <= quantity <= MAX_QUANTITY:
            item = site_of(request).product(product)
            total = item.price_cents * quantity + item.shipping_cents
            return JSONResponse({"product": item.id, "quantity": quantity, "total": dollars(total)})
        case _:
            return JSONResponse({"error": "expected a product and a quantity"}, 422)


async def wishlist(request: Request) -> Response:
    """List the wished products of this visitor."""
    return JSONResponse({"products": site_of(request).store.wishes(cart_of(request))})


async def wish(request: Request) -> Response:
    """PUT puts a product on the wishlist, DELETE takes it off; the new list is the answer."""
    site = site_of(request)
    item = site.product(request.path_params["product"])
    cart = cart_of(request) or new_cart()
    site.store.set_wish(cart, item.id, wanted=request.method == "PUT")
    response = JSONResponse({"products": site.store.wishes(cart)})
    if cart_of(request) is None:
        keep_cart(response, cart)
    return response


def summary(item: Product) -> dict[str, str]:
    """Return what a list shows of a product."""
    return {"id": item.id, "name": item.name, "price": dollars(item.price_cents)}


async def posted_json(request: Request) -> object:
    """Read a JSON body.

    Raises:
        HTTPException: 400, it is not JSON.
    """
    try:
        return await request.json()
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise HTTPException(400, "The body is not JSON.") from error


routes = [
    Route("/api/products", products),
    Route("/api/products/{product}/stock", stock),
    Route("/api/quote", quote, methods=["POST"]),
    Route("/api/wishlist", wishlist),
    Route("/api/wishlist/{product}", wish, methods=["PUT", "DELETE"]),
]
