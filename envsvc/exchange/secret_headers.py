"""Find the credentials in header lines: cookies, Authorization, and names that say so (D9)."""

from collections.abc import Iterator

import msgspec

from envsvc.exchange.message import Headers
from envsvc.exchange.placeholder import is_placeholder
from envsvc.exchange.secret_names import (
    SHORT,
    Kind,
    is_once_value,
    is_plain_value,
    is_token_value,
)
from envsvc.exchange.secret_places import Finder, Found, Medium, Treat
from envsvc.exchange.secret_shapes import basic_pair

_AUTHORIZATION = frozenset({"authorization", "proxy-authorization"})
_CREDENTIALS = _AUTHORIZATION | {"cookie", "set-cookie"}
# What they send is made for one request or connection (RFC 7616, RFC 4559, MS-NTHT, AWS, Hawk,
# OAuth 1.0): it says that somebody asks, and is never the same twice.
_MADE_ONCE = frozenset({"digest", "ntlm", "negotiate", "aws4-hmac-sha256", "hawk", "oauth", "hmac"})
_QUOTES = '" '  # A page may show a cookie without the quotes that it may have.


class Line(msgspec.Struct, frozen=True):
    """The header line at ``index`` as bytes (latin-1), and the credentials in it."""

    index: int
    content: bytes
    found: list[Found]


class HeaderFinder:
    """Finds credentials in header lines; lines without any are left out."""

    def __init__(self, finder: Finder) -> None:
        """Go by the names and rules of *finder*."""
        self._finder = finder
        self._names: dict[str, Kind | None] = {}

    def sent(self, headers: Headers) -> Iterator[Line]:
        """Yield what a client sends."""
        return self._lines(headers, Medium.SENT)

    def shown(self, headers: Headers) -> Iterator[Line]:
        """Yield what an answer shows."""
        return self._lines(headers, Medium.PAGE)

    def credentials(self, headers: Headers) -> Iterator[Line]:
        """Yield cookies and credentials that a client sends, and no other line."""
        for index, (name, value) in enumerate(headers):
            found = list(self._own(name.lower(), value))
            if found:
                yield Line(index, value.encode("latin-1", "replace"), found)

    def _lines(self, headers: Headers, medium: Medium) -> Iterator[Line]:
        for index, (name, value) in enumerate(headers):
            content = value.encode("latin-1", "replace")
            found = list(self._own(name.lower(), value))
            if not found and name.lower() not in _CREDENTIALS:
                found = self._finder.in_url(content, medium)
            yield Line(index, content, found)

    def _own(self, name: str, value: str) -> Iterator[Found]:
        """Yield what *value* is by the name of its header alone."""
        if name in _AUTHORIZATION:
            yield from self._authorization(name, value)
        elif name == "cookie":
            start = 0
            for pair in value.split(";"):
                yield from self._cookie(pair, start)
                start += len(pair) + 1
        elif name == "set-cookie":
            yield from self._cookie(value.partition(";")[0], 0)
        else:
            yield from self._named(name, value)

    def _authorization(self, name: str, value: str) -> Iterator[Found]:
        scheme, space, credentials = value.partition(" ")
        if not space:
            scheme, credentials = "", value
        kind = scheme.lower()
        if kind in _MADE_ONCE:
            treat, label = Treat.ONCE, f"{name}-{kind}"
        else:
            is_basic = kind == "basic" and basic_pair(credentials) is not None
            treat, label = Treat.BASIC if is_basic else Treat.TOKEN, name
        rule = "secret.header.authorization"
        if credentials and self._finder.is_on(rule):
            start = len(value) - len(credentials)
            yield Found(start, len(value), treat, rule, label, credentials)

    def _cookie(self, pair: str, start: int) -> Iterator[Found]:
        """Yield the value of a cookie *pair* that begins at *start* of its line."""
        name, _, value = pair.partition("=")
        bare = value.strip(_QUOTES)
        begin = start + len(name) + 1 + value.find(bare)
        kind = self._finder.names.cookie(name)
        rule = "secret.cookie.once" if kind is Kind.ONCE else "secret.cookie"
        if bare and self._finder.is_on(rule) and self._is_credential(name, bare, kind):
            label = f"cookie-{name.strip()}"
            yield Found(begin, begin + len(bare), Treat(kind), rule, label, bare)

    def _is_credential(self, name: str, value: str, kind: Kind) -> bool:
        if kind is Kind.ONCE:
            return is_once_value(value) or is_placeholder(value)
        names = self._finder.names
        if names.is_own(name):
            return True
        is_session = names.is_session(name) and len(value) > SHORT
        return is_session or not is_plain_value(value)

    def _named(self, name: str, value: str) -> Iterator[Found]:
        if name not in self._names:
            self._names[name] = self._finder.names.header(name)
        kind = self._names[name]
        if kind is None or not value:
            return
        fits = is_once_value if kind is Kind.ONCE else is_token_value
        rule = f"secret.header.{kind}"
        is_one = self._finder.names.is_own(name) or is_placeholder(value) or fits(value)
        if is_one and self._finder.is_on(rule):
            yield Found(0, len(value), Treat(kind), rule, name, value)
