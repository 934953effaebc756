"""``envsvc certify``: does a changed cassette still pass its own tours?"""

from pathlib import Path

import msgspec
import pytest

from envsvc.adapters.cassette_files import CassetteFiles
from envsvc.cassette.manifest import Manifest, TourRecord
from tests.cli.conftest import Envsvc
from tests.contracts.samples import EXCHANGES, manifest

pytestmark = pytest.mark.process


def record(folder: Path, *tours: str) -> Manifest:
    """Write a cassette without certificate that *tours* are said to have made."""
    made = tuple(TourRecord(name=name, sha256="", steps=1) for name in tours)
    return CassetteFiles(folder / "har").write(
        msgspec.structs.replace(manifest(), tours=made), EXCHANGES
    )


def test_a_cassette_without_tours_is_asked_for_all_it_holds(
    envsvc: Envsvc, cassette: Manifest, tmp_path: Path
) -> None:
    """D8: nothing missed and no way out gives the certificate, and with it a new digest."""
    before = record(tmp_path)
    ran = envsvc("certify", "--app", "shop/v1", "--json")

    assert ran.code == 0
    assert (ran.json["certified"], ran.json["requests"]) == (True, 4)
    assert ran.json["digest"] != before.digest
    assert envsvc("verify", "--app", "shop/v1", "--json").json["certified"] is True


@pytest.mark.browser
def test_a_tour_that_fails_is_written_and_named(
    envsvc: Envsvc, cassette: Manifest, tmp_path: Path
) -> None:
    """D8: exit code 1, the failed step in words, the cassette marked."""
    (tmp_path / "images/shop/tours/lost.yaml").write_text(
        "name: lost\nsteps:\n  - goto: /never-recorded\n"
    )
    described = tmp_path / "images/shop/app.yaml"
    described.write_text(
        described.read_text().replace("tours:\n", "tours:\n  lost: tours/lost.yaml\n")
    )
    record(tmp_path, "lost")
    ran = envsvc("certify", "--app", "shop/v1")

    assert ran.code == 1
    assert "http://shop.test/never-recorded" in ran.err
    assert envsvc("verify", "--app", "shop/v1", "--json").json["certified"] is False
