"""Look through everything that is stored for a secret, in whatever way it may be written.

Nothing of the product is used: what it forgets to look for must be found here.
"""

import base64
import html
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote_to_bytes

_DEPTH = 3  # an encoding within an encoding within an encoding
_BASE64 = re.compile(rb"[A-Za-z0-9+/_-]{6,}")
_HEX = re.compile(rb"(?:[0-9A-Fa-f]{2}){4,}")
_ESCAPES = re.compile(rb"\\(?:u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}|.)")
_SHORT = {b"n": b"\n", b"r": b"\r", b"t": b"\t"}


def readings(content: bytes, depth: int = _DEPTH) -> Iterator[bytes]:
    """Yield *content*, and what it and its pieces mean in every encoding that is known here."""
    yield content
    if depth:
        for decoded in {one for one in _decoded(content) if one != content}:
            yield from readings(decoded, depth - 1)


def _decoded(content: bytes) -> Iterator[bytes]:
    yield unquote_to_bytes(content)
    yield unquote_to_bytes(content.replace(b"+", b" "))
    yield html.unescape(content.decode("latin-1")).encode("latin-1", "ignore")
    yield _ESCAPES.sub(_unescaped, content)
    yield b"\n".join(_packed(content))


def _unescaped(match: re.Match[bytes]) -> bytes:
    text = match[0]
    if len(text) > 2:
        return chr(int(text[2:].decode(), base=16)).encode(errors="replace")
    return _SHORT.get(text[1:], text[1:])


def _packed(content: bytes) -> Iterator[bytes]:
    """Yield what every run of base64 or hex holds, wherever in the run it begins."""
    for match in _BASE64.finditer(content):
        run = match[0].translate(bytes.maketrans(b"-_", b"+/"))
        for offset in range(4):
            piece = run[offset:]
            yield base64.b64decode(piece[: len(piece) // 4 * 4] + _rest(piece))
    for match in _HEX.finditer(content):
        yield bytes.fromhex(match[0].decode())


def _rest(piece: bytes) -> bytes:
    """Return the characters after the last whole group, filled up; b"" if they mean nothing."""
    rest = piece[len(piece) // 4 * 4 :]
    return rest + b"=" * (4 - len(rest)) if len(rest) > 1 else b""


def where_found(folder: Path, secret: str) -> list[str]:
    """Return the files below *folder* of which a reading or the name holds *secret*."""
    sought = secret.encode()
    return [
        str(path.relative_to(folder))
        for path in sorted(folder.rglob("*"))
        if secret in path.name
        or (path.is_file() and any(sought in one for one in readings(path.read_bytes())))
    ]
