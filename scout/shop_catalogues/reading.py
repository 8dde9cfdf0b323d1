"""All answers of one catalogue together: each product once, bounded, with what is wrong with it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

from scout.shop_catalogues.model import CatalogueAnswer, CatalogueProduct
from scout.shop_catalogues.platforms import Platform
from scout.url_rules import page_key

MAX_PAGES = 2_000  # of one catalogue: an endless one ends here


class CatalogueReading:
    """What was read of a catalogue so far. `flaw` says why it is not all of it; None where it came to its end."""

    def __init__(self, platform: Platform, url: str) -> None:
        self.platform = platform
        self.products: dict[str, CatalogueProduct] = {}
        self.pages = 0
        self.repeated = 0  # products that came once more
        self.total: int | None = None
        self.flaw: str | None = None
        self.first_url = url
        self._variants: dict[str, list[Mapping[str, Any]]] = {}
        self._asked = {url}
        self._further: list[str] = []
        self._places: set[str] = set()

    def add(self, url: str, body: bytes, headers: Mapping[str, str]) -> str | None:
        """Take an answer; the address to ask next, None where the catalogue is at its end."""
        self.pages += 1
        try:
            page = self.platform.read(CatalogueAnswer(url, json.loads(body), headers))
        except (ValueError, RecursionError):  # no JSON, a nest that is too deep, a number of 5,000 digits
            page = None
        if page is None:
            self.fail("an answer is no catalogue")
            return None
        new = self._taken(page.products)
        for key, variant in page.variants:
            self._variants.setdefault(key, []).append(variant)
        self.total = page.total if page.total is not None else self.total
        self._further += [address for address in page.further if address not in self._further]
        if page.products and not new:
            self.fail("its pages repeat")
            return None
        if page.next_url and (len(self.products) >= self.platform.most or self.pages >= MAX_PAGES):
            self.fail(f"it gives {len(self.products):,} products and no more")
            return None
        return self._next(page.next_url)

    def fail(self, flaw: str) -> None:
        """The catalogue ends before its end."""
        self.flaw = self.flaw or flaw

    def end(self, is_own: Callable[[CatalogueProduct], bool] = lambda product: True) -> None:
        """All that can be had is there: products get their variants, a stated total is compared, and what is not the shop's own goes."""
        for key, variants in self._variants.items():
            if key in self.products:
                self.products[key] = replace(self.products[key], variants=tuple(variants))
        self._variants.clear()
        self._places = {place(product.url) for product in self.products.values()}
        if self.total is not None and len(self.products) < self.total:
            self.fail(f"it states {self.total:,} products and gives {len(self.products):,}")
        strange = [key for key, product in self.products.items() if not is_own(product)]
        for key in strange:
            del self.products[key]
        if strange:
            self.fail(f"{len(strange):,} of its products are on another site")

    def has(self, url: str) -> bool:
        """Whether the product at this address is in the catalogue; a category's path may stand before the product's own."""
        if place(url) in self._places:
            return True
        steps = urlsplit(url).path.rstrip("/").split("/")
        return any("/" + "/".join(steps[start:]) in self._places for start in range(1, len(steps) - 1))

    def _taken(self, products: tuple[CatalogueProduct, ...]) -> int:
        before = len(self.products)
        for product in products:
            self.products.setdefault(product.key, product)
        new = len(self.products) - before
        self.repeated += len(products) - new
        return new

    def _next(self, next_url: str | None) -> str | None:
        while next_url is None or next_url in self._asked:
            if not self._further:
                return None
            next_url = self._further.pop(0)
        self._asked.add(next_url)
        return next_url


def place(url: str) -> str:
    """What tells a product's address from others: its path, or all of it where the path tells nothing.

    >>> place("https://a.example/products/lamp?variant=3"), place("https://a.example/?product=lamp")
    ('/products/lamp', 'https://a.example/?product=lamp')
    """
    return urlsplit(url).path.rstrip("/") or page_key(url)
