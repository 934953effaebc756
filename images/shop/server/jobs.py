"""An export that takes a while: start it, then ask until it is done."""

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from server.site import render, site_of

ASKS_UNTIL_DONE = 3  # running, running, done


async def page(request: Request) -> Response:
    """Show the page whose script starts an export and waits for it."""
    return render(request, "export.html")


async def start(request: Request) -> Response:
    """Accept a job and name it."""
    return JSONResponse({"id": str(site_of(request).store.start_job())}, 202)


async def status(request: Request) -> Response:
    """Tell how far a job is; it advances with each ask."""
    site, job = site_of(request), request.path_params["job"]
    asks = site.store.ask_job(job)
    if asks is None:
        raise HTTPException(404, "There is no such job.")
    if asks < ASKS_UNTIL_DONE:
        return JSONResponse({"id": str(job), "state": "running"})
    return JSONResponse({"id": str(job), "state": "done", "rows": len(site.products)})


routes = [
    Route("/export", page),
    Route("/jobs", start, methods=["POST"]),
    Route("/jobs/{job:int}", status),
]
