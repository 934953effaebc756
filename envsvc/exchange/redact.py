"""Replace credentials by stable placeholders, the same way at recording and at replay (D9).

A credential is found by the name it stands under, by its shape, or because it is known: named in
app.yaml, or found before. A value once known is replaced wherever it occurs, in every spelling.
Values that are made anew for each page collapse to one placeholder per name, so that a form posted
from any rendering of its page is the same request; values that identify somebody stay apart.

All passwords that app.yaml does not name have one placeholder. To tell a right one from a wrong one
a cassette would have to hold something that a guess can be checked against, and tests' passwords
are soon guessed; naming the right one keeps it apart from all others.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import assert_never
from urllib.parse import unquote

import msgspec

from envsvc.exchange.content import unpacked
from envsvc.exchange.message import (
    Exchange,
    Failure,
    Headers,
    Request,
    Response,
    WebSocketMessage,
    header,
    media_type,
    without_headers,
)
from envsvc.exchange.placeholder import (
    PASSWORD_PLACEHOLDER,
    holds_placeholder,
    is_json_web_token,
    numbered_placeholder,
    once_placeholder,
    scrubbed_token,
    secret_placeholder,
    unknown_placeholder,
)
from envsvc.exchange.secret_headers import HeaderFinder, Line
from envsvc.exchange.secret_names import RedactionRules, is_found_anywhere
from envsvc.exchange.secret_places import (
    Finder,
    Found,
    Medium,
    Treat,
    medium_of,
    without_userinfo,
)
from envsvc.exchange.secret_shapes import basic_credentials, basic_pair
from envsvc.exchange.spelling import (
    Match,
    Spellings,
    merged,
    recut,
    rewritten,
)

_NO_RULES = RedactionRules()
_PROPAGATED, _USERINFO = "secret.propagated", "secret.url.userinfo"
# What these replace is not found again when a recording is read a second time.
_SEEN_ONCE = frozenset({_PROPAGATED, _USERINFO, "secret.shape.key"})
_VOCABULARY = ("redacted-password", "redacted-cookie-", "redacted-token-", "authorization", "once")
_PACKED = frozenset({"content-encoding", "content-length"})
# Names and shapes are not looked for in them; what is known is replaced all the same.
_BINARY = (
    *("image/", "font/", "audio/", "video/", "application/zip", "application/gzip"),
    *("application/octet-stream", "application/wasm", "application/pdf"),
)
_MOST_READINGS = 8


type LinesOf = Callable[[Headers], Iterable[Line]]


class _Text(msgspec.Struct, frozen=True):
    """A piece of a message, and the credentials that were found in it.

    ``keeps_unknown`` if a token that was not recorded stays as it is.
    """

    content: bytes
    found: list[Found] = []
    keeps_unknown: bool = False


class _Asked(msgspec.Struct, frozen=True):
    """A request in pieces; ``is_unpacked`` if its Content-Encoding was undone."""

    url: _Text
    lines: list[Line]
    body: _Text
    is_unpacked: bool
    password: str

    @property
    def texts(self) -> Iterator[_Text]:
        """Yield every piece."""
        yield from _texts(self.lines)
        yield self.url
        yield self.body


class Redactor:
    """Knows the credentials of one recording or one replay and takes them out of messages.

    ``counts`` holds how often each rule replaced something, by rule id. ``spellings`` finds every
    value that is known.
    """

    def __init__(
        self, named: Mapping[str, str], first_number: int = 1, rules: RedactionRules = _NO_RULES
    ) -> None:
        """Start with the secrets *named* in app.yaml; numbering starts at *first_number*.

        A name whose value is "" is not known here: its recorded password fields then count
        as any password.
        """
        self.counts: Counter[str] = Counter()
        self.spellings = Spellings()
        self._finder = Finder(rules)
        self._headers = HeaderFinder(self._finder)
        self._named = {value: secret_placeholder(name) for name, value in named.items() if value}
        self._known = dict(self._named)
        self._next = first_number
        vocabulary = " ".join([*_VOCABULARY, *self._named.values()])
        for value, stand_in in self._named.items():
            # A word that placeholders and fields are called by is replaced in its own place only.
            if value not in vocabulary:
                self.spellings.add(value, stand_in)

    def exchange(self, exchange: Exchange) -> Exchange:
        """Return *exchange* without credentials; those it shows are learnt first."""
        asked = self._asked(exchange.request, self._headers.sent(exchange.request.headers))
        lines, body = self._shown(exchange.answer)
        said = [self._said(message) for message in exchange.messages]
        self._learn_userinfo(asked.password)
        # The answer comes before the URL and the body, which may repeat what it hands out.
        self._learn([*_texts(asked.lines), *_texts(lines), body, asked.url, asked.body, *said])
        matches = self._matches(body)
        return msgspec.structs.replace(
            exchange,
            request=self._settled(
                exchange.request, self._request(exchange.request, asked), self._headers.sent
            ),
            answer=self._answer(exchange.answer, lines, rewritten(body.content, matches)),
            chunks=recut(exchange.chunks, matches),
            messages=tuple(
                msgspec.structs.replace(message, content=self._written(text))
                for message, text in zip(exchange.messages, said, strict=True)
            ),
            step=self.text(exchange.step),
        )

    def request(self, request: Request) -> Request:
        """Return *request* as a recording keeps it, if it shows what a recording showed.

        Nothing is learnt: a request is the same whatever was asked before it. Cookies and
        credentials that were not recorded stay, as do all headers that are neither.
        """
        asked = self._asked(request, self._headers.credentials(request.headers))
        once = self._request(request, asked, self._repeated(asked))
        return self._settled(request, once, self._headers.credentials)

    def text(self, text: str) -> str:
        """Return *text* without the values that are known."""
        return self._written(_Text(text.encode())).decode()

    def count_anew(self) -> None:
        """Let the next reading alone count what every reading of a recording sees again."""
        kept = {rule: self.counts[rule] for rule in _SEEN_ONCE}
        self.counts = Counter(kept)

    def _settled(self, before: Request, request: Request, lines_of: LinesOf) -> Request:
        """Return *request*, which was *before*, read again until nothing more is found in it.

        In what does not parse, a placeholder may show what was hidden; a recording and a request
        of a replay must come to the same end.
        """
        counted, left = self.counts.copy(), _MOST_READINGS
        while request is not before and left:
            left -= 1
            asked = self._asked(request, lines_of(request.headers))
            before, request = request, self._request(request, asked, self._repeated(asked))
        self.counts = counted
        return request

    def _asked(self, request: Request, lines: Iterable[Line]) -> _Asked:
        url, userinfo = without_userinfo(request.url)
        coding = header(request.headers, "content-encoding")
        body, is_unpacked = unpacked(request.body, coding)
        return _Asked(
            url=_Text(url.encode(), self._finder.in_url(url.encode())),
            lines=list(lines),
            body=_Text(body, self._in_sent_body(request.headers, body)),
            is_unpacked=is_unpacked,
            password=unquote(userinfo.partition(":")[2]),
        )

    def _in_sent_body(self, headers: Headers, body: bytes) -> list[Found]:
        kind = media_type(headers)
        if not body or kind.startswith(_BINARY):
            return []
        if kind == "application/x-www-form-urlencoded":
            return self._finder.in_form(body)
        if kind.startswith("multipart/"):
            return self._finder.in_multipart(body)
        if kind.endswith("json") or body.lstrip()[:1] in {b"{", b"["}:
            return self._finder.in_json(body)
        return self._finder.in_text(body, Medium.SENT)

    def _shown(self, answer: Response | Failure) -> tuple[list[Line], _Text]:
        if isinstance(answer, Failure):
            return [], _Text(b"")
        kind = media_type(answer.headers)
        is_read = not kind.startswith(_BINARY) or kind.endswith("xml")
        found = self._finder.in_text(answer.body, medium_of(kind)) if is_read else []
        return list(self._headers.shown(answer.headers)), _Text(answer.body, found)

    def _said(self, message: WebSocketMessage) -> _Text:
        content = message.content
        if message.from_client:
            return _Text(content, self._finder.in_json(content))
        return _Text(content, self._finder.in_text(content, Medium.DATA))

    def _learn_userinfo(self, password: str) -> None:
        if password:
            self.counts[_USERINFO] += 1
            self._know_unless_known(password, PASSWORD_PLACEHOLDER)

    def _learn(self, texts: Iterable[_Text]) -> None:
        for text in texts:
            for found in text.found:
                self._learn_value(found)
                if not (found.rule in _SEEN_ONCE and holds_placeholder(found.value)):
                    self.counts[found.rule] += 1

    def _learn_value(self, found: Found) -> None:
        value = found.value
        match found.treat:
            case Treat.BASIC:
                self._learn_basic(found)
            case Treat.ONCE:
                self._know_unless_known(value, once_placeholder(found.label))
            case Treat.PASSWORD:
                self._know_unless_known(value, PASSWORD_PLACEHOLDER)
            case Treat.TOKEN:
                if value not in self._known and not holds_placeholder(value):
                    self._know(value, self._numbered(value, found.label))
            case _:
                assert_never(found.treat)

    def _learn_basic(self, found: Found) -> None:
        user, password = basic_pair(found.value) or ("", "")
        treat, secret = (Treat.PASSWORD, password) if password else (Treat.TOKEN, user)
        self._learn_value(msgspec.structs.replace(found, treat=treat, value=secret))
        stand_in = self._basic(found)
        if stand_in != found.value:
            self._know_unless_known(found.value, stand_in)

    def _numbered(self, value: str, label: str) -> str:
        self._next += 1
        return numbered_placeholder(value, label, self._next - 1, self._scrubbed)

    def _know_unless_known(self, value: str, stand_in: str) -> None:
        if value not in self._known and not holds_placeholder(value):
            self._know(value, stand_in)

    def _know(self, value: str, stand_in: str) -> None:
        self._known[value] = stand_in
        # Cookies are often escaped; scripts and pages show what they mean.
        for text in dict.fromkeys((value, unquote(value))):
            if is_found_anywhere(text):
                self.spellings.add(text, stand_in)

    def _stand_in(self, found: Found, *, keeps_unknown: bool = False) -> str:
        """Return what is written in the place of *found*; its value if that may stay."""
        match found.treat:
            case Treat.ONCE:
                return once_placeholder(found.label)
            case Treat.PASSWORD:
                return self._password(found.value)
            case Treat.BASIC:
                return self._basic(found)
            case Treat.TOKEN:
                return self._token(found.value, "" if keeps_unknown else found.label)
            case _:
                assert_never(found.treat)

    def _password(self, value: str) -> str:
        # What else the value is elsewhere does not count: a replay would not know it.
        is_named = value in self._named.values()
        return value if is_named else self._named.get(value, PASSWORD_PLACEHOLDER)

    def _token(self, value: str, label: str) -> str:
        if holds_placeholder(value):
            return scrubbed_token(value, self._scrubbed) if is_json_web_token(value) else value
        return self._known.get(value) or (unknown_placeholder(label, value) if label else value)

    def _basic(self, found: Found) -> str:
        user, password = basic_pair(found.value) or ("", "")
        if password:
            return basic_credentials(self.text(user), self._password(password))
        return basic_credentials(self._token(user, ""), "") if user else found.value

    def _repeated(self, asked: _Asked) -> Spellings | None:
        """Return what *asked* shows under a name that says so, and repeats under another."""
        shared = {
            value: stand_in
            for text in asked.texts
            for found in text.found
            for value, stand_in in self._shared(found)
            if value not in self._known and is_found_anywhere(value)
        }
        repeated = Spellings()
        for value, stand_in in shared.items():
            for meant in dict.fromkeys((value, unquote(value))):
                repeated.add(meant, stand_in)
        return repeated if shared else None

    def _shared(self, found: Found) -> Iterator[tuple[str, str]]:
        """Yield what of *found* has the same placeholder whoever sends it, and that placeholder."""
        if holds_placeholder(found.value):
            return
        if found.treat in {Treat.PASSWORD, Treat.ONCE}:
            yield found.value, self._stand_in(found)
        elif found.treat is Treat.BASIC:
            _, password = basic_pair(found.value) or ("", "")
            if password:
                yield found.value, self._basic(found)
                yield password, self._password(password)

    def _request(
        self, request: Request, asked: _Asked, repeated: Spellings | None = None
    ) -> Request:
        url = self._written(asked.url, repeated).decode()
        body = self._written(asked.body, repeated)
        headers = self._lines(request.headers, asked.lines, repeated)
        if asked.is_unpacked:
            is_same = body == asked.body.content
            body = request.body if is_same else body
            headers = headers if is_same else without_headers(headers, _PACKED)
        if (url, body, headers) == (request.url, request.body, request.headers):
            return request
        return msgspec.structs.replace(request, url=url, headers=headers, body=body)

    def _answer(
        self, answer: Response | Failure, lines: list[Line], body: bytes
    ) -> Response | Failure:
        if isinstance(answer, Failure):
            return msgspec.structs.replace(answer, message=self.text(answer.message))
        return msgspec.structs.replace(
            answer,
            reason=self.text(answer.reason),
            headers=self._lines(answer.headers, lines),
            body=body,
        )

    def _lines(
        self, headers: Headers, lines: list[Line], repeated: Spellings | None = None
    ) -> Headers:
        written = list(headers)
        for line, text in zip(lines, _texts(lines), strict=True):
            value = self._written(text, repeated).decode("latin-1")
            written[line.index] = (headers[line.index][0], value)
        return tuple(written)

    def _written(self, text: _Text, repeated: Spellings | None = None) -> bytes:
        return rewritten(text.content, self._matches(text, repeated))

    def _matches(self, text: _Text, repeated: Spellings | None = None) -> list[Match]:
        """Return what is to be replaced: credentials in their own places, then all known values."""
        own = [self._match(found, text) for found in text.found]
        known = self.spellings.find(text.content)
        if repeated is not None:
            known = merged(known, repeated.find(text.content))
        matches = merged(own, known)
        self.counts[_PROPAGATED] += len(matches) - len(own)
        return matches

    def _match(self, found: Found, text: _Text) -> Match:
        stand_in = self._stand_in(found, keeps_unknown=text.keeps_unknown)
        if stand_in == found.value:
            return Match(found.start, found.end, text.content[found.start : found.end])
        if found.is_bare and not stand_in.isdigit():
            stand_in = f'"{stand_in}"'
        return Match(found.start, found.end, stand_in.encode())

    def _scrubbed(self, content: bytes) -> bytes:
        return rewritten(content, self.spellings.find(content))


def _texts(lines: Iterable[Line]) -> Iterator[_Text]:
    for line in lines:
        yield _Text(line.content, line.found, keeps_unknown=True)
