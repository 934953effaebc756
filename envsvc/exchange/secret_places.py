"""Find where credentials stand in a text: by the name beside them, or by their shape (D9).

Texts are read as bytes, so that whatever is no credential stays as it is. What a page or script
says in passing is judged more carefully than what a client sends under a name.
"""

import html
import json
import re
from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import assert_never
from urllib.parse import unquote, unquote_plus

import ahocorasick_rs
import msgspec

from envsvc.exchange.placeholder import is_placeholder
from envsvc.exchange.secret_names import (
    Kind,
    Names,
    RedactionRules,
    is_once_value,
    is_signing,
    is_token_value,
    terse_passwords,
)
from envsvc.exchange.secret_shapes import ANCHORS, shaped_at


class Treat(StrEnum):
    """How a credential that was found is to be replaced."""

    PASSWORD = "password"  # noqa: S105  (names of ways)
    TOKEN = "token"  # noqa: S105
    ONCE = "once"
    BASIC = "basic"


class Found(msgspec.Struct, frozen=True, order=True):
    """A credential as ``content[start:end]``; ``value`` is what it means, its escapes undone.

    ``is_bare`` if it is a number of JSON, in whose place a text needs quotes.
    """

    start: int
    end: int
    treat: Treat
    rule: str
    label: str
    value: str
    is_bare: bool = False


class Medium(StrEnum):
    """What kind of text it is: a password is only where it is sent, scripts name many things."""

    SENT = "sent"
    DATA = "data"
    PAGE = "page"
    SCRIPT = "script"


_DATA = ("json", "text/event-stream", "text/plain", "text/csv")


def medium_of(kind: str) -> Medium:
    """Return what an answer of media type *kind* is."""
    if kind.endswith(_DATA):
        return Medium.DATA
    return Medium.SCRIPT if "script" in kind else Medium.PAGE


_NAME_ANCHORS = (
    b"passw", b"pwd", b"passphrase", b"passcode",
    b"csrf", b"xsrf", b"nonce", b"token", b"secret", b"apikey", b"api_key", b"api-key",
    b"private_key", b"private-key", b"privatekey", b"access_key", b"access-key", b"accesskeyid",
    b"session_id", b"session-id", b"sessionid", b"sessid", b"sesskey", b"form_key", b"formkey",
    b"form_build_id", b"antiforgery", b"credential", b"assertion", b"samlresponse", b"code_verif",
    b"code_chall", b"x-amz-sig", b"x-goog-sig", b"jwt",
)  # fmt: skip
_NAME_BYTES = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-@.$"
_LONGEST_NAME = 64  # bytes on either side of the word that was found
_LONGEST_VALUE = 65_536  # bytes; session states and SAML answers are the longest that are known
_TAG_BEFORE, _TAG_AFTER = 1024, 4096  # bytes of a tag around the name of a field

_QUOTE = rb"(?:\\{0,3}[\"']|&quot;|&#34;|&#39;|&#x27;|%(?:25){0,2}22)"
_QUOTED = re.compile(
    rb"%b?\]?\s{0,8}(?:[:=]|=>|%%(?:25){0,2}3[Aa])\s{0,8}(?P<quote>%b)" % (_QUOTE, _QUOTE)
)
_ARGUMENT = re.compile(rb"%b\s{0,4},\s{0,4}(?P<quote>%b)" % (_QUOTE, _QUOTE))
_BARE = re.compile(rb"=(?P<value>[\w.~+/%-]{6,2048}+=*)")
_ESCAPED = re.compile(rb"(?:25){0,2}[0-9A-Fa-f]{2}")
_BARE_ESCAPED = re.compile(rb"%(?:25){0,2}3[Dd](?P<value>[\w.~-]{6,2048}+)")
_NUMBER = re.compile(rb"%b\s{0,8}:\s{0,8}(?P<value>\d{8,20}+)(?![\w.])" % _QUOTE)
_ELEMENT = re.compile(rb"(?:\s[^<>]{0,200})?>(?P<value>[^<]{1,4096})</")
_POLICY = re.compile(rb"nonce-(?P<value>[\w+/-]{6,}+=*)")
_NAMES_A_FIELD = re.compile(rb"(?i)(?:name|id|property)\s?=\s?(?:%b)?$" % _QUOTE)
_FIELD_VALUE = re.compile(rb"(?i)(?:\s|%b)(?:value|content)\s?=\s?(?P<quote>%b)" % (_QUOTE, _QUOTE))
_FIELD_BARE_VALUE = re.compile(rb"(?i)\s(?:value|content)=(?P<value>[^\s\"'<>&\\]{6,2048})")
_HIDDEN = re.compile(rb"(?i)type\s?=\s?(?:%b)?hidden" % _QUOTE)
_USERINFO = re.compile(rb"://(?P<user>[^/?#@\s\"'<>:]{0,128}):(?P<value>[^/?#@\s\"'<>]{1,256})@")

