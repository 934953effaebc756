"""Cases of kind ``key_pairs``: do two requests ask the same?"""

import pytest

from envsvc.exchange.key import canonical_key
from envsvc.exchange.message import Request
from tests.cases.load import Case, Data, cases

pytestmark = pytest.mark.cases

_BODIES = {
    "JSON request bodies": "application/json",
    "form bodies": "application/x-www-form-urlencoded",
}


def asked(what: str, text: str) -> Request:
    """Return the request of a URL, or of a body of this kind."""
    if what == "GET URLs":
        return Request(method="GET", url=text)
    headers = (("Content-Type", _BODIES[what]),)
    return Request(method="POST", url="http://app.test/", headers=headers, body=text.encode())


PAIRS = [
    pytest.param(case, pair, id=f"{case.id}-{number}")
    for case in cases("key_pairs")
    for number, pair in enumerate(case.input["pairs"])
]


@pytest.mark.parametrize(("case", "pair"), PAIRS)
def test_key_pair(case: Case, pair: Data) -> None:
    """D3: the canonical key says so."""
    what = case.input["what"]
    same = canonical_key(asked(what, pair["a"])) == canonical_key(asked(what, pair["b"]))

    assert same is pair["same"]
