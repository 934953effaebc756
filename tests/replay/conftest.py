"""A workspace on disk with a small sealed cassette of ``shop/v1``."""

from pathlib import Path

import pytest

from envsvc.adapters.cassette_files import CassetteFiles
from tests.replay_server.cassettes import JSON, cassette, page, recorded

APP = """
app: shop
virtual_host: shop.test
versions: {v1: {url: "http://shop.test"}}
default_tour: none
tours: {none: none.yaml}
"""
PAGES = (
    recorded("http://shop.test/", page(b"<h1>home</h1>")),
    recorded("https://shop.test/", page(b"<h1>secure</h1>")),
    recorded("http://shop.test/api", page(b'{"price":47}', JSON)),
)


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """Give a workspace that holds app ``shop`` with one frozen version."""
    folder = tmp_path / "images" / "shop"
    folder.mkdir(parents=True)
    (folder / "app.yaml").write_text(APP)
    manifest = cassette(PAGES).manifest
    CassetteFiles(tmp_path / "har").write(manifest, PAGES)
    return tmp_path
