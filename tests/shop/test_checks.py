"""Each check finds its own contradiction, and only that."""

import pytest

from checks import changed_offers, problems

GOOD_PAGE = """Walnut tea tray
List price $1,045.00, now $1,039.00
Price $1,039.00 + shipping $4.90 = total $1,043.90
Rating 4.3 of 5 (128 reviews)
Stock: 0 pieces
Dispatch 2025-11-03, delivery 2025-11-03
Seller\tOffer
North Depot\t$41.50
Mill Lane\t$39.00
"""
SORTED_PAGE = """All offers, sorted by price, lowest first
Seller\tOffer
Mill Lane\t$39.00
North Depot\t$41.50
"""


def test_a_page_that_agrees_with_itself_has_no_problem() -> None:
    """Edge values such as an empty stock and a same-day delivery are fine."""
    assert problems(GOOD_PAGE) == []


@pytest.mark.parametrize(
    ("right", "wrong", "kind"),
    [
        ("total $1,043.90", "total $1,043.80", "wrong_total"),
        ("now $1,039.00", "now $1,045.01", "price_above_list"),
        ("Rating 4.3 of 5", "Rating 6.2 of 5", "rating_out_of_range"),
        ("Rating 4.3 of 5", "Rating -1 of 5", "rating_out_of_range"),
        ("Stock: 0", "Stock: -4", "negative_stock"),
        ("delivery 2025-11-03", "delivery 2025-11-02", "delivery_before_dispatch"),
    ],
)
def test_one_contradiction_is_one_problem_of_its_kind(right: str, wrong: str, kind: str) -> None:
    """Breaking one sentence of a good page gives exactly one problem."""
    broken = GOOD_PAGE.replace(right, wrong)

    assert [problem.kind for problem in problems(broken)] == [kind]


def test_evidence_quotes_the_page() -> None:
    """The evidence is the sentence as the page shows it."""
    (problem,) = problems(GOOD_PAGE.replace("Stock: 0", "Stock: -4"))

    assert problem.evidence == "Stock: -4 pieces"


def test_offers_in_price_order_keep_the_promise() -> None:
    """A page that says it is sorted, and is, has no problem."""
    assert problems(SORTED_PAGE) == []


def test_offers_out_of_order_break_the_promise() -> None:
    """A page that says it is sorted, and is not, has one."""
    (problem,) = problems(SORTED_PAGE.replace("$39.00", "$49.00"))

    assert problem.kind == "offers_not_sorted"


def test_views_with_the_same_offers_agree() -> None:
    """The order of the offers may differ between views."""
    assert list(changed_offers(GOOD_PAGE, SORTED_PAGE)) == []


def test_an_offer_in_one_view_only_is_named() -> None:
    """The evidence names the offer that one view lacks."""
    (problem,) = changed_offers(GOOD_PAGE, SORTED_PAGE.replace("North Depot\t$41.50\n", ""))

    assert problem.evidence == "Only in one view: North Depot $41.50"
