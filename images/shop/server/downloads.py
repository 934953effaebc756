"""Files: the manual, served in ranges, and a picture per product."""

import os
import struct
import zlib
from hashlib import sha256
from pathlib import Path

from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Route

from server.site import render, site_of

MANUAL_BYTES = 200_000
# Older than any run: the file's ETag is made of its time and size and must not change.
MANUAL_TIME_S = 1_735_689_600
PICTURE_PIXELS = 48


def write_manual(folder: Path) -> Path:
    """Write the manual, the same bytes every time, and return its path."""
    path = folder / "manual.bin"
    blocks = (sha256(str(number).encode()).digest() for number in range(MANUAL_BYTES // 32))
    path.write_bytes(b"".join(blocks))
    os.utime(path, (MANUAL_TIME_S, MANUAL_TIME_S))
    return path


async def manual_page(request: Request) -> Response:
    """Show the page whose script reads two parts of the manual."""
    return render(request, "manual.html")


async def manual(request: Request) -> Response:
    """Send the manual, or the ranges asked for."""
    return FileResponse(site_of(request).manual, media_type="application/octet-stream")


async def picture(request: Request) -> Response:
    """Send a product's picture."""
    item = site_of(request).product(request.path_params["product"])
    headers = {"Cache-Control": "max-age=3600"}
    return Response(png(item.id), media_type="image/png", headers=headers)


def png(name: str) -> bytes:
    """Draw diagonal stripes in two colours that *name* decides."""
    digest = sha256(name.encode()).digest()
    colours = digest[:3], digest[3:6]
    rows = (
        # Each row starts with its filter type, 0.
        b"\0" + b"".join(colours[(x + y) // 8 % 2] for x in range(PICTURE_PIXELS))
        for y in range(PICTURE_PIXELS)
    )
    header = struct.pack(">IIBBBBB", PICTURE_PIXELS, PICTURE_PIXELS, 8, 2, 0, 0, 0)
    chunks = (b"IHDR", header), (b"IDAT", zlib.compress(b"".join(rows))), (b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunk(kind, data) for kind, data in chunks)


def chunk(kind: bytes, data: bytes) -> bytes:
    """Wrap one PNG chunk (PNG specification 5.3)."""
    checksum = zlib.crc32(kind + data)
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", checksum)


routes = [
    Route("/manual", manual_page),
    Route("/files/manual.bin", manual),
    Route("/images/{product}.png", picture),
]
