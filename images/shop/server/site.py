"""What all pages share, and how a page is rendered."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection, Request
from starlette.responses import HTMLResponse, Response

from server.compression import compressed
from server.product import Product, dollars
from server.store import Store
from server.tokens import FormTokens
from server.visit import Visit

SESSION_COOKIE = "shop_session"
TELEMETRY_HOST = "telemetry.shop-metrics.test"


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """One running shop."""

    version: str
    products: Mapping[str, Product]
    store: Store
    tokens: FormTokens
    templates: Environment
    manual: Path

    def product(self, product_id: str) -> Product:
        """Return a product.

        Raises:
            HTTPException: 404, there is no such product.
        """
        if product_id not in self.products:
            raise HTTPException(404, "There is no such product.")
        return self.products[product_id]


def environment() -> Environment:
    """Return the templates; a name that a template misspells is an error."""
    loader = FileSystemLoader(Path(__file__).parent / "templates")
    templates = Environment(loader=loader, autoescape=True, undefined=StrictUndefined)
    templates.filters["dollars"] = dollars
    return templates


def site_of(connection: HTTPConnection) -> Site:
    """Return the shop that a request came to."""
    site: Site = connection.app.state.site
    return site


def shopper_of(connection: HTTPConnection) -> str | None:
    """Return who is signed in; None for a guest."""
    return site_of(connection).store.shopper(connection.cookies.get(SESSION_COOKIE))


def render(
    request: Request,
    template: str,
    values: Mapping[str, object] | None = None,
    *,
    status: int = 200,
) -> Response:
    """Fill a template and send it with its security policy, compressed as accepted."""
    site = site_of(request)
    visit: Visit = request.state.visit
    html = site.templates.get_template(template).render(
        **(values or {}), csrf_token=site.tokens.issue(), visit=visit, shopper=shopper_of(request)
    )
    response = HTMLResponse(html, status)
    response.headers["Content-Security-Policy"] = policy(visit.nonce)
    response.headers["Cache-Control"] = "no-store"
    return compressed(response, request.headers.get("accept-encoding", ""))


def policy(nonce: str) -> str:
    """Return the Content-Security-Policy of one rendering."""
    return (
        f"default-src 'self'; script-src 'self' 'nonce-{nonce}'; "
        # ws: and wss: because older browsers do not count them as 'self'.
        f"connect-src 'self' ws: wss: http://{TELEMETRY_HOST} https://{TELEMETRY_HOST}; "
        "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
    )


async def checked_form(request: Request) -> FormData:
    """Read a posted form that one of our pages showed.

    Raises:
        HTTPException: 403, its token is missing or not ours.
    """
    form = await request.form()
    if not site_of(request).tokens.is_ours(text_field(form, "csrf_token")):
        raise HTTPException(403, "The form has expired, please load the page again.")
    return form


def text_field(form: FormData, name: str) -> str:
    """Return a text field's value; "" if it is missing or a file."""
    value = form.get(name)
    return value if isinstance(value, str) else ""


async def error_page(request: Request, error: Exception) -> Response:
    """Show an HTTP error as a page of the shop."""
    if not isinstance(error, HTTPException):
        raise error
    response = render(request, "error.html", {"error": error}, status=error.status_code)
    # For example Allow, which goes with 405.
    response.headers.update(error.headers or {})
    return response
