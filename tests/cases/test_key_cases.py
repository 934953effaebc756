"""Cases of kind ``key_pairs``: do two requests ask the same?"""

from pathlib import Path

import pytest

from tests.cases.key_check import check_key_pairs
from tests.cases.load import Case, cases

pytestmark = pytest.mark.cases


@pytest.mark.parametrize("case", cases("key_pairs"), ids=lambda case: case.id)
def test_key_pairs(case: Case, tmp_path: Path) -> None:
    """D3: what was recorded answers the other of a pair exactly if both mean the same."""
    check_key_pairs(case, tmp_path)
