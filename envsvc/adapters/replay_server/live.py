"""Fetch an answer from the live app, for the policy that allows it."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

import httpx
import msgspec

from envsvc.exchange.message import Request, without_headers
from envsvc.exchange.url import canonical_url
from envsvc.playback.head import render_head, served_headers

_TIMEOUT_S = 30.0
_WORKERS = 8
_NOT_FORWARDED = frozenset(
    {
        "connection",
        "host",
        "content-length",
        "transfer-encoding",
        "proxy-connection",
        "proxy-authorization",
        "accept-encoding",
    }
)


class LiveAnswer(msgspec.Struct, frozen=True):
    """An answer as it goes to the client, and its status."""

    content: bytes
    status: int


class LiveApp:
    """The live app behind the virtual host; other hosts are fetched where they are.

    ``origin`` is where the app listens ("http://127.0.0.1:8000"), ``version`` what it runs.
    """

    def __init__(self, virtual_host: str, origin: str, version: str) -> None:
        """Connect to nothing yet."""
        self.version = version
        self._virtual_host = virtual_host
        self._origin = origin.rstrip("/")
        # Threads of their own: the server's thread itself is watched and may not connect.
        self._threads = ThreadPoolExecutor(_WORKERS, thread_name_prefix="envsvc-live")

    async def fetch(self, request: Request) -> LiveAnswer:
        """Return the live answer, or a 502 if the app can not be reached."""
        return await asyncio.wrap_future(self._threads.submit(self._fetch, request))

    def close(self) -> None:
        """End the threads."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _fetch(self, request: Request) -> LiveAnswer:
        url, host = self._target(request.url)
        headers = [*without_headers(request.headers, _NOT_FORWARDED), ("Host", host)]
        try:
            response = httpx.request(
                request.method,
                url,
                headers=headers,
                content=request.body,
                timeout=_TIMEOUT_S,
                trust_env=False,
                follow_redirects=False,
            )
        except httpx.HTTPError:
            text = b"Bad Gateway\n"
            plain = (("Content-Type", "text/plain"),)
            return LiveAnswer(render_head(502, "Bad Gateway", plain, len(text)) + text, 502)
        kept = served_headers(tuple(response.headers.multi_items()), is_encoded=False)
        body = b"" if request.method == "HEAD" else response.content
        head = render_head(response.status_code, response.reason_phrase, kept, len(body))
        return LiveAnswer(head + body, response.status_code)

    def _target(self, url: str) -> tuple[str, str]:
        parts = canonical_url(url)
        host = parts.origin.partition("://")[2] if parts else ""
        if parts is None or parts.host != self._virtual_host:
            return url, host
        rest = url.split("/", 3)[3] if url.count("/") > 2 else ""  # noqa: PLR2004
        return f"{self._origin}/{rest}", host
