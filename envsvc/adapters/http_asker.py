"""Ask single requests through a proxy of ours, with httpx."""

import ssl
from contextlib import suppress

import httpx

from envsvc.adapters.certificates import CertificateAuthority
from envsvc.exchange.message import Request, without_headers

_TIMEOUT_S = 60.0
# httpx makes its own of these.
_MADE_ANEW = frozenset({"host", "content-length", "accept-encoding"})


class HttpAsker:
    """record_misses.Asker."""

    def __init__(self, authority: CertificateAuthority) -> None:
        """Trust what *authority* signed."""
        self._context = ssl.create_default_context(cafile=str(authority.certificate_path))

    def ask(self, request: Request, proxy_url: str) -> None:
        """Send *request* and read its answer; what comes back is the proxy's business.

        A host that fails is no error here: the proxy has noted it.
        """
        headers = without_headers(request.headers, _MADE_ANEW)
        client = httpx.Client(proxy=proxy_url, verify=self._context, trust_env=False)
        with client, suppress(httpx.HTTPError):
            client.request(
                request.method,
                request.url,
                headers=list(headers),
                content=request.body,
                timeout=_TIMEOUT_S,
                follow_redirects=False,
            )
