"""The demo shop: running live, and recorded anew with ``envsvc record`` of this very version."""

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from envsvc.adapters.app_process import LocalApps
from envsvc.adapters.workspace import AppVersion, Workspace
from tests.bench.servers import ENVSVC, Place

APP = "shop/v1"
TOUR = "default-views"
_SOURCE = Path(__file__).parents[2] / "images" / "shop"
_RECORD_TIMEOUT_S = 120


def shop_in(place: Place) -> AppVersion:
    """Return the shop as the bench's workspace has it: copied from this repository."""
    folder = place.workspace / "images" / "shop"
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(_SOURCE, folder, ignore=ignored, dirs_exist_ok=True)
    return Workspace(place.workspace).resolve(APP)


def record_shop(place: Place) -> Path:
    """Record the tour as people do and return the cassette's folder. Raises: RuntimeError."""
    shop = shop_in(place)
    words = ["record", "--app", APP, "--tour", TOUR, "--discard"]
    done = subprocess.run(
        [*ENVSVC, "--workspace", place.workspace, *words],
        capture_output=True,
        text=True,
        timeout=_RECORD_TIMEOUT_S,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"envsvc record gave {done.returncode}: {done.stdout}{done.stderr}")
    return place.workspace / "har" / shop.spec.app / shop.version


@contextmanager
def live_shop(place: Place) -> Iterator[str]:
    """Run the shop until left; give its ``host:port``."""
    shop = shop_in(place)
    apps = LocalApps(shop.folder, place.log("shop"))
    with apps.start(shop.spec, shop.version) as app:
        yield f"{app.address.host}:{app.address.port}"
