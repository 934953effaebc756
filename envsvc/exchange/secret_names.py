"""Tell by its name whether a header, cookie or field holds a credential, and of which kind (D9)."""

import re
from collections.abc import Iterable, Iterator
from enum import StrEnum

import msgspec


class Kind(StrEnum):
    """What a name says of its values.

    A *password* is typed by a person. A *token* identifies somebody: each value has a placeholder
    of its own. A value that is made anew *once* for each page, such as a CSRF token, identifies
    nobody: all values of a name have the same placeholder.
    """

    PASSWORD = "password"  # noqa: S105  (the name of a kind)
    TOKEN = "token"  # noqa: S105
    ONCE = "once"


RULES = {
    "secret.header.authorization": "the credentials of Authorization and Proxy-Authorization",
    "secret.header.token": "headers whose name says token, key or secret, such as X-Api-Key",
    "secret.header.once": "headers with a value made anew, such as X-CSRFToken",
    "secret.cookie": "cookies, but for plain words and short numbers",
    "secret.cookie.once": "cookies with a value made anew, such as csrftoken",
    "secret.field.password": "passwords in forms, JSON, multipart, XML and queries that are sent",
    "secret.field.token": "tokens in fields, such as access_token or api_key",
    "secret.field.once": "fields with a value made anew, such as csrfmiddlewaretoken or nonce",
    "secret.url.userinfo": "user and password in front of a host",
    "secret.shape.jwt": "JSON web tokens anywhere",
    "secret.shape.bearer": "what follows Bearer anywhere",
    "secret.shape.basic": "the password in what follows Basic anywhere",
    "secret.shape.key": "keys with a well-known beginning, such as ghp_ or AKIA",
    "secret.shape.pem": "private keys in PEM",
}
"""The rules by their stable ids, and what each takes out."""


