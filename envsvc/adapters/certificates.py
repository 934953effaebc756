"""The one certificate authority of recording and replay, kept in the user's own folder."""

import base64
import hashlib
import ipaddress
import os
import ssl
from functools import lru_cache
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.serialization import pkcs12
from mitmproxy.certs import CertStore

# mitmproxy names its files so; sharing the name lets its recorder use the same authority.
_BASENAME = "mitmproxy"
_KEY_BITS = 2048
# Java refuses a trust store without a password; it guards a public certificate.
TRUST_STORE_PASSWORD = "changeit"  # noqa: S105


def home_folder() -> Path:
    """Return the folder of everything that outlives a command: $ENVSVC_HOME or ~/.envsvc."""
    return Path(os.environ.get("ENVSVC_HOME") or Path.home() / ".envsvc")


class CertificateAuthority:
    """Signs a certificate for any host, so that clients who trust it can be answered over TLS."""

    def __init__(self, folder: Path | None = None) -> None:
        """Open the authority in *folder* (default: the user's), making it on first use."""
        self.folder = folder or home_folder() / "ca"
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._store = CertStore.from_store(self.folder, _BASENAME, _KEY_BITS)
        self.server_context = lru_cache(maxsize=1024)(self._make_server_context)

    @property
    def certificate_path(self) -> Path:
        """Return the PEM file that clients are told to trust."""
        return self.folder / f"{_BASENAME}-ca-cert.pem"

    @property
    def public_key_hash(self) -> str:
        """Return the base64 SHA-256 of its public key, as Chromium's SPKI list wants it."""
        certificate = x509.load_pem_x509_certificate(self.certificate_path.read_bytes())
        key = certificate.public_key().public_bytes(
            serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
        )
        return base64.b64encode(hashlib.sha256(key).digest()).decode()

    def java_trust_store(self) -> Path:
        """Return a PKCS #12 file for ``javax.net.ssl.trustStore``, making it on first use."""
        path = self.folder / "trust.p12"
        if not path.exists():
            certificate = x509.load_pem_x509_certificate(self.certificate_path.read_bytes())
            content = pkcs12.serialize_java_truststore(
                [pkcs12.PKCS12Certificate(certificate, b"envsvc")],
                serialization.BestAvailableEncryption(TRUST_STORE_PASSWORD.encode()),
            )
            path.write_bytes(content)
        return path

    def _make_server_context(self, host: str) -> ssl.SSLContext:
        entry = self._store.get_cert(host, [_general_name(host)])
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.set_alpn_protocols(["http/1.1"])
        leaf = self.folder / "leaves"
        leaf.mkdir(exist_ok=True, mode=0o700)
        path = leaf / f"{hashlib.sha256(host.encode()).hexdigest()}.{os.getpid()}.pem"
        key = entry.privatekey.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.TraditionalOpenSSL,
            serialization.NoEncryption(),
        )
        path.touch(mode=0o600)
        path.write_bytes(key + entry.cert.to_pem() + self.certificate_path.read_bytes())
        try:
            context.load_cert_chain(path)
        finally:
            path.unlink()
        return context


def _general_name(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(host.strip("[]")))
    except ValueError:
        return x509.DNSName(host)
