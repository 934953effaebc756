"""Judge a product page by its visible text alone: does it agree with itself?

Every check is a pure function from text to problems and knows nothing about the shop but how
its sentences read.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

AMOUNT = r"\$([\d,]+\.\d\d)"
TOTAL = re.compile(rf"Price {AMOUNT} \+ shipping {AMOUNT} = total {AMOUNT}")
DISCOUNT = re.compile(rf"List price {AMOUNT}, now {AMOUNT}")
RATING = re.compile(r"Rating (-?[\d.]+) of (\d+)")
STOCK = re.compile(r"Stock: (-?\d+) pieces")
DATES = re.compile(r"Dispatch (\d{4}-\d\d-\d\d), delivery (\d{4}-\d\d-\d\d)")
# A table row as a browser gives its text: cells with a tab between them.
OFFER = re.compile(rf"^([^\t\n]+)\t{AMOUNT}$", re.MULTILINE)
SORTED_CLAIM = "sorted by price, lowest first"


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One contradiction, with the words that show it."""

    kind: str
    evidence: str


def problems(text: str) -> list[Problem]:
    """Return every contradiction inside one page."""
    return [problem for check in PAGE_CHECKS for problem in check(text)]


def wrong_totals(text: str) -> Iterator[Problem]:
    """Find totals that are not price plus shipping."""
    for match in TOTAL.finditer(text):
        price, shipping, total = map(amount, match.groups())
        if price + shipping != total:
            yield Problem(kind="wrong_total", evidence=match[0])


def raised_discounts(text: str) -> Iterator[Problem]:
    """Find prices above the list price that they are said to lower."""
    for match in DISCOUNT.finditer(text):
        list_price, price = map(amount, match.groups())
        if price > list_price:
            yield Problem(kind="price_above_list", evidence=match[0])


def impossible_ratings(text: str) -> Iterator[Problem]:
    """Find ratings outside their own scale."""
    for match in RATING.finditer(text):
        if not 0 <= Decimal(match[1]) <= Decimal(match[2]):
            yield Problem(kind="rating_out_of_range", evidence=match[0])


def negative_stock(text: str) -> Iterator[Problem]:
    """Find stocks below zero."""
    for match in STOCK.finditer(text):
        if int(match[1]) < 0:
            yield Problem(kind="negative_stock", evidence=match[0])


def early_deliveries(text: str) -> Iterator[Problem]:
    """Find deliveries before their dispatch."""
    for match in DATES.finditer(text):
        if date.fromisoformat(match[2]) < date.fromisoformat(match[1]):
            yield Problem(kind="delivery_before_dispatch", evidence=match[0])


def unsorted_offers(text: str) -> Iterator[Problem]:
    """Find offers out of order on a page that says they are sorted."""
    rows = offer_rows(text)
    prices = [amount(price) for _, price in rows]
    if SORTED_CLAIM in text and prices != sorted(prices):
        listed = ", ".join(f"{seller} ${price}" for seller, price in rows)
        yield Problem(kind="offers_not_sorted", evidence=listed)


def changed_offers(default_text: str, sorted_text: str) -> Iterator[Problem]:
    """Find offers that only one of a product's two views shows."""
    difference = set(offer_rows(default_text)) ^ set(offer_rows(sorted_text))
    if difference:
        listed = ", ".join(f"{seller} ${price}" for seller, price in sorted(difference))
        yield Problem(kind="offers_differ", evidence=f"Only in one view: {listed}")


def offer_rows(text: str) -> list[tuple[str, str]]:
    """Return seller and price of each offer, in the order of the page."""
    return [(match[1], match[2]) for match in OFFER.finditer(text)]


def amount(text: str) -> Decimal:
    """Read an amount such as `1,234.50`."""
    return Decimal(text.replace(",", ""))


PAGE_CHECKS: tuple[Callable[[str], Iterator[Problem]], ...] = (
    wrong_totals,
    raised_discounts,
    impossible_ratings,
    negative_stock,
    early_deliveries,
    unsorted_offers,
)
