"""Put the shop together."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from tempfile import TemporaryDirectory

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.routing import Mount
from starlette.staticfiles import StaticFiles

from server import account, api, browse, cart, chat, downloads, jobs, orders, prices, returns
from server.faults import FaultMiddleware, FaultPlan
from server.releases import products_of
from server.site import Site, environment, error_page
from server.store import Store
from server.tokens import FormTokens
from server.visit import VisitMiddleware

PARTS = (account, api, browse, cart, chat, downloads, jobs, orders, prices, returns)
STATIC = Path(__file__).parent / "static"


def create_app(version: str, faults: FaultPlan) -> Starlette:
    """Return the shop in one release; its memory lives as long as it runs."""

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        with TemporaryDirectory() as folder, closing(Store()) as store:
            app.state.site = site(version, store, Path(folder))
            yield

    app = Starlette(
        routes=[*(route for part in PARTS for route in part.routes), static_files()],
        middleware=[Middleware(VisitMiddleware), Middleware(FaultMiddleware, faults)],
        exception_handlers={HTTPException: error_page},
        lifespan=lifespan,
    )
    # Such a redirect would name the host and the scheme that this process sees.
    app.router.redirect_slashes = False
    return app


def site(version: str, store: Store, folder: Path) -> Site:
    """Join what the pages share; *folder* holds the generated files."""
    return Site(
        version=version,
        products=products_of(version),
        store=store,
        tokens=FormTokens(),
        templates=environment(),
        manual=downloads.write_manual(folder),
    )


def static_files() -> Mount:
    """Serve script and style."""
    return Mount("/static", StaticFiles(directory=STATIC))
