"""Replace credentials by stable placeholders, the same way at recording and at replay (D9).

A credential is: an Authorization or cookie value, by header name; a password or token, by field
name; a value named in app.yaml. A value once known is replaced wherever it occurs. Placeholders
are letters, digits and hyphens only, so they are safe in URLs, headers, HTML and JSON.
"""

import html
import json
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Mapping
from itertools import accumulate, pairwise
from urllib.parse import quote, quote_plus, unquote_plus

import msgspec

from envsvc.exchange.message import (
    Chunk,
    Exchange,
    Failure,
    Headers,
    Request,
    Response,
    WebSocketMessage,
    media_type,
)

PLACEHOLDER_PREFIX = "redacted-"
PASSWORD_PLACEHOLDER = "redacted-password"  # noqa: S105  (stands for every unnamed password)
# What placeholders are made of, beside the names of secrets and cookies.
_VOCABULARY = (
    PASSWORD_PLACEHOLDER,
    *(f"{PLACEHOLDER_PREFIX}{word}-" for word in ("cookie", "token", "proxy-authorization")),
    f"{PLACEHOLDER_PREFIX}authorization-",
)
# A shorter or plain-word value ("en", "password") occurs everywhere by chance: such a value is
# replaced in its own place only.
_PROPAGATED = re.compile(r"(?=.*[^A-Za-z]).{8,}|.{16,}", re.DOTALL)

_AUTH_HEADERS = frozenset({"authorization", "proxy-authorization"})
_URL_HEADERS = frozenset({"referer", "location", "content-location"})
_PASSWORD = r"[\w.\-]*(?:password|passwd|passphrase|pwd)\d?"  # noqa: S105
_TOKEN = r"(?:access_|refresh_|id_)?token|api_?key|client_secret"  # noqa: S105
_PAIR = re.compile(rf"(?i)(?P<head>(?:^|[?&])(?:{_PASSWORD})=)(?P<value>[^&#]+)")
_JSON_PAIR = re.compile(rf'(?i)(?P<head>"(?:{_PASSWORD})"\s*:\s*")(?P<value>(?:[^"\\]|\\.)+)')
_PART_HEAD = re.compile(rf'(?i)\r\ncontent-disposition:[^\r\n]*[;\s]name="(?:{_PASSWORD})"')
_PART_END = "\r\n--"
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
        placeholders = {name: f"{PLACEHOLDER_PREFIX}secret-{_slug(name)}" for name in named}
        self._vocabulary = " ".join([*_VOCABULARY, *placeholders.values()])
        for name, value in named.items():
            if value:
                self._know(value, placeholders[name], everywhere=True)

    def exchange(self, exchange: Exchange) -> Exchange:
        """Return *exchange* without credentials; those it shows are learnt first."""
        answer = exchange.answer
        headers = self._learnt_headers(exchange.request.headers)
        if isinstance(answer, Response):
            answer = self._learnt_answer(answer)  # before the request, which may repeat it
        request = self.request(msgspec.structs.replace(exchange.request, headers=headers))
        request = msgspec.structs.replace(request, headers=self._spelt_headers(headers))
        body = answer.body if isinstance(answer, Response) else b""
        return msgspec.structs.replace(
            exchange,
            request=request,
            answer=self._spelt_answer(answer),
            chunks=self._chunks(body, exchange.chunks),
            messages=tuple(self._message(message) for message in exchange.messages),
            step=self._spelt_text(exchange.step),
        )

    def request(self, request: Request) -> Request:
        """Return *request* as a recording keeps its URL and body; headers are not touched."""
        url, body = self._fields(_PAIR, request.url), self._body_fields(request)
        url, body = self._spelt_text(url), self._spelt(body)
        if url == request.url and body == request.body:
            return request
        return msgspec.structs.replace(request, url=url, body=body)

    def _body_fields(self, request: Request) -> bytes:
        text, kind = request.body.decode("latin-1"), media_type(request.headers)
        if kind == "application/x-www-form-urlencoded":
            text = self._fields(_PAIR, text)
        elif kind.startswith("multipart/"):
            text = _PART_END.join(map(self._part, text.split(_PART_END)))
        elif kind.endswith("json"):
            text = self._fields(_JSON_PAIR, text)
        return text.encode("latin-1")

    def _fields(self, pattern: re.Pattern[str], text: str) -> str:
        unspell = _UNSPELL[pattern]
        return pattern.sub(lambda m: m["head"] + self._password(unspell(m["value"])), text)

    def _part(self, part: str) -> str:
        head, blank_line, value = part.partition("\r\n\r\n")
        if not value or not _PART_HEAD.search(head):
            return part
        return head + blank_line + self._password(_as_utf8(value))

    def _password(self, value: str) -> str:
        self.counts["secret.field.password"] += 1
        if value in self._known:
            return self._known[value]
        if value in self._known.values():
            return value
        if PLACEHOLDER_PREFIX not in value:
            self._know(value, PASSWORD_PLACEHOLDER)
        return PASSWORD_PLACEHOLDER

    def _learnt_answer(self, response: Response) -> Response:
        if media_type(response.headers).endswith("json"):
            for match in _JSON_TOKEN.finditer(response.body.decode("latin-1")):
                self._numbered(match["value"], "token", "secret.field.token")
        return msgspec.structs.replace(response, headers=self._learnt_headers(response.headers))

    def _spelt_answer(self, answer: Response | Failure) -> Response | Failure:
        if isinstance(answer, Failure):
            return msgspec.structs.replace(answer, message=self._spelt_text(answer.message))
        return msgspec.structs.replace(
            answer,
            reason=self._spelt_text(answer.reason),
            headers=self._spelt_headers(answer.headers),
            body=self._spelt(answer.body),
        )

    def _chunks(self, body: bytes, chunks: tuple[Chunk, ...]) -> tuple[Chunk, ...]:
        """Return the chunks of the redacted body: the cuts stay at the same places of the text."""
        if not chunks:
            return ()
        cuts = list(accumulate((chunk.length for chunk in chunks), initial=0))
        for spelling, placeholder in self._spellings.items():
            cuts = _moved(cuts, body, spelling, len(placeholder))
            body = body.replace(spelling, placeholder)
        return tuple(
            Chunk(t_ms=chunk.t_ms, length=end - start)
            for chunk, (start, end) in zip(chunks, pairwise(cuts), strict=True)
        )

    def _message(self, message: WebSocketMessage) -> WebSocketMessage:
        return msgspec.structs.replace(message, content=self._spelt(message.content))

    def _learnt_headers(self, headers: Headers) -> Headers:
        return tuple((name, self._header_value(name.lower(), value)) for name, value in headers)

    def _header_value(self, name: str, value: str) -> str:
        if name in _AUTH_HEADERS:
            scheme, space, credentials = value.partition(" ")
            hidden = self._numbered(credentials or scheme, name, "secret.header.authorization")
            return f"{scheme} {hidden}" if space else hidden
        if name in _URL_HEADERS:
            return self._fields(_PAIR, value)
        if name == "cookie":
            return "; ".join(self._cookie(pair.strip()) for pair in value.split(";"))
        if name == "set-cookie":
            pair, semicolon, attributes = value.partition(";")
            return self._cookie(pair) + semicolon + attributes
        return value

    def _cookie(self, pair: str) -> str:
        name, equals, value = pair.partition("=")
        bare = value.strip('" ')  # A page may show it without the quotes that cookies allow.
        if not bare:
            return pair
        hidden = self._numbered(bare, f"cookie-{name}", "secret.cookie")
        return name + equals + value.replace(bare, hidden)

    def _numbered(self, value: str, label: str, rule: str) -> str:
        """Return the placeholder of *value*, a new one if it was not seen before."""
        self.counts[rule] += 1
        if PLACEHOLDER_PREFIX in value:
            return value
        if value not in self._known:
            self._know(value, f"{PLACEHOLDER_PREFIX}{_slug(label)}-{self._next}")
            self._next += 1
        return self._known[value]

    def _know(self, value: str, placeholder: str, *, everywhere: bool = False) -> None:
        self._known[value] = placeholder
        if value in self._vocabulary:
            return  # Replacing it everywhere would destroy the placeholders themselves.
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

    def _spelt_text(self, text: str) -> str:
        return self._spelt(text.encode()).decode()

    def _spelt(self, content: bytes) -> bytes:
        for spelling, placeholder in self._spellings.items():
            # One pass over the content, where counting and replacing take two.
            pieces = content.split(spelling)
            if len(pieces) > 1:
                self.counts["secret.propagated"] += len(pieces) - 1
                content = placeholder.join(pieces)
        return content


