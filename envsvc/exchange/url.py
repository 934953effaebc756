"""The canonical form of a URL: what provably asks for the same resource (RFC 3986 6.2.2)."""

import re
import unicodedata
from ipaddress import IPv6Address
from urllib.parse import unquote_to_bytes

import msgspec

_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
# Characters that a URL may hold as they are (RFC 3986 2.2 and 2.3); all others are escaped.
_LITERAL = _UNRESERVED | frozenset(":/?#[]@!$&'()*+,;=")
_DEFAULT_PORTS = {"http": "80", "https": "443", "ws": "80", "wss": "443"}
_URL = re.compile(
    r"(?P<scheme>[A-Za-z][A-Za-z0-9+.\-]*)://(?P<authority>[^/?#]*)(?P<path>[^?#]*)"
    r"(?:\?(?P<query>[^#]*))?(?:#.*)?",
    re.DOTALL,
)
_BYTES_MARK = "\x00"
_NOT_LITERAL = re.compile(f"%[0-9A-Fa-f]{{2}}|[^{re.escape(''.join(sorted(_LITERAL)))}]")


class CanonicalUrl(msgspec.Struct, frozen=True, order=True):
    """A URL in parts that compare by meaning; ``query`` is sorted by name, stable within one."""

    scheme: str
    host: str
    port: str
    path: str
    query: tuple[tuple[str, str], ...]

    @property
    def origin(self) -> str:
        """Return scheme, host and port as in RFC 6454, without a default port."""
        port = f":{self.port}" if self.port != _DEFAULT_PORTS.get(self.scheme) else ""
        return f"{self.scheme}://{self.host}{port}"


def canonical_url(url: str) -> CanonicalUrl | None:
    """Return the canonical parts of absolute *url*, or None if it is not one.

    Fragment and userinfo never cross the wire in a request target and are dropped.
    """
    match = _URL.fullmatch(url)
    if match is None:
        return None
    scheme = match["scheme"].lower()
    host, port = split_authority(match["authority"])
    return CanonicalUrl(
        scheme,
        canonical_host(host),
        (port.lstrip("0") or "0") if port else _DEFAULT_PORTS.get(scheme, ""),
        normalised_escapes(match["path"]) or "/",
        canonical_pairs(match["query"] or ""),
    )


def canonical_host(host: str) -> str:
    """Return *host* in lower case, an international name as it is resolved (RFC 5891).

    An IPv6 address is written as RFC 5952 says. A dot at the end stays: servers read it.
    """
    if host.startswith("["):
        return _canonical_address(host.lower())
    if host.isascii():
        return host.lower()
    labels = unicodedata.normalize("NFC", host.lower()).split(".")
    return ".".join(label if label.isascii() else _resolved(label) for label in labels)


def _canonical_address(host: str) -> str:
    try:
        return f"[{IPv6Address(host[1:-1]).compressed}]"
    except ValueError:
        return host


def _resolved(label: str) -> str:
    return f"xn--{label.encode('punycode').decode()}"


def host_of(url: str) -> str:
    """Return the host of absolute *url* in lower case, or "" if it is not one."""
    parts = canonical_url(url)
    return parts.host if parts else ""


def split_authority(authority: str) -> tuple[str, str]:
    """Return host and port ("" if none) of an authority; userinfo is dropped, IPv6 kept whole."""
    host_port = authority.rpartition("@")[2]
    host, colon, port = host_port.rpartition(":")
    is_whole_host = ":" not in host or host.endswith("]")
    if colon and (port.isdecimal() or not port) and is_whole_host:
        return host, port
    return host_port, ""


def canonical_pairs(text: str) -> tuple[tuple[str, str], ...]:
    """Return the decoded pairs of a query or form, sorted by name and stable within a name.

    "" gives (), and so does nothing between two "&"; a name without "=" equals the name with an
    empty value; "+" is a space, as forms send it, and "%2B" is a plus sign (WHATWG URL 5.1).
    Splitting comes first, so an escaped "&" or "=" never changes the pairs.
    """
    pairs = [piece.partition("=") for piece in text.split("&") if piece]
    decoded = [(_pair_text(name), _pair_text(value)) for name, _, value in pairs]
    return tuple(sorted(decoded, key=lambda pair: pair[0]))


def _pair_text(text: str) -> str:
    raw = unquote_to_bytes(text.replace("+", " "))
    try:
        decoded = raw.decode()
    except UnicodeDecodeError:
        decoded = _BYTES_MARK
    # The mark keeps bytes that are no text apart from every text, so no two pairs merge.
    return _BYTES_MARK + raw.decode("latin-1") if decoded.startswith(_BYTES_MARK) else decoded


def normalised_escapes(text: str) -> str:
    """Decode escapes of unreserved characters once, escape what may not stand bare (UTF-8).

    Escapes of reserved characters stay escapes: "%2F" is never "/".
    """
    return _NOT_LITERAL.sub(lambda match: _normal_piece(match[0]), text)


def _normal_piece(piece: str) -> str:
    if len(piece) > 1:
        character = chr(int(piece[1:], 16))
        return character if character in _UNRESERVED else piece.upper()
    return "".join(f"%{byte:02X}" for byte in piece.encode())
