"""Render the head of an answer: recorded headers, minus what belonged to one connection."""

from envsvc.exchange.message import Headers, without_headers

# Of one connection only (RFC 9110 7.6.1), or untrue of the decoded bytes that are served, or an
# order to the browser to leave the proxy (RFC 6797, RFC 7838).
_NOT_SERVED = frozenset(
    {
        "connection",
        "proxy-connection",
        "keep-alive",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
        "proxy-authenticate",
        "content-length",
        "strict-transport-security",
        "alt-svc",
        "public-key-pins",
    }
)
# They would end the line, and let a header value add lines of its own (RFC 9110 5.5).
_LINE_BREAKS = str.maketrans("\r\n\0", "   ")
_NO_BODY = frozenset({204, 205, 304})


def may_have_body(status: int, method: str) -> bool:
    """Say whether an answer may carry a body (RFC 9110 6.4.1)."""
    return method != "HEAD" and status >= 200 and status not in _NO_BODY  # noqa: PLR2004


def served_headers(headers: Headers, *, is_encoded: bool) -> Headers:
    """Return the recorded headers that still hold for the bytes served."""
    dropped = _NOT_SERVED if is_encoded else _NOT_SERVED | {"content-encoding"}
    return without_headers(headers, dropped)


def render_head(status: int, reason: str, headers: Headers, body_size: int | None) -> bytes:
    """Return status line and header lines; ``body_size`` None means it ends with the connection.

    Statuses that never carry a body get no Content-Length (RFC 9110 8.6). Line breaks within a
    header or the reason become spaces.
    """
    lines = [f"HTTP/1.1 {status} {reason}", *(f"{name}: {value}" for name, value in headers)]
    if body_size is None:
        lines.append("Connection: close")
    elif status >= 200 and status not in {204, 304}:  # noqa: PLR2004
        lines.append(f"Content-Length: {body_size}")
    safe = [line.translate(_LINE_BREAKS) for line in lines]
    return "\r\n".join([*safe, "", ""]).encode("latin-1", "replace")