def _moved(cuts: list[int], content: bytes, old: bytes, new_length: int) -> list[int]:
    """Return where *cuts* lie once *old* is replaced; one inside of it moves to its end."""
    starts = [match.start() for match in re.finditer(re.escape(old), content)]
    moved = []
    for cut in cuts:
        before = bisect_left(starts, cut)
        end = max(cut, starts[before - 1] + len(old)) if before else cut
        moved.append(end + before * (new_length - len(old)))
    return moved


def _as_utf8(latin_1: str) -> str:
    return latin_1.encode("latin-1").decode(errors="replace")


def _json_unescaped(spelling: str) -> str:
    text = _as_utf8(spelling)
    try:
        # A lone surrogate escape is no text that could occur elsewhere, nor be encoded.
        return str(json.loads(f'"{text}"')).encode(errors="replace").decode()
    except ValueError:
        return text


_UNSPELL: dict[re.Pattern[str], Callable[[str], str]] = {
    _PAIR: unquote_plus,
    _JSON_PAIR: _json_unescaped,
}


def _slug(text: str) -> str:
    return _NOT_SLUG.sub("-", text).strip("-").lower() or "value"


def _spellings(value: str) -> set[bytes]:
    """Return how *value* looks raw and escaped for URLs, forms, HTML and JSON.

    URLs and forms: as Python writes them, then as browsers do (encodeURIComponent; WHATWG URL 5.2).
    HTML: as Python and Django write it, then as Jinja does.
    """
    texts = {
        value,
        quote(value, safe=""),
        quote(value, safe="!'()*"),
        quote_plus(value),
        quote_plus(value, safe="*").replace("~", "%7E"),
        html.escape(value),
        html.escape(value).replace("&quot;", "&#34;").replace("&#x27;", "&#39;"),
        json.dumps(value)[1:-1],
        json.dumps(value, ensure_ascii=False)[1:-1],
    }
    return {text.encode() for text in texts}
