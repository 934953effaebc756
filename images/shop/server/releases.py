"""What each release of the shop shows differently from the catalogue, defects included."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from server.catalogue import CATALOGUE
from server.product import Product

RELEASES: Mapping[str, Mapping[str, Mapping[str, Any]]] = {
    "v1": {
        "p03": {"shown_total_cents": 5090},
        "p05": {"price_order": (1, 0, 2, 3)},
        "p07": {"price_cents": 3100},
        "p10": {"price_order": (1, 0, 2)},
    },
    "v2": {
        "p02": {"description": "A light mug, glazed twice, for camp fires and kitchens."},
        "p03": {"shown_total_cents": 5090},
        "p09": {"rating": 6.2},
        "p10": {"price_order": (1, 0, 2)},
        "p12": {"stock": -4},
    },
}


def products_of(version: str) -> dict[str, Product]:
    """Return the products of one release by id, in catalogue order.

    Raises:
        KeyError: there is no such release.
    """
    changes = RELEASES[version]
    return {item.id: replace(item, **changes.get(item.id, {})) for item in CATALOGUE}