class RedactionRules(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What app.yaml says beyond the default rules; nothing in it makes a default weaker but *off*.

    - ``headers``, ``cookies``, ``fields``: names (any case) whose values are credentials.
    - ``once``: names of any of these whose values are made anew for each page.
    - ``off``: ids of default rules that are switched off.
    """

    headers: tuple[str, ...] = ()
    cookies: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()
    once: tuple[str, ...] = ()
    off: tuple[str, ...] = ()

    def problems(self) -> Iterator[str]:
        """Yield what is wrong beyond types, each as a clause; nothing if all is right."""
        for rule in self.off:
            if rule not in RULES:
                yield f"off: {rule!r} is no rule; there are {', '.join(RULES)}"


_NOT_ALNUM = re.compile(r"[^a-z0-9]+")
# Between a name and its value, so that words like csrf-param name no token.
_NOT_A_VALUE = re.compile(r"(?:param|header|name|field|cookie|config|enabled|failure|error|url)s?$")
_PASSWORD = re.compile(
    r"(?:.*(?:password|passwd|passphrase|passcode|pwd)|(?:user|auth|login|my)?pass|pw)"
    r"(?:\d|confirm|confirmation|again|repeat|verify|check)?"
)
# Django, Rails, ASP.NET, WordPress, Drupal, Magento, Moodle, MediaWiki, vBulletin, Nextcloud,
# Symfony; OAuth's proof key (RFC 7636); what signs one URL (AWS, Google, Azure, CloudFront).
_ONCE = re.compile(
    r".*(?:csrf|xsrf).*|.*nonce|.*authenticitytoken|.*verificationtoken|.*antiforgery(?:token)?"
    r"|.*formtoken|form(?:key|buildid)|sesskey|logintoken|(?:wp)?(?:edit|login)token"
    r"|.*requesttoken|.*onetimetoken|code(?:verifier|challenge)|x(?:amz|goog)(?:signature|credential)"
    r"|xamzsecuritytoken|sig|signature"
)
_SIGNED = re.compile(r"x(?:amz|goog)(?:signature|credential)|xamzsecuritytoken")
_TOKEN = re.compile(
    r".*(?:token|apikey|apisecret|clientsecret|secretkey|privatekey|accesskey|accesskeyid"
    r"|(?:subscription|functions?|master|auth|license)key"
    r"|sessionid|sessid|credentials?|assertion|jwt|bearer)"
    r"|(?:.*(?:app|client|consumer|shared|webhook))?secret|authorization|samlresponse|sid"
)
_SESSION = re.compile(r".*(?:sess|auth|login|remember|token|secret|apikey|jwt).*|.*sid")
_USER = re.compile(r"(?i)u|user|username|user_?name|login|e-?mail|uid|account")
_TERSE_PASSWORD = frozenset({"p", "pw", "pass"})
# Laravel's, which the rules for tokens would take for one that identifies.
_BARE_ONCE = frozenset({"_token"})


class Names:
    """Knows the default names and those of one app's rules."""

    def __init__(self, rules: RedactionRules) -> None:
        """Add the names of *rules* to the defaults."""
        self.headers = _plain_all(rules.headers)
        self.cookies = _plain_all(rules.cookies)
        self.fields = _plain_all(rules.fields)
        self.once = _plain_all(rules.once)

    def field(self, name: str) -> Kind | None:
        """Return what field *name* holds; None if no credential."""
        plain = plain_name(name)
        if plain in self.once or name.lower() in _BARE_ONCE:
            return Kind.ONCE
        if plain in self.fields:
            return Kind.TOKEN
        return _kind(plain)

    def header(self, name: str) -> Kind | None:
        """Return what header *name* holds; passwords in headers count as tokens."""
        plain = plain_name(name)
        if plain in self.headers:
            return Kind.TOKEN
        kind = Kind.ONCE if plain in self.once else _kind(plain)
        return Kind.TOKEN if kind is Kind.PASSWORD else kind

    def cookie(self, name: str) -> Kind:
        """Return what cookie *name* holds: a cookie identifies, unless its name says otherwise."""
        plain = plain_name(name)
        is_once = plain in self.once or (plain not in self.cookies and _kind(plain) is Kind.ONCE)
        return Kind.ONCE if is_once else Kind.TOKEN

    def is_session(self, name: str) -> bool:
        """Say whether cookie *name* says that it identifies, so that even a word in it counts."""
        return _SESSION.fullmatch(plain_name(name)) is not None

    def is_own(self, name: str) -> bool:
        """Say whether the app's own rules name this, so that any value counts."""
        return plain_name(name) in self.headers | self.cookies | self.fields | self.once


def plain_name(name: str) -> str:
    """Return *name* in lower case, letters and digits alone."""
    return _NOT_ALNUM.sub("", name.lower())


def terse_passwords(names: Iterable[str]) -> frozenset[str]:
    """Return which of *names*, sent together, can only be a password beside a user's name."""
    listed = list(names)
    if not any(_USER.fullmatch(name) for name in listed):
        return frozenset()
    return _TERSE_PASSWORD.intersection(listed)


def is_signing(name: str) -> bool:
    """Say whether *name* signs a URL, so that any value of it counts."""
    return _SIGNED.fullmatch(plain_name(name)) is not None


def _plain_all(names: Iterable[str]) -> frozenset[str]:
    return frozenset(map(plain_name, names))


def _kind(plain: str) -> Kind | None:
    if len(plain) > _LONGEST_NAME:
        return None
    if _PASSWORD.fullmatch(plain):
        return Kind.PASSWORD
    if _ONCE.fullmatch(plain):
        return None if _NOT_A_VALUE.search(plain) else Kind.ONCE
    return Kind.TOKEN if _TOKEN.fullmatch(plain) else None


_LONGEST_NAME = 64  # letters; what is longer is no name, and would take long to look at


_WORD = r"(?:[A-Z]?[a-z]{1,15}|[A-Z]{1,15})"
_WORDS = re.compile(rf"{_WORD}(?:[-_. /:,]{_WORD}){{0,3}}")
SHORT = 4  # characters; a credential that short would be guessed at once
_ANY_TOKEN = re.compile(r"[\w.~+/=%:|@!*$-]+")


def is_plain_value(value: str) -> bool:
    """Say whether *value* is a word or two, or too short to be a secret: "dark", "en-US", "1"."""
    return len(value) <= SHORT or _WORDS.fullmatch(value) is not None


def is_token_value(value: str) -> bool:
    """Say whether *value* may be a token: 16 characters of tokens, or 8 of them with a digit."""
    if not _ANY_TOKEN.fullmatch(value):
        return False
    return len(value) >= _SURE or (
        len(value) >= _POSSIBLE and any(character.isdigit() for character in value)
    )


_SURE, _POSSIBLE = 16, 8


def is_once_value(value: str) -> bool:
    """Say whether *value* may be one that was made anew: 6 characters of tokens, and no word."""
    return (
        len(value) > SHORT + 1
        and _ANY_TOKEN.fullmatch(value) is not None
        and not is_plain_value(value)
    )


# A shorter or plain value ("en", "password") occurs everywhere by chance: such a value is replaced
# in its own place only.
_SHORTEST_ANYWHERE, _LONG_WORD = 8, 16
# A longer one is no credential (a private key has some 3,000 characters, the largest cookie 4,096),
# and each of its spellings costs as much as the value is long.
_LONGEST_ANYWHERE = 16_384


def is_found_anywhere(value: str) -> bool:
    """Say whether *value* is so long or odd that it can only be the credential, wherever it is."""
    if len(value) > _LONGEST_ANYWHERE:
        return False
    is_long = len(value) >= _LONG_WORD
    return is_long or (len(value) >= _SHORTEST_ANYWHERE and not value.isalpha())
