"""Replace credentials by stable placeholders, the same way at recording and at replay (D9).

A credential is: an Authorization or cookie value, by header name; a password or token, by field
name; a value named in app.yaml. A value once known is replaced wherever it occurs. Placeholders
are letters, digits and hyphens only, so they are safe in URLs, headers, HTML and JSON.
"""

import html
import json
import re
from collections import Counter
from collections.abc import Callable, Mapping
from urllib.parse import quote, quote_plus, unquote_plus

import msgspec

from envsvc.exchange.message import (
    Chunk,
    Exchange,
    Headers,
    Request,
    Response,
    WebSocketMessage,
    media_type,
)

PLACEHOLDER_PREFIX = "redacted-"
PASSWORD_PLACEHOLDER = "redacted-password"  # noqa: S105  (stands for every unnamed password)
# A shorter or plain-word value ("en", "password") occurs everywhere by chance: such a value is
# replaced in its own place only.
_PROPAGATED = re.compile(r"(?=.*[^A-Za-z]).{8,}|.{16,}", re.DOTALL)

_AUTH_HEADERS = frozenset({"authorization", "proxy-authorization"})
_PASSWORD = r"[\w.\-]*(?:password|passwd|passphrase|pwd)\d?"  # noqa: S105
_TOKEN = r"(?:access_|refresh_|id_)?token|api_?key|client_secret"  # noqa: S105
_PAIR = re.compile(rf"(?i)(?P<head>(?:^|[?&])(?:{_PASSWORD})=)(?P<value>[^&#]+)")
_JSON_PAIR = re.compile(rf'(?i)(?P<head>"(?:{_PASSWORD})"\s*:\s*")(?P<value>(?:[^"\\]|\\.)+)')
_PART = re.compile(
    rf'(?is)(?P<head>content-disposition:[^\r\n]*[;\s]name="(?:{_PASSWORD})"[^\r\n]*'
    r"(?:\r\n[^\r\n]+)*\r\n\r\n)(?P<value>.+?)(?=\r\n--)"
)
_JSON_TOKEN = re.compile(rf'(?i)"(?:{_TOKEN})"\s*:\s*"(?P<value>[\w.~+/=\-]{{16,}})"')
_NOT_SLUG = re.compile(r"[^A-Za-z0-9]+")


