"""Cases of kind ``exchange``: record, then ask a real server, and look at every byte."""

from pathlib import Path

import pytest

from tests.cases.exchange_check import check_exchange
from tests.cases.load import Case, cases

pytestmark = [pytest.mark.cases, pytest.mark.loopback]

# Whether answers leak into a recording is asked of the leak scan, which is not part of replay.
REPLAYED = [case for case in cases("exchange") if "answers" not in case.input]


@pytest.mark.parametrize("case", REPLAYED, ids=lambda case: case.id)
def test_exchange(case: Case, tmp_path: Path, ca_folder: Path) -> None:
    """Each request ends as the case says, with the answer that it says."""
    check_exchange(case, tmp_path, ca_folder)