_PAIR = re.compile(rb"(?:^|(?<=[?&;]))(?P<name>[^?&;=#]+)=(?P<value>[^&#]*)")
_JSON_PAIR = re.compile(
    rb'"(?P<name>[^"\\]{1,64})"\s{0,64}+:\s{0,64}+'
    rb'(?:"(?P<text>(?:[^"\\]|\\.)*+)"|(?P<number>-?\d[\d.eE+-]*+))',
    re.DOTALL,
)
_PART_NAME = re.compile(
    rb'(?i)^content-disposition:[^\r\n]*[;\s]name="(?P<name>[^"\r\n]*)"', re.MULTILINE
)
_PART_END = b"\r\n--"
_SHORT_FORM = 4096  # bytes; what a sign-in sends


class Finder:
    """Finds credentials by the default rules and those of one app."""

    def __init__(self, rules: RedactionRules) -> None:
        """Add *rules* to the defaults, and leave out those that they switch off."""
        self.names = Names(rules)
        self._off = frozenset(rules.off)
        own = {name.lower().encode() for name in (*rules.fields, *rules.once)}
        self._anchors = [*ANCHORS, *_NAME_ANCHORS, *sorted(own - set(_NAME_ANCHORS))]
        self._automaton = ahocorasick_rs.BytesAhoCorasick(
            self._anchors, matchkind=ahocorasick_rs.MatchKind.LeftmostLongest
        )

    def is_on(self, rule: str) -> bool:
        """Say whether *rule* is not switched off."""
        return rule not in self._off

    def in_text(self, content: bytes, medium: Medium) -> list[Found]:
        """Return the credentials in any text, in order and without overlap."""
        found = _apart([*self._anchored(content, medium), *self._in_front_of_hosts(content)])
        return [one for one in found if self.is_on(one.rule)]

    def in_url(self, content: bytes, medium: Medium = Medium.SENT) -> list[Found]:
        """Return the credentials in a URL: of its query by name, and all others as in a text."""
        start = content.find(b"?") + 1
        pairs = self._pairs(content, start) if start else []
        return _apart([*pairs, *self.in_text(content, medium)])

    def in_form(self, content: bytes) -> list[Found]:
        """Return the credentials in a urlencoded form."""
        return _apart([*self._pairs(content, 0), *self.in_text(content, Medium.SENT)])

    def in_json(self, content: bytes) -> list[Found]:
        """Return the credentials in JSON that a client sends, at any depth."""
        pairs = list(self._json_pairs(content))
        return _apart([*pairs, *self.in_text(content, Medium.SENT)])

    def in_multipart(self, content: bytes) -> list[Found]:
        """Return the credentials in the parts of a multipart form, by their names."""
        found: list[Found] = []
        start = 0
        for part in content.split(_PART_END):
            head, blank_line, value = part.partition(b"\r\n\r\n")
            name = _PART_NAME.search(head)
            if name and value:
                begin = start + len(head) + len(blank_line)
                text = value.decode(errors="replace")
                field = name["name"].decode(errors="replace")
                found += self._named(field, text, begin, begin + len(value))
            start += len(part) + len(_PART_END)
        return found

    def _pairs(self, content: bytes, start: int) -> Iterator[Found]:
        matches = list(_PAIR.finditer(content, start))
        names = [unquote_plus(match["name"].decode("latin-1")) for match in matches]
        is_short = not start and len(content) <= _SHORT_FORM
        terse = terse_passwords(names) if is_short else frozenset()
        for match, name in zip(matches, names, strict=True):
            value = unquote_plus(match["value"].decode("latin-1"))
            yield from self._named(name, value, *match.span("value"), is_terse=name in terse)

    def _json_pairs(self, content: bytes) -> Iterator[Found]:
        matches = list(_JSON_PAIR.finditer(content))
        names = [match["name"].decode(errors="replace") for match in matches]
        terse = terse_passwords(names) if len(content) <= _SHORT_FORM else frozenset()
        for match, name in zip(matches, names, strict=True):
            group = "text" if match["text"] is not None else "number"
            value = _json_unescaped(match[group])
            found = self._named(name, value, *match.span(group), is_terse=name in terse)
            is_bare = group == "number"
            yield from (msgspec.structs.replace(one, is_bare=is_bare) for one in found)

    def _named(
        self, name: str, value: str, start: int, end: int, *, is_terse: bool = False
    ) -> Iterator[Found]:
        """Yield what a client sends under *name*, if that is a credential."""
        kind = Kind.PASSWORD if is_terse else self.names.field(name)
        if kind is None or not value:
            return
        rule = f"secret.field.{kind}"
        any_value = kind is Kind.PASSWORD or self.names.is_own(name) or is_signing(name)
        if (any_value or _fits(kind, value)) and self.is_on(rule):
            label = name if kind is Kind.ONCE else "token"
            yield Found(start, end, Treat(kind), rule, label, value)

    def _anchored(self, content: bytes, medium: Medium) -> Iterator[Found]:
        lowered = content.lower()
        end = 0
        for index, start, stop in self._automaton.find_matches_as_indexes(lowered):
            if start < end:
                continue
            rule = ANCHORS.get(self._anchors[index])
            if rule is not None:
                found = _shaped(content, start, rule)
            else:
                found, end = self._beside_name(content, start, stop, medium)
            if found is not None:
                end = found.end
                yield found

    def _beside_name(
        self, content: bytes, start: int, stop: int, medium: Medium
    ) -> tuple[Found | None, int]:
        """Return the value beside the name around ``content[start:stop]``, and where that ends."""
        before = content[max(0, start - _LONGEST_NAME) : start]
        begin = start - len(before) + len(before.rstrip(_NAME_BYTES))
        if content[begin - 1 : begin] == b"%":
            escape = _ESCAPED.match(content, begin, start)  # what is escaped there is no letter
            begin = escape.end() if escape else start
        after = content[stop : stop + _LONGEST_NAME]
        end = stop + len(after) - len(after.lstrip(_NAME_BYTES))
        policy = _POLICY.match(content, start) if begin == start else None
        if policy:
            judged = self._judged("nonce", Kind.ONCE, content, policy.span("value"), medium)
            return judged, policy.end()
        name = content[begin:end].decode("latin-1").rpartition(".")[2]
        kind = self.names.field(name)
        if kind is None or not _is_looked_for(kind, medium):
            return None, end
        if kind is Kind.TOKEN and _is_hidden_field(content, begin, end):
            kind = Kind.ONCE  # a page gives it to the form that it shows, and to nobody else
        span = _value_span(content, begin, end)
        return (self._judged(name, kind, content, span, medium) if span else None), end

    def _judged(
        self, name: str, kind: Kind, content: bytes, span: tuple[int, int], medium: Medium
    ) -> Found | None:
        value = plain_text(content[slice(*span)])
        any_value = kind is Kind.PASSWORD or self.names.is_own(name)
        if not (any_value or (_fits(kind, value) and _is_sure(kind, value, medium))):
            return None
        label = name if kind is Kind.ONCE else "token"
        is_bare = content[span[0] - 1 : span[0]] in _BEFORE_NUMBER and value.isdigit()
        return Found(*span, Treat(kind), f"secret.field.{kind}", label, value, is_bare)

    def _in_front_of_hosts(self, content: bytes) -> Iterator[Found]:
        if b"@" not in content:
            return
        for match in _USERINFO.finditer(content):
            value = unquote(match["value"].decode("latin-1"))
            span = match.span("value")
            yield Found(*span, Treat.PASSWORD, "secret.url.userinfo", "password", value)