class Redactor:
    """Knows the credentials of one recording or one replay and takes them out of messages.

    ``counts`` holds how often each rule replaced something, by rule id.
    """

    def __init__(self, named: Mapping[str, str], first_number: int = 1) -> None:
        """Start with the secrets *named* in app.yaml; numbering starts at *first_number*.

        A name whose value is "" is not known here: its recorded password fields then count
        as any password.
        """
        self.counts: Counter[str] = Counter()
        self._known: dict[str, str] = {}
        self._spellings: dict[bytes, bytes] = {}
        self._next = first_number
        for name, value in named.items():
            if value:
                self._know(value, f"{PLACEHOLDER_PREFIX}secret-{_slug(name)}", everywhere=True)

    def exchange(self, exchange: Exchange) -> Exchange:
        """Return *exchange* without credentials; those it shows are learnt first."""
        answer = exchange.answer
        headers = self._learnt_headers(exchange.request.headers)
        if isinstance(answer, Response):
            answer = self._learnt_answer(answer)
        request = self.request(msgspec.structs.replace(exchange.request, headers=headers))
        request = msgspec.structs.replace(request, headers=self._spelt_headers(headers))
        chunks = exchange.chunks
        if isinstance(answer, Response):
            chunks = self._chunks(answer.body, chunks)
            answer = self._spelt_answer(answer)
        messages = tuple(self._message(message) for message in exchange.messages)
        return msgspec.structs.replace(
            exchange, request=request, answer=answer, chunks=chunks, messages=messages
        )

    def request(self, request: Request) -> Request:
        """Return *request* as a recording keeps its URL and body; headers are not touched."""
        url = self._spelt(self._fields(_PAIR, request.url).encode()).decode()
        body = self._request_body(request)
        if url == request.url and body == request.body:
            return request
        return msgspec.structs.replace(request, url=url, body=body)

    def _request_body(self, request: Request) -> bytes:
        pattern = _field_pattern(media_type(request.headers))
        if not request.body or pattern is None:
            return self._spelt(request.body)
        text = self._fields(pattern, request.body.decode("latin-1"))
        return self._spelt(text.encode("latin-1"))

    def _fields(self, pattern: re.Pattern[str], text: str) -> str:
        return pattern.sub(lambda m: m["head"] + self._password(m["value"], pattern), text)

    def _password(self, spelling: str, pattern: re.Pattern[str]) -> str:
        value = _UNSPELL[pattern](spelling)
        self.counts["secret.field.password"] += 1
        if value in self._known:
            return self._known[value]
        if value in self._known.values():
            return value
        if not value.startswith(PLACEHOLDER_PREFIX):
            self._know(value, PASSWORD_PLACEHOLDER)
        return PASSWORD_PLACEHOLDER

    def _learnt_answer(self, response: Response) -> Response:
        if media_type(response.headers).endswith("json"):
            for match in _JSON_TOKEN.finditer(response.body.decode("latin-1")):
                self._numbered(match["value"], "token", "secret.field.token")
        return msgspec.structs.replace(response, headers=self._learnt_headers(response.headers))

    def _spelt_answer(self, response: Response) -> Response:
        return msgspec.structs.replace(
            response,
            headers=self._spelt_headers(response.headers),
            body=self._spelt(response.body),
        )

    def _chunks(self, body: bytes, chunks: tuple[Chunk, ...]) -> tuple[Chunk, ...]:
        """Return the chunks of the redacted body: the cuts stay at the same places of the text."""
        moved, end, new_end = [], 0, 0
        for chunk in chunks:
            end += chunk.length
            start, new_end = new_end, len(self._replaced(body[:end]))
            moved.append(Chunk(t_ms=chunk.t_ms, length=max(0, new_end - start)))
        return tuple(moved)

    def _message(self, message: WebSocketMessage) -> WebSocketMessage:
        return msgspec.structs.replace(message, content=self._spelt(message.content))

    def _learnt_headers(self, headers: Headers) -> Headers:
        return tuple((name, self._header_value(name.lower(), value)) for name, value in headers)

    def _header_value(self, name: str, value: str) -> str:
        if name in _AUTH_HEADERS:
            scheme, space, credentials = value.partition(" ")
            hidden = self._numbered(credentials or scheme, name, "secret.header.authorization")
            return f"{scheme} {hidden}" if space else hidden
        if name == "cookie":
            return "; ".join(self._cookie(pair.strip()) for pair in value.split(";"))
        if name == "set-cookie":
            pair, semicolon, attributes = value.partition(";")
            return self._cookie(pair) + semicolon + attributes
        return value

    def _cookie(self, pair: str) -> str:
        name, equals, value = pair.partition("=")
        if not value.strip('" '):
            return pair
        return name + equals + self._numbered(value, f"cookie-{name}", "secret.cookie")

    def _numbered(self, value: str, label: str, rule: str) -> str:
        """Return the placeholder of *value*, a new one if it was not seen before."""
        self.counts[rule] += 1
        if value.startswith(PLACEHOLDER_PREFIX):
            return value
        if value not in self._known:
            self._know(value, f"{PLACEHOLDER_PREFIX}{_slug(label)}-{self._next}")
            self._next += 1
        return self._known[value]

    def _know(self, value: str, placeholder: str, *, everywhere: bool = False) -> None:
        self._known[value] = placeholder
        if everywhere or _PROPAGATED.fullmatch(value):
            new = dict.fromkeys(_spellings(value), placeholder.encode())
            # Longest first: a value that holds another one must be replaced whole.
            merged = {**self._spellings, **new}
            self._spellings = dict(sorted(merged.items(), key=lambda item: -len(item[0])))

    def _spelt_headers(self, headers: Headers) -> Headers:
        return tuple(
            (name, self._spelt(value.encode("latin-1", "replace")).decode("latin-1"))
            for name, value in headers
        )

    def _spelt(self, content: bytes) -> bytes:
        self.counts["secret.propagated"] += sum(map(content.count, self._spellings))
        return self._replaced(content)

    def _replaced(self, content: bytes) -> bytes:
        for spelling, placeholder in self._spellings.items():
            content = content.replace(spelling, placeholder)
        return content


def _field_pattern(kind: str) -> re.Pattern[str] | None:
    if kind == "application/x-www-form-urlencoded":
        return _PAIR
    if kind.startswith("multipart/"):
        return _PART
    return _JSON_PAIR if kind.endswith("json") else None


def _json_unescaped(spelling: str) -> str:
    try:
        return str(json.loads(f'"{spelling}"'))
    except ValueError:
        return spelling


_UNSPELL: dict[re.Pattern[str], Callable[[str], str]] = {
    _PAIR: unquote_plus,
    _JSON_PAIR: lambda spelling: _json_unescaped(spelling.encode("latin-1").decode(errors="replace")),
    _PART: lambda spelling: spelling.encode("latin-1").decode(errors="replace"),
}


def _slug(text: str) -> str:
    return _NOT_SLUG.sub("-", text).strip("-").lower() or "value"


def _spellings(value: str) -> set[bytes]:
    """Return how *value* looks raw and escaped for URLs, forms, HTML and JSON."""
    texts = {
        value,
        quote(value, safe=""),
        quote_plus(value),
        html.escape(value),
        json.dumps(value)[1:-1],
        json.dumps(value, ensure_ascii=False)[1:-1],
    }
    return {text.encode("utf-8", "surrogatepass") for text in texts}
