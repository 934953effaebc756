"""Find what in a snapshot ends by itself, and say what a later date does to it (D15)."""

import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime

import msgspec
from cryptography import x509

_CERTIFICATE = re.compile(rb"-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----", re.DOTALL)
# What a system trusts is no concern of the app, and some of it has ended in every image.
_TRUST_STORES = re.compile(
    r"(?:^|/)(?:etc/ssl/certs|etc/pki|usr/(?:local/)?share/ca-certificates|certifi|cacerts?)(?:/|$)"
    r"|(?:^|/)(?:ca-certificates\.crt|ca-bundle\.\w+|cacert\.pem)$"
)
ADVICE = (
    "Give the app the time of the snapshot (libfaketime in its image), or make a new snapshot: "
    "envsvc snapshot freeze"
)
"""What helps against a date that a snapshot was not made for."""


class Expiry(msgspec.Struct, frozen=True, kw_only=True):
    """A thing in a snapshot that is no longer valid after ``ends_at`` (RFC 3339)."""

    what: str
    ends_at: str


def certificates_in(path: str, content: bytes) -> Iterator[Expiry]:
    """Yield each certificate (PEM, RFC 7468) in a file; none of the stores of trusted ones.

    What is marked as a certificate and is none is not yielded.
    """
    if _TRUST_STORES.search(path):
        return
    for block in _CERTIFICATE.findall(content):
        try:
            certificate = x509.load_pem_x509_certificate(block)
        except ValueError:
            continue
        name = certificate.subject.rfc4514_string() or "without a name"
        ends_at = certificate.not_valid_after_utc.isoformat().replace("+00:00", "Z")
        yield Expiry(what=f"certificate {name} in {path}", ends_at=ends_at)


def ended(expiries: Iterable[Expiry], now_us: int) -> list[str]:
    """Return a sentence for each of *expiries* that is over at *now_us*, in their order."""
    now = datetime.fromtimestamp(now_us / 1_000_000, UTC)
    return [
        f"{one.what} ended on {one.ends_at}"
        for one in expiries
        if datetime.fromisoformat(one.ends_at) <= now
    ]


def age_days(recorded_at: str, now_us: int) -> int:
    """Return how many whole days before *now_us* a moment in RFC 3339 was; never below 0."""
    now = datetime.fromtimestamp(now_us / 1_000_000, UTC)
    return max(0, (now - datetime.fromisoformat(recorded_at)).days)
