"""Price news as server-sent events."""

import asyncio
import json
from collections.abc import AsyncIterator

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from server.product import Product, dollars
from server.site import render, site_of

EVENTS = 5
PAUSE_S = 0.08  # long enough to see that events arrive one by one


async def page(request: Request) -> Response:
    """Show the page that listens."""
    return render(request, "prices.html")


async def stream(request: Request) -> Response:
    """Send five prices and then `done`."""
    items = list(site_of(request).products.values())[:EVENTS]
    return StreamingResponse(
        price_events(items),
        media_type="text/event-stream",
        headers={"Cache-Control": "no-store"},
    )


async def price_events(items: list[Product]) -> AsyncIterator[str]:
    """Yield one event per product, a pause between them, and a last one named `done`."""
    for number, item in enumerate(items, start=1):
        await asyncio.sleep(PAUSE_S)
        data = json.dumps({"product": item.id, "price": dollars(item.price_cents)})
        yield f"id: {number}\nevent: price\ndata: {data}\n\n"
    yield f"event: done\ndata: {len(items)}\n\n"


routes = [Route("/prices", page), Route("/prices/stream", stream)]
