"""Cases of kinds ``roundtrip``, ``roundtrip_value``, ``yaml_text`` and ``names``."""

from pathlib import Path

import pytest

from tests.cases.load import Case, cases
from tests.cases.store_check import (
    check_names,
    check_roundtrip,
    check_roundtrip_value,
    check_yaml_text,
)

pytestmark = [pytest.mark.cases, pytest.mark.loopback]


@pytest.mark.parametrize("case", cases("roundtrip"), ids=lambda case: case.id)
def test_roundtrip(case: Case, tmp_path: Path, ca_folder: Path) -> None:
    """What goes into the store comes out, within bounds."""
    check_roundtrip(case, tmp_path, ca_folder)


@pytest.mark.parametrize("case", cases("roundtrip_value"), ids=lambda case: case.id)
def test_roundtrip_value(case: Case, tmp_path: Path, ca_folder: Path) -> None:
    """A value is the same after it was stored."""
    check_roundtrip_value(case, tmp_path, ca_folder)


@pytest.mark.parametrize("case", cases("yaml_text"), ids=lambda case: case.id)
def test_yaml_text(case: Case) -> None:
    """Plain words are texts, whatever YAML 1.1 makes of them."""
    check_yaml_text(case)


@pytest.mark.parametrize("case", cases("names"), ids=lambda case: case.id)
def test_names(case: Case) -> None:
    """No name of an app becomes an unsafe file."""
    check_names(case)