def _fits(kind: Kind, value: str) -> bool:
    if kind is Kind.ONCE:
        return is_once_value(value) or is_placeholder(value)
    return is_token_value(value)


def _is_looked_for(kind: Kind, medium: Medium) -> bool:
    match medium:
        case Medium.SENT:
            return True
        case Medium.DATA | Medium.PAGE:
            return kind is not Kind.PASSWORD  # a label, such as "password": "Passwort"
        case Medium.SCRIPT:
            return kind is not Kind.PASSWORD
        case _:
            assert_never(medium)


def _is_sure(kind: Kind, value: str, medium: Medium) -> bool:
    """Say whether *value* is more than a word of the program that a page or script is."""
    if is_placeholder(value):
        return True
    if medium is Medium.SCRIPT:
        digits = len(_HAS_DIGIT.findall(value))
        is_random = kind is Kind.ONCE or (len(value) >= _RANDOM and digits >= _RANDOM_DIGITS)
        return is_token_value(value) and digits > 0 and is_random
    return medium is not Medium.PAGE or kind is Kind.ONCE or _HAS_DIGIT.search(value) is not None


# A script names what it calls by words; none of them is as long and has as many digits.
_RANDOM, _RANDOM_DIGITS = 20, 4
_HAS_DIGIT = re.compile(r"\d")
_BEFORE_NUMBER = frozenset({b":", b" ", b"\t", b"\n"})


