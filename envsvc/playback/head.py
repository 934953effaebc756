"""Render the head of an answer: recorded headers, minus what belonged to one connection."""

from envsvc.exchange.message import Headers, header, header_values, without_headers

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
_MAX_DIGITS = 18  # no body is longer
_NO_BODY = frozenset({204, 205, 304})


def may_have_body(status: int, method: str) -> bool:
    """Say whether an answer may carry a body (RFC 9110 6.4.1)."""
    return method != "HEAD" and status >= 200 and status not in _NO_BODY  # noqa: PLR2004


def served_headers(headers: Headers, *, is_encoded: bool) -> Headers:
    """Return the recorded headers that still hold for the bytes served.

    Those that the Connection header names were of the recorded connection too (RFC 9110 7.6.1),
    and names with a colon are HTTP/2's own (RFC 9113 8.3).
    """
    named = ",".join(header_values(headers, "connection")).lower().split(",")
    dropped = _NOT_SERVED | {name.strip() for name in named}
    kept = without_headers(headers, dropped if is_encoded else dropped | {"content-encoding"})
    return tuple(pair for pair in kept if not pair[0].startswith(":"))


def recorded_length(headers: Headers) -> int:
    """Return the length that a recorded answer to HEAD named, 0 if it named none."""
    value = header(headers, "content-length").strip()
    return int(value) if value.isdigit() and len(value) <= _MAX_DIGITS else 0


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
