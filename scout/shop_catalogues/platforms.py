"""Which software a shop runs on, as its pages tell, and where it gives its catalogue."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from urllib.parse import urljoin

from scout.page import Page
from scout.shop_catalogues import shopify, woocommerce
from scout.shop_catalogues.model import CatalogueAnswer, CataloguePage
from scout.values.tables import table

_READERS: Mapping[str, Callable[[CatalogueAnswer], CataloguePage | None]] = {
    "shopify": shopify.read,
    "woocommerce": woocommerce.read,
}


@dataclass(frozen=True)
class Platform:
    """Software that gives a catalogue."""

    name: str
    signs: tuple[str, ...]
    path: str
    most: int
    read: Callable[[CatalogueAnswer], CataloguePage | None]

    def first_url(self, page_url: str) -> str:
        """Where the catalogue of the shop with this page begins."""
        return urljoin(page_url, f"/{self.path}")


@cache
def platforms() -> tuple[Platform, ...]:
    """All that there are."""
    rows = table("shop_catalogues").items()
    return tuple(
        Platform(name, tuple(row["signs"]), row["path"], row["most"], _READERS[row["reader"]]) for name, row in rows
    )


def recognise(page: Page) -> Platform | None:
    """The software that the page tells; None where it tells none that gives a catalogue."""
    return next((each for each in platforms() if any(sign in page.html for sign in each.signs)), None)