def _shaped(content: bytes, start: int, rule: str) -> Found | None:
    shaped = shaped_at(content, start, rule)
    if shaped is None:
        return None
    treat = Treat.BASIC if rule == "secret.shape.basic" else Treat.TOKEN
    value = content[shaped.start : shaped.end].decode("latin-1")
    return Found(shaped.start, shaped.end, treat, rule, "token", value)


def _value_span(content: bytes, begin: int, end: int) -> tuple[int, int] | None:
    """Return where the value of the name at ``content[begin:end]`` stands; None if nowhere."""
    if _NAMES_A_FIELD.search(content, max(0, begin - 16), begin):
        return _field_value(content, begin, end)
    is_argument = content[begin - 2 : begin - 1] == b"("
    quoted = (_ARGUMENT if is_argument else _QUOTED).match(content, end)
    if quoted:
        return _quoted_span(content, quoted)
    for pattern in (_BARE, _BARE_ESCAPED, _NUMBER):
        match = pattern.match(content, end)
        if match:
            return match.span("value")
    if content[begin - 1 : begin] in {b"<", b":"}:
        element = _ELEMENT.match(content, end)
        return element.span("value") if element else None
    return None


def _field_value(content: bytes, begin: int, end: int) -> tuple[int, int] | None:
    """Return the value of the HTML field whose name stands at ``content[begin:end]``."""
    start, stop = _tag(content, begin, end)
    quoted = _FIELD_VALUE.search(content, start, stop)
    if quoted:
        return _quoted_span(content, quoted)
    bare = _FIELD_BARE_VALUE.search(content, start, stop)
    return bare.span("value") if bare else None


def _is_hidden_field(content: bytes, begin: int, end: int) -> bool:
    is_field = _NAMES_A_FIELD.search(content, max(0, begin - 16), begin) is not None
    return is_field and _HIDDEN.search(content, *_tag(content, begin, end)) is not None


def _tag(content: bytes, begin: int, end: int) -> tuple[int, int]:
    """Return about where the tag around ``content[begin:end]`` starts and stops."""
    first, last = max(0, begin - _TAG_BEFORE), end + _TAG_AFTER
    start, stop = content.rfind(b"<", first, begin), content.find(b">", end, last)
    return start if start >= 0 else first, stop if stop >= 0 else last


def _quoted_span(content: bytes, opening: re.Match[bytes]) -> tuple[int, int] | None:
    quote, start = opening["quote"], opening.end()
    end = content.find(quote, start, start + _LONGEST_VALUE)
    while end > start and not quote.startswith(b"\\") and content[end - 1 : end] == b"\\":
        end = content.find(quote, end + 1, start + _LONGEST_VALUE)
    return (start, end) if end > start else None


def plain_text(raw: bytes) -> str:
    """Return *raw* without the escapes of JSON and HTML that it has."""
    text = _json_unescaped(raw) if b"\\" in raw else raw.decode(errors="replace")
    return html.unescape(text) if "&" in text else text


def _json_unescaped(raw: bytes) -> str:
    text = raw.decode(errors="replace")
    try:
        # A lone surrogate escape is no text that could occur elsewhere, nor be encoded.
        return str(json.loads(f'"{text}"', strict=False)).encode(errors="replace").decode()
    except ValueError:
        return text


def _apart(found: Iterable[Found]) -> list[Found]:
    """Return *found* in order, of those that overlap the first or longest."""
    kept: list[Found] = []
    for one in sorted(found, key=lambda one: (one.start, -one.end)):
        if not kept or one.start >= kept[-1].end:
            kept.append(one)
    return kept


def without_userinfo(url: str) -> tuple[str, str]:
    """Return *url* without user and password in front of its host (RFC 3986 3.2.1), and those."""
    match = _AUTHORITY.match(url)
    if match is None:
        return url, ""
    return url[: match.start("userinfo")] + url[match.end() :], match["userinfo"]


_AUTHORITY = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://(?P<userinfo>[^/?#]*)@")
