"""What is changed in a request on its way to the server; nothing of it is ever recorded."""

from mitmproxy import http

from envsvc.ports import Address

# An answer to one of these would say only part of what the page is.
_CONDITIONAL = ("If-None-Match", "If-Modified-Since", "If-Range")
_READS = frozenset({"GET", "HEAD"})
_DECODABLE = frozenset({"gzip", "deflate", "br"})  # what envsvc.exchange.content undoes
EVENT_STREAM = "text/event-stream"
_STANDARD_PORTS = frozenset({80, 443})


class Route:
    """Leads the virtual host to where the app really listens.

    An app on this machine still sees the virtual host, so that the URLs it makes hold in a replay.
    """

    def __init__(self, virtual_host: str, address: Address) -> None:
        """Lead *virtual_host* to *address*."""
        self._virtual_host = virtual_host.lower()
        self._address = address
        # A site on the network answers to its own name only.
        self._names_itself = not _is_loopback(address.host)

    def is_for(self, host: str, port: int) -> bool:
        """Say whether *host* and *port* mean the app."""
        return host.lower() == self._virtual_host and port in _STANDARD_PORTS

    def apply(self, request: http.Request) -> None:
        """Send *request* to the app if it is for it."""
        if not self.is_for(request.host, request.port):
            return
        if request.scheme == "https":
            request.headers["X-Forwarded-Proto"] = "https"
        named = request.headers.get("Host", self._virtual_host)
        request.scheme = self._address.scheme
        request.host = self._address.host
        request.port = self._address.port
        if not self._names_itself:
            request.headers["Host"] = named


def ask_for_all_of_it(request: http.Request) -> None:
    """Make *request* ask for the whole answer, in a coding that can be undone.

    Conditions stay on unsafe methods: there they decide what is done (RFC 9110 13.1).
    """
    if request.method in _READS:
        for name in _CONDITIONAL:
            request.headers.pop(name, None)
        request.headers.pop("Range", None)
    offered = request.headers.get("Accept-Encoding")
    if offered is not None:
        # Compression would hide where the events of a stream end.
        is_stream = EVENT_STREAM in request.headers.get("Accept", "")
        kept = "" if is_stream else _decodable(offered)
        request.headers["Accept-Encoding"] = kept or "identity"


def _is_loopback(host: str) -> bool:
    return host in {"localhost", "::1"} or host.startswith("127.")


def _decodable(accept_encoding: str) -> str:
    offers = [offer.strip() for offer in accept_encoding.split(",")]
    return ", ".join(o for o in offers if o.partition(";")[0].strip().lower() in _DECODABLE)
