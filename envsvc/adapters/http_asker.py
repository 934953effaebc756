"""Ask single requests through a recording proxy, with httpx."""

import ssl
from contextlib import suppress

import httpx

from envsvc.adapters.certificates import CertificateAuthority
from envsvc.exchange.message import Request

_TIMEOUT_S = 60.0


class HttpAsker:
    """record_misses.Asker."""

    def __init__(self, authority: CertificateAuthority) -> None:
        """Trust what *authority* signed."""
        self._context = ssl.create_default_context(cafile=str(authority.certificate_path))

    def ask(self, request: Request, proxy_url: str) -> None:
        """Send *request* and read its answer; the proxy keeps it, a failure included."""
        client = httpx.Client(proxy=proxy_url, verify=self._context, trust_env=False)
        with client, suppress(httpx.HTTPError):
            client.request(
                request.method,
                request.url,
                headers=list(request.headers),
                content=request.body,
                timeout=_TIMEOUT_S,
                follow_redirects=False,
            )
