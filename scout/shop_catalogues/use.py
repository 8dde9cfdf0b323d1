"""What a crawl makes of a shop's catalogue: how far it is, which products have their pages read, and what is said about it."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterator, Mapping
from enum import Enum
from typing import Any

from scout.shop_catalogues.comparison import (
    CatalogueComparison,
    choose_sample,
    compare,
    has_price,
    is_price_of,
)
from scout.shop_catalogues.model import CatalogueProduct
from scout.shop_catalogues.reading import CatalogueReading, path_of
from scout.url_rules import page_key

logger = logging.getLogger(__name__)


class Stage(Enum):
    """How far the crawl is with the catalogue."""

    OFF = "off"  # there is none, or it is not believed: the walk knows nothing of it
    READING = "reading"
    COMPARING = "comparing"
    COMPLETING = "completing"  # it is believed, and the pages of products are read for which it does not suffice
    USED = "used"  # its products are offers


class CatalogueUse:
    """The one place that knows what is read of a catalogue, what pages say of it, and what follows. No I/O."""

    def __init__(self) -> None:
        self.stage = Stage.OFF
        self.comparison: CatalogueComparison | None = None
        self._reading: CatalogueReading | None = None
        self._sample: dict[str, CatalogueProduct] = {}  # by the place of its page
        self._offers: dict[str, Mapping[str, Any]] = {}  # of the sample's pages, by the product's key
        self._given = 0
        self._stored: set[str] = set()  # paths and whole addresses of offers that came through the pipelines
        self._lacking: set[str] = set()  # addresses of what lists show as products and the catalogue lacks
        self._unlisted: set[str] = set()  # keys of products that no list shows, perhaps hidden ones: their pages tell
        self._unpriced: set[str] = set()  # keys of products whose price it lacks

    @property
    def is_under_way(self) -> bool:
        """Whether pages wait for the catalogue."""
        return self.stage in (Stage.READING, Stage.COMPARING, Stage.COMPLETING)

    @property
    def reading(self) -> CatalogueReading:
        """What is read of the catalogue."""
        assert self._reading is not None
        return self._reading

    def is_reading(self, reading: CatalogueReading | None) -> bool:
        """Whether this is what the catalogue is read into."""
        return self._reading is reading

    def begin(self, reading: CatalogueReading) -> None:
        """The catalogue is read into this; an earlier one gave nothing."""
        self.stage, self._reading = Stage.READING, reading

    def begin_comparison(self, size: int, seed: str) -> list[CatalogueProduct]:
        """The catalogue is read: the products whose pages it is compared with; none where all pages are read already."""
        reading = self.reading
        sample = choose_sample([each for each in reading.products.values() if not self._is_read(each)], size, seed)
        self._sample = {reading.place(product.url): product for product in sample}
        self.stage = Stage.COMPARING if sample else Stage.OFF
        return sample

    def needs_page(self, url: str, price: str | None) -> bool:
        """Whether a page that a list shows with this price must be seen: the catalogue lacks the product, or does not suffice for it, the
        list contradicts its price, or it is of the sample."""
        if self.stage in (Stage.OFF, Stage.READING):
            return self.stage is Stage.OFF
        product = self.reading.product_at(url)
        if product is None:
            self._lacking.add(page_key(url))
            return True
        if self._is_left_to_pages(product) or self.stage is not Stage.COMPARING:
            return self._is_left_to_pages(product)
        where = self.reading.place(product.url)
        if price is not None and not is_price_of(product, price):
            self._sample[where] = product
        return where in self._sample

    def take_offer(self, offer: Mapping[str, Any]) -> None:
        """An offer that came through the pipelines: of the sample, perhaps, or of the catalogue itself."""
        if offer.get("parent"):
            return
        for url in (offer["url"], *offer.get("urls", ())):
            self._stored |= {path_of(url), page_key(url)}
            if self.stage is Stage.COMPARING and (product := self._sample.get(self.reading.place(url))):
                self._offers[product.key] = offer

    def judge(self, listed: Collection[str]) -> Stage:
        """All pages that were asked for are read: what follows. `listed` are the keys of products that wait, because lists show them."""
        if self.stage is Stage.COMPARING:
            self.comparison = compare(self._sample.values(), self._offers)
            logger.info("The shop's %s catalogue: %s", self.reading.platform.name, self.comparison)
            self._leave_some_to_pages({*listed, *self._offers})
            is_believed = self.comparison.is_of_shop and not self.comparison.from_pages
            is_enough = not self._unpriced and not self._unlisted
            self.stage = Stage.OFF if not is_believed else Stage.USED if is_enough else Stage.COMPLETING
        else:
            self.stage = Stage.USED
        return self.stage

    def _leave_some_to_pages(self, listed: Collection[str]) -> None:
        """Leave it to their pages what products without a price cost, and whether those that no list shows are sold."""
        open_ones = [product for product in self.reading.products.values() if not self._is_read(product)]
        self._unpriced = {product.key for product in open_ones if not has_price(product)}
        if any(product.key in listed for product in open_ones):  # else its lists cannot be read
            self._unlisted = {product.key for product in open_ones if product.key not in listed}

    def pages_to_read(self) -> list[str]:
        """The pages of products that no list leads to: all, where the catalogue is this shop's and not believed."""
        products = self.reading.products.values()
        if self.stage is Stage.COMPLETING:
            return [product.url for product in products if product.key in self._unlisted]
        return [product.url for product in products if self.comparison is not None and self.comparison.is_of_shop]

    def used_products(self) -> Iterator[tuple[CatalogueProduct, Mapping[str, Any] | None]]:
        """The products of which the catalogue gives the offer; beside those whose page was read for the comparison, its offer."""
        for product in self.reading.products.values():
            if self._is_left_to_pages(product):
                continue
            if not self._is_read(product):
                self._given += 1
                yield product, None
            elif product.key in self._offers:
                yield product, self._offers[product.key]

    def is_stored(self, url: str) -> bool:
        """Whether the offer at this address came through the pipelines."""
        return self.reading.place(url) in self._stored

    def _is_read(self, product: CatalogueProduct) -> bool:
        """Whether its page has given its offer."""
        return product.key in self._offers or self.is_stored(product.url)

    def _is_left_to_pages(self, product: CatalogueProduct) -> bool:
        return product.key in self._unpriced or product.key in self._unlisted

    def __str__(self) -> str:
        """What came from the catalogue and what did not, in numbers; nothing where it was not compared."""
        made = self.comparison
        if made is None:
            return ""
        name = f"its {self.reading.platform.name} catalogue"
        if not made.is_of_shop:
            return f"{name} was not used ({made})"
        if made.from_pages:
            return f"{name} gave addresses only ({made})"
        return f"{name} gave {self._given:,} of them in {self.reading.pages} answers ({'; '.join(self._details(made))})"

    def _details(self, made: CatalogueComparison) -> Iterator[str]:
        yield str(made)
        if self.reading.flaw:
            yield f"not all of it: {self.reading.flaw}"
        counts = {
            "{:,} products came twice": self.reading.repeated,
            "{:,} that lists show are not in it": len(self._lacking),
            "left to pages: {:,} that no list shows": len(self._unlisted),
            "left to pages: {:,} without a price": len(self._unpriced),
        }
        yield from (said.format(count) for said, count in counts.items() if count)
