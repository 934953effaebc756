"""The pages of someone who looks around: home, catalogue, product, search, sale."""

from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from server.product import Product
from server.site import render, site_of

SALE_COOKIE = "sale"


async def home(request: Request) -> Response:
    """Greet; the only page that tells the release."""
    return render(request, "home.html", {"version": site_of(request).version})


async def health(request: Request) -> Response:
    """Tell that the shop is up, and its release."""
    return PlainTextResponse(f"ok {site_of(request).version}")


async def catalogue(request: Request) -> Response:
    """List all products; `?sale=1` says whether the sale cookie came along."""
    values = {
        "products": site_of(request).products.values(),
        "asks_sale": request.query_params.get("sale") == "1",
        "in_sale": request.cookies.get(SALE_COOKIE) == "spring",
    }
    return render(request, "catalogue.html", values)


async def product(request: Request) -> Response:
    """Show one product; `?sort=price` shows all its offers, the cheapest first."""
    item = site_of(request).product(request.path_params["product"])
    is_sorted = request.query_params.get("sort") == "price"
    return render(request, "offers.html" if is_sorted else "product.html", {"product": item})


async def search(request: Request) -> Response:
    """List the products whose name or description holds the query, in any script."""
    query = request.query_params.get("q", "").strip()
    found = [item for item in site_of(request).products.values() if query and matches(item, query)]
    return render(request, "search.html", {"query": query, "products": found})


def matches(item: Product, query: str) -> bool:
    """Tell whether *query* occurs in a product's words, whatever the case."""
    return query.casefold() in f"{item.name} {item.description}".casefold()


async def sale_start(_request: Request) -> Response:
    """Begin the sale: leave a cookie and pass on."""
    response = RedirectResponse("/go/sale/enter", 302)
    response.set_cookie(SALE_COOKIE, "spring", samesite="lax")
    return response


async def sale_enter(_request: Request) -> Response:
    """Pass on to the catalogue."""
    return RedirectResponse("/catalogue?sale=1", 302)


routes = [
    Route("/", home),
    Route("/health", health),
    Route("/catalogue", catalogue),
    Route("/product/{product}", product),
    Route("/search", search),
    Route("/go/sale", sale_start),
    Route("/go/sale/enter", sale_enter),
]
