"""Find credentials by their shape, under whatever name they stand (D9)."""

import base64
import re

import msgspec

from envsvc.exchange.placeholder import is_json_web_token

_PEM_END = b"-----END "
_LONGEST_PEM = 16_384  # bytes; a key of 16,384 bits has 12,700


class Shaped(msgspec.Struct, frozen=True):
    """A credential as ``content[start:end]``, and the rule that knows its shape."""

    start: int
    end: int
    rule: str


_JWT = re.compile(rb"(?<![\w-])eyJ[\w-]{5,}+\.[\w-]*+\.[\w-]*+(?:\.[\w-]*+\.[\w-]*+)?(?![\w-])")
_BEARER = re.compile(rb"(?i)(?<!\w)bearer(?:%20|[\s+])(?P<value>[\w.~+/-]{8,}+=*)")
_BASIC = re.compile(rb"(?i)(?<!\w)basic(?:%20|[\s+])(?P<value>[A-Za-z0-9+/_-]{4,}+=*)")
_PEM = re.compile(rb"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY-----(?P<value>)")
# Payment, code hosting, clouds, chat, packages, mail, models, shops: as their makers document them.
_KEY = re.compile(
    rb"(?<![A-Za-z0-9_])(?:[sr]k_(?:live|test)_\w{8,}+|whsec_\w{8,}+|gh[pousr]_\w{16,}+"
    rb"|github_pat_\w{20,}+|gl(?:pat|ptt|dt)-[\w-]{16,}+|(?:AKIA|ASIA)[A-Z0-9]{16}(?!\w)"
    rb"|AIza[\w-]{35}|ya29\.[\w-]{20,}+|xox[abeoprs]-[\w-]{10,}+|xapp-[\w-]{10,}+"
    rb"|npm_[A-Za-z0-9]{30,}+|pypi-AgEI[\w-]{30,}+|SG\.[\w-]{16,}+\.[\w-]{16,}+"
    rb"|sk-(?=[\w-]{0,64}\d)[\w-]{20,}+|hf_[A-Za-z0-9]{30,}+|shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}"
    rb"|do[opr]_v1_[a-f0-9]{64})"
)
_DIGIT = re.compile(rb"\d")
_SURE = 24  # characters after Bearer that need no digit among them to be no word

ANCHORS = {
    b"eyj": "secret.shape.jwt",
    b"bearer": "secret.shape.bearer",
    b"basic": "secret.shape.basic",
    b"-----begin ": "secret.shape.pem",
    **dict.fromkeys(
        (
            b"sk_live_", b"sk_test_", b"rk_live_", b"rk_test_", b"whsec_", b"ghp_", b"gho_",
            b"ghu_", b"ghs_", b"ghr_", b"github_pat_", b"glpat-", b"glptt-", b"gldt-", b"akia",
            b"asia", b"aiza", b"ya29.", b"xox", b"xapp-", b"npm_", b"pypi-agei", b"sg.", b"sk-",
            b"hf_", b"shpat_", b"shpca_", b"shppa_", b"shpss_", b"doo_v1_", b"dop_v1_",
            b"dor_v1_",
        ),
        "secret.shape.key",
    ),
}  # fmt: skip
"""How a credential of each rule begins, in lower case."""


def shaped_at(content: bytes, start: int, rule: str) -> Shaped | None:
    """Return the credential of *rule* that begins at *start*; None if none does."""
    match rule:
        case "secret.shape.jwt":
            found = _JWT.match(content, start)
            is_one = found is not None and is_json_web_token(found[0].decode())
            return Shaped(*found.span(), rule) if found and is_one else None
        case "secret.shape.bearer":
            return _bearer(content, start)
        case "secret.shape.basic":
            found = _BASIC.match(content, start)
            is_one = found is not None and basic_pair(found["value"].decode()) is not None
            return Shaped(*found.span("value"), rule) if found and is_one else None
        case "secret.shape.pem":
            return _pem(content, start)
        case _:
            found = _KEY.match(content, start)
            return Shaped(*found.span(), rule) if found else None


def basic_pair(credentials: str) -> tuple[str, str] | None:
    """Return user and password of Basic *credentials* (RFC 7617); None if they are none."""
    standard = credentials.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        text = base64.b64decode(standard + "=" * (-len(standard) % 4), validate=True).decode()
    except ValueError:
        return None
    user, colon, password = text.partition(":")
    return (user, password) if colon and text.isprintable() else None


def basic_credentials(user: str, password: str) -> str:
    """Return Basic credentials as they stand in a header (RFC 7617 2)."""
    return base64.b64encode(f"{user}:{password}".encode()).decode()


def _bearer(content: bytes, start: int) -> Shaped | None:
    found = _BEARER.match(content, start)
    if found is None:
        return None
    is_word = len(found["value"]) < _SURE and not _DIGIT.search(found["value"])
    return None if is_word else Shaped(*found.span("value"), "secret.shape.bearer")


def _pem(content: bytes, start: int) -> Shaped | None:
    found = _PEM.match(content, start)
    end = content.find(_PEM_END, found.end(), found.end() + _LONGEST_PEM) if found else -1
    return Shaped(found.end(), end, "secret.shape.pem") if found and end > found.end() else None
