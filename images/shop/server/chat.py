"""A chat desk over WebSocket that always answers the same to the same message."""

from collections.abc import Mapping

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket

from server.product import Product, dollars
from server.site import render, site_of

GREETING = "Welcome to the shop, how can we help?"


async def page(request: Request) -> Response:
    """Show the page that talks."""
    return render(request, "chat.html")


async def talk(websocket: WebSocket) -> None:
    """Greet, then answer each message until the visitor leaves."""
    await websocket.accept()
    await websocket.send_text(GREETING)
    async for message in websocket.iter_text():
        await websocket.send_text(reply(message, site_of(websocket).products))


def reply(message: str, products: Mapping[str, Product]) -> str:
    """Return the answer to one message."""
    match message.lower().split():
        case ["hello", *_]:
            return "Hello! Ask me for a price, for example: price p03"
        case ["price", product] if product in products:
            item = products[product]
            return f"{item.name} costs {dollars(item.price_cents)}"
        case _:
            return f"You said: {message}"


routes = [Route("/chat", page), WebSocketRoute("/chat/ws", talk)]
