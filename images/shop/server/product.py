"""What the shop sells, as values; money is in cents."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """One seller's price for a product."""

    seller: str
    cents: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Product:
    """One product as its pages show it.

    Attributes:
        shown_total_cents: the total printed on the page; None means price plus shipping.
        offers: in catalogue order.
        price_order: positions in `offers` as the sorted view lists them; None means by price.
    """

    id: str
    name: str
    description: str
    list_cents: int
    price_cents: int
    shipping_cents: int
    rating: float
    reviews: int
    stock: int
    dispatch: str
    delivery: str
    offers: tuple[Offer, ...]
    shown_total_cents: int | None = None
    price_order: tuple[int, ...] | None = None

    @property
    def total_cents(self) -> int:
        """The total that the page prints."""
        if self.shown_total_cents is not None:
            return self.shown_total_cents
        return self.price_cents + self.shipping_cents

    @property
    def offers_by_price(self) -> tuple[Offer, ...]:
        """The rows of the sorted view."""
        if self.price_order is not None:
            return tuple(self.offers[position] for position in self.price_order)
        return tuple(sorted(self.offers, key=lambda offer: offer.cents))


def dollars(cents: int) -> str:
    """Write an amount as people read it: `dollars(1234)` is `$12.34`."""
    return f"${cents / 100:,.2f}"
