"""What a client gets for what was not recorded: a plain 404 of the type that it expects (D6).

Every miss of one type is the same, shows nothing recorded, says nothing of a cassette, and is
never empty: a browser turns an empty 404 of a page into an error of its own.
"""

import msgspec

from envsvc.exchange.message import Request, header


class NeutralBody(msgspec.Struct, frozen=True):
    """A media type and the bytes for it."""

    content_type: str
    content: bytes


_PAGE = NeutralBody(
    "text/html; charset=utf-8",
    b"<!doctype html><html><head><title>404 Not Found</title></head>"
    b"<body><h1>Not Found</h1><p>The requested URL was not found on this server.</p></body>"
    b"</html>\n",
)
_JSON = NeutralBody("application/json", b'{"error":"not found"}\n')
_SCRIPT = NeutralBody("text/javascript; charset=utf-8", b"/* not found */\n")
_STYLE = NeutralBody("text/css; charset=utf-8", b"/* not found */\n")
_IMAGE = NeutralBody(
    "image/svg+xml",
    b'<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"></svg>\n',
)
_TEXT = NeutralBody("text/plain; charset=utf-8", b"Not Found\n")

_BY_DESTINATION = {
    "document": _PAGE,
    "iframe": _PAGE,
    "frame": _PAGE,
    "script": _SCRIPT,
    "worker": _SCRIPT,
    "sharedworker": _SCRIPT,
    "serviceworker": _SCRIPT,
    "style": _STYLE,
    "image": _IMAGE,
}
_BY_ACCEPT = (
    ("text/html", _PAGE),
    ("json", _JSON),
    ("text/css", _STYLE),
    ("javascript", _SCRIPT),
    ("image/", _IMAGE),
)


def miss_body(request: Request) -> NeutralBody:
    """Return the neutral body for *request*, by Sec-Fetch-Dest (Fetch Metadata), then Accept."""
    by_destination = _BY_DESTINATION.get(header(request.headers, "sec-fetch-dest").lower())
    if by_destination is not None:
        return by_destination
    accept = header(request.headers, "accept").lower()
    return next((body for token, body in _BY_ACCEPT if token in accept), _TEXT)
