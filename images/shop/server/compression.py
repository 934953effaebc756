"""Compress a page the way its reader accepts."""

import gzip
from collections.abc import Callable

import brotli
from starlette.responses import Response

# Best first. mtime=0 leaves the time of day out, so that equal pages have equal bytes.
ENCODERS: dict[str, Callable[[bytes], bytes]] = {
    "br": lambda body: bytes(brotli.compress(body, quality=4)),
    "gzip": lambda body: gzip.compress(body, mtime=0),
}


def accepted(accept_encoding: str) -> set[str]:
    """Return the codings that an Accept-Encoding header allows (RFC 9110 12.5.3)."""
    codings = set()
    for item in accept_encoding.lower().split(","):
        name, _, weight = item.partition(";")
        if weight.replace(" ", "") not in {"q=0", "q=0.0", "q=0.00", "q=0.000"}:
            codings.add(name.strip())
    return codings


def compressed(response: Response, accept_encoding: str) -> Response:
    """Compress *response* in place with the best accepted coding, if any, and return it."""
    response.headers["Vary"] = "Accept-Encoding"
    allowed = accepted(accept_encoding)
    for coding, encode in ENCODERS.items():
        if coding in allowed:
            response.body = encode(bytes(response.body))
            response.headers["Content-Encoding"] = coding
            response.headers["Content-Length"] = str(len(response.body))
            break
    return response
