"""Answer a CORS preflight that was not recorded, because its request was (WHATWG Fetch 4.8)."""

from envsvc.exchange.message import Headers, Request, header

_ANY = "*"


def is_preflight(request: Request) -> bool:
    """Say whether *request* asks for leave to send another; a plain OPTIONS does not."""
    return (
        request.method == "OPTIONS"
        and bool(header(request.headers, "origin"))
        and bool(header(request.headers, "access-control-request-method"))
    )


def asked_method(request: Request) -> str:
    """Return the method of the request that a preflight announces."""
    return header(request.headers, "access-control-request-method")


def preflight_headers(request: Request, answered: Headers) -> Headers | None:
    """Return the headers of a preflight's answer; None if the recorded one allows no such origin.

    *answered* are those of the recorded answer to the request that *request* announces.
    """
    origin = header(request.headers, "origin")
    allowed = header(answered, "access-control-allow-origin")
    if allowed not in {_ANY, origin}:
        return None
    named: list[tuple[str, str]] = [
        ("Access-Control-Allow-Origin", allowed),
        ("Access-Control-Allow-Methods", asked_method(request)),
    ]
    headers = header(request.headers, "access-control-request-headers")
    if headers:
        named.append(("Access-Control-Allow-Headers", headers))
    if header(answered, "access-control-allow-credentials").strip().lower() == "true":
        named.append(("Access-Control-Allow-Credentials", "true"))
    named.append(("Vary", "Origin, Access-Control-Request-Method, Access-Control-Request-Headers"))
    return tuple(named)
