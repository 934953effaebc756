"""Cases of kind ``redact``: nothing of a secret is in anything that is stored."""

from pathlib import Path

import pytest

from tests.cases.load import Case, cases
from tests.cases.redact_check import check_redact

pytestmark = [pytest.mark.cases, pytest.mark.loopback]


@pytest.mark.parametrize("case", cases("redact"), ids=lambda case: case.id)
def test_redact(case: Case, tmp_path: Path, ca_folder: Path) -> None:
    """D9: no secret is in a stored byte in any encoding, and what was scrubbed still matches."""
    check_redact(case, tmp_path / "store", ca_folder)
