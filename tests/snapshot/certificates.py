"""Make certificates for tests."""

from datetime import UTC, datetime, timedelta

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


def certificate_until(end: datetime, name: str = "shop.test") -> bytes:
    """Return a certificate (PEM) for *name*, "" for none, valid for 90 days until *end*."""
    key = ec.generate_private_key(ec.SECP256R1())
    names = [x509.NameAttribute(NameOID.COMMON_NAME, name)] if name else []
    subject = x509.Name(names)
    builder = x509.CertificateBuilder(
        issuer_name=subject,
        subject_name=subject,
        public_key=key.public_key(),
        serial_number=1,
        not_valid_before=end.astimezone(UTC) - timedelta(days=90),
        not_valid_after=end.astimezone(UTC),
    )
    return builder.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)
