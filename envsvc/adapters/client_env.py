"""The environment that makes a program ask the session's proxy, whatever it is written in."""

from envsvc.adapters.certificates import TRUST_STORE_PASSWORD, CertificateAuthority
from envsvc.exchange.url import split_authority

_PROXY_NAMES = ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "all_proxy", "ALL_PROXY")
_CERTIFICATE_NAMES = (
    "SSL_CERT_FILE",  # OpenSSL, Go, Ruby, Python's ssl and httpx
    "REQUESTS_CA_BUNDLE",  # Python requests
    "CURL_CA_BUNDLE",  # curl
    "GIT_SSL_CAINFO",  # git
    "NODE_EXTRA_CA_CERTS",  # Node.js
    "DENO_CERT",  # Deno
    "AWS_CA_BUNDLE",  # AWS clients
)


def client_environment(
    proxy_url: str, session_id: str, authority: CertificateAuthority
) -> dict[str, str]:
    """Return the variables for clients of one session, to be laid over the usual environment.

    Browsers read no variable for a certificate: ENVSVC_CHROMIUM_ARGS holds the switches for
    Chromium, with the key of our authority instead of "trust anything".
    """
    certificate = str(authority.certificate_path)
    host, port = split_authority(proxy_url.partition("://")[2])
    java = {
        "http.proxyHost": host,
        "http.proxyPort": port,
        "https.proxyHost": host,
        "https.proxyPort": port,
        "http.nonProxyHosts": "",
        "javax.net.ssl.trustStore": str(authority.java_trust_store()),
        "javax.net.ssl.trustStoreType": "PKCS12",
        "javax.net.ssl.trustStorePassword": TRUST_STORE_PASSWORD,
    }
    return {
        **dict.fromkeys(_PROXY_NAMES, proxy_url),
        **dict.fromkeys(("no_proxy", "NO_PROXY"), ""),
        **dict.fromkeys(_CERTIFICATE_NAMES, certificate),
        "NODE_USE_ENV_PROXY": "1",
        "JAVA_TOOL_OPTIONS": " ".join(f"-D{name}={value}" for name, value in java.items()),
        "ENVSVC_PROXY": proxy_url,
        "ENVSVC_SESSION": session_id,
        "ENVSVC_CA_CERT": certificate,
        "ENVSVC_CHROMIUM_ARGS": " ".join(chromium_arguments(proxy_url, authority)),
    }


def chromium_arguments(proxy_url: str, authority: CertificateAuthority) -> tuple[str, ...]:
    """Return the switches that send Chromium through the proxy, loopback hosts included."""
    return (
        f"--proxy-server={proxy_url}",
        "--proxy-bypass-list=<-loopback>",
        f"--ignore-certificate-errors-spki-list={authority.public_key_hash}",
    )
