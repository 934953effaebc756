"""Returning goods: a form with a file."""

from hashlib import sha256

from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from server.site import checked_form, render, text_field


async def form(request: Request) -> Response:
    """Show the form."""
    return render(request, "returns.html")


async def receive(request: Request) -> Response:
    """Confirm what came in: the words, and the file's size and hash."""
    posted = await checked_form(request)
    receipt = posted.get("receipt")
    if not isinstance(receipt, UploadFile):
        raise HTTPException(422, "Please attach the receipt.")
    content = await receipt.read()
    values = {
        "reason": text_field(posted, "reason"),
        "note": text_field(posted, "note"),
        "name": receipt.filename,
        "size": len(content),
        "digest": sha256(content).hexdigest()[:12],
    }
    return render(request, "received.html", values)


routes = [Route("/returns", form, methods=["GET"]), Route("/returns", receive, methods=["POST"])]
