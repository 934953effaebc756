"""Name the body files of a cassette: by content, with an ending that viewers understand."""

import hashlib
import re

BODIES_FOLDER = "bodies"

_ENDINGS = {
    "text/html": "html",
    "text/css": "css",
    "text/plain": "txt",
    "text/event-stream": "txt",
    "text/javascript": "js",
    "application/javascript": "js",
    "application/json": "json",
    "application/xml": "xml",
    "text/xml": "xml",
    "image/svg+xml": "svg",
    "image/png": "png",
    "image/jpeg": "jpg",
    "image/gif": "gif",
    "image/webp": "webp",
    "image/x-icon": "ico",
    "font/woff2": "woff2",
    "application/pdf": "pdf",
    "application/wasm": "wasm",
}
_BODY_PATH = re.compile(BODIES_FOLDER + r"/[0-9a-f]{64}\.[a-z0-9]{1,8}")


def body_path(body: bytes, kind: str) -> str:
    """Return the path of *body* in its cassette: ``bodies/<sha256>.<ending of the media type>``."""
    return f"{BODIES_FOLDER}/{hashlib.sha256(body).hexdigest()}.{_ENDINGS.get(kind, 'bin')}"


def is_body_path(path: str) -> bool:
    """Say whether *path* can only name a body file inside the cassette's own folder."""
    return _BODY_PATH.fullmatch(path) is not None


def digest_in(path: str) -> str:
    """Return the SHA-256 that a body path promises, in hexadecimal."""
    return path.removeprefix(f"{BODIES_FOLDER}/").partition(".")[0]
