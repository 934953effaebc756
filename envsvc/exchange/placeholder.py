"""Placeholders: what stands for a credential, and how to recognise it again (D9).

A placeholder has the shape of what it stands for where apps read that shape: a JSON web token
still has a header and claims, a UUID is a UUID, a number a number. All others are letters, digits
and hyphens, so they are safe in URLs, headers, HTML and JSON.
"""

import base64
import binascii
import hashlib
import json
import re
from collections.abc import Callable, Iterator

PLACEHOLDER_PREFIX = "redacted-"
PASSWORD_PLACEHOLDER = "redacted-password"  # noqa: S105  (stands for every unnamed password)

# No UUID is random that begins so and has such zeros; no number either, and JavaScript can hold it
# exactly (below 2**53).
_UUID_HEAD, _DIGITS_HEAD = "7edac7ed-0000-4000-8000-", "7332242800"
_IS_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_LONG_NUMBER = 8  # digits; what is shorter is no credential that an app reads as a number
_JWT = re.compile(r"(eyJ[\w-]+)\.([\w-]*)\.([\w-]*)(\.[\w-]*\.[\w-]*)?", re.ASCII)

_PLAIN = re.compile(
    rf"{PLACEHOLDER_PREFIX}[a-z0-9-]+|{_UUID_HEAD}\d{{12}}|{_DIGITS_HEAD}\d{{6}}"
    rf"|eyJ[\w-]+\.(?:[\w-]*\.)+{PLACEHOLDER_PREFIX}[a-z0-9-]+",
    re.ASCII,
)
_UNKNOWN = re.compile(rf"{PLACEHOLDER_PREFIX}[a-z0-9-]+-x[0-9a-f]{{12}}(?![a-z0-9-])")
_NUMBERED = re.compile(
    rb"(?:%b[a-z0-9-]*?-|%b|%b)(\d+)(?![\w-])"
    % (PLACEHOLDER_PREFIX.encode(), _UUID_HEAD.encode(), _DIGITS_HEAD.encode())
)
_RUN = frozenset(b"abcdefghijklmnopqrstuvwxyz0123456789-")
_LONGEST = 120  # bytes: labels are cut so that no placeholder is longer
_NOT_SLUG = re.compile(r"[^A-Za-z0-9]+")
# Names of claims that are credentials of their own, or made anew for each token (RFC 7519 4.1.7).
_SECRET_CLAIMS = re.compile(r"(?i)jti|sid|.*(?:token|secret|password|nonce|csrf|hash)")


def slug(text: str) -> str:
    """Return *text* as letters, digits and hyphens; "value" if nothing is left."""
    return _NOT_SLUG.sub("-", text).strip("-").lower()[:80] or "value"


def secret_placeholder(name: str) -> str:
    """Return what stands for the secret that app.yaml calls *name*."""
    return f"{PLACEHOLDER_PREFIX}secret-{slug(name)}"


def once_placeholder(name: str) -> str:
    """Return what stands for every value of field *name*, which is made anew each time."""
    return f"{PLACEHOLDER_PREFIX}once-{slug(name)}"


def unknown_placeholder(label: str, value: str) -> str:
    """Return what stands for a token that was not recorded; no two of them are the same.

    It is for reports of what was asked, and no cassette has it.
    """
    digest = hashlib.sha256(value.encode()).hexdigest()[:12]
    return f"{PLACEHOLDER_PREFIX}{slug(label)}-x{digest}"


def numbered_placeholder(
    value: str, label: str, number: int, scrub: Callable[[bytes], bytes] = bytes
) -> str:
    """Return what stands for *value*, in its shape; *scrub* takes known values out of claims."""
    if _IS_UUID.fullmatch(value):
        return f"{_UUID_HEAD}{number:012}"
    if len(value) >= _LONG_NUMBER and value.isascii() and value.isdigit():
        return f"{_DIGITS_HEAD}{number:06}"
    plain = f"{PLACEHOLDER_PREFIX}{slug(label)}-{number}"
    return _signed(value, plain, scrub) if is_json_web_token(value) else plain


def scrubbed_token(value: str, scrub: Callable[[bytes], bytes]) -> str:
    """Return JSON web token *value*, itself a placeholder, with its claims read again."""
    return _signed(value, value.rpartition(".")[2], scrub)


def is_placeholder(text: str) -> bool:
    """Say whether the whole *text* is a placeholder."""
    return _PLAIN.fullmatch(text) is not None


def holds_placeholder(text: str) -> bool:
    """Say whether a placeholder, or what looks like the beginning of one, is in *text*."""
    return PLACEHOLDER_PREFIX in text or _PLAIN.search(text) is not None


def holds_unknown(text: str) -> bool:
    """Say whether what stands for a token that was not recorded is in *text*."""
    return _UNKNOWN.search(text) is not None


def is_json_web_token(text: str) -> bool:
    """Say whether *text* is a signed (RFC 7515) or encrypted (RFC 7516) JSON web token."""
    match = _JWT.fullmatch(text)
    header = _claims(match[1]) if match else None
    return header is not None and "alg" in header


def in_placeholder(content: bytes, start: int, end: int) -> bool:
    """Say whether ``content[start:end]`` is within a placeholder."""
    head = PLACEHOLDER_PREFIX.encode()
    begin = content.rfind(head, max(0, start - _LONGEST), start + len(head))
    return begin >= 0 and _RUN.issuperset(content[begin:end])


def numbers_in(content: bytes) -> Iterator[int]:
    """Yield the number of every placeholder in *content*."""
    yield from (int(number) for number in _NUMBERED.findall(content))


def without_numbers(content: bytes) -> bytes:
    """Return *content* with its placeholders unnumbered: each recording numbers them anew."""
    return _NUMBERED.sub(lambda match: match[0][: match.start(1) - match.end()], content)


def _signed(value: str, signature: str, scrub: Callable[[bytes], bytes]) -> str:
    header, claims, *rest = value.split(".")
    if len(rest) > 1:
        return f"{header}.redacted.redacted.redacted.{signature}"  # nothing in it can be read
    return f"{header}.{_public(claims, scrub)}.{signature}"


def _public(claims: str, scrub: Callable[[bytes], bytes]) -> str:
    """Return the claims without credentials; as they were written, if there is none."""
    shown = _claims(claims)
    if shown is None:
        return _encoded(b"{}")
    hidden = {name: "redacted" for name in shown if _SECRET_CLAIMS.fullmatch(name)}
    plain = json.dumps({**shown, **hidden}, separators=(",", ":")).encode()
    scrubbed = scrub(plain)
    return _encoded(scrubbed) if hidden or scrubbed != plain else claims


def _claims(part: str) -> dict[str, object] | None:
    try:
        decoded = json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))
    except (ValueError, binascii.Error, RecursionError):
        return None
    return decoded if isinstance(decoded, dict) else None


def _encoded(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).decode().rstrip("=")
