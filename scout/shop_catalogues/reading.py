"""All answers of one catalogue together: each product once, bounded, with what is wrong with it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

from scout.extraction.url_codes import is_address
from scout.shop_catalogues.model import (
    CatalogueAnswer,
    CatalogueCategory,
    CataloguePage,
    CatalogueProduct,
    CatalogueRequest,
    deepest,
)
from scout.shop_catalogues.platforms import Platform
from scout.url_rules import page_key

MAX_PAGES = 2_000  # of one catalogue: an endless one ends here
MAX_DEPTH = 20  # of a tree of categories
MAX_PRODUCTS = 200_000  # all are in memory at once, about 2 KB each


class CatalogueReading:
    """What was read of a catalogue so far. `flaw` says why it is not all of it; None where it came to its end."""

    def __init__(self, platform: Platform, request: CatalogueRequest) -> None:
        self.platform = platform
        self.address = request.url.partition("?")[0]
        self.products: dict[str, CatalogueProduct] = {}
        self.pages = 0
        self.repeated = 0  # products that came once more
        self.total: int | None = None
        self.flaw: str | None = None
        self._categories: dict[str, CatalogueCategory] = {}
        self._variants: dict[str, list[Mapping[str, Any]]] = {}
        self._asked = {request}
        self._further: list[CatalogueRequest] = []
        self._seen: set[tuple[str, ...]] = set()  # list and keys of each answer
        self._by_place: dict[str, CatalogueProduct] = {}
        self._shared_paths: set[str] = set()  # of addresses that differ in their queries only

    def add(self, request: CatalogueRequest, body: bytes, headers: Mapping[str, str]) -> CatalogueRequest | None:
        """Take an answer; what to ask next, None where the catalogue is at its end."""
        try:
            page = self.platform.read(CatalogueAnswer(request, body, headers))
        except (ValueError, RecursionError):  # no JSON or XML, a nest that is too deep, a number of 5,000 digits
            page = None
        if page is None:
            self.fail("an answer is no catalogue")
            return None
        self.pages += 1
        if page.flaw:
            self.fail(page.flaw)
        self._take(page.products)
        self._categories.update(page.categories)
        for key, variant in page.variants:
            self._variants.setdefault(key, []).append(variant)
        self.total = page.total if page.total is not None else self.total
        self._further += [each for each in page.further if each not in self._asked]
        self._asked.update(page.further)
        if page.products and self._is_repeated(request, page):
            self.fail("its pages repeat")
            return None
        following = page.following
        if len(self.products) >= MAX_PRODUCTS:
            self.fail(f"it has more than {MAX_PRODUCTS:,} products")
            return None
        if following and self.pages >= MAX_PAGES:
            self.fail(f"it has more than {MAX_PAGES:,} pages")
            return None
        if following is None or following in self._asked:
            return self._further.pop(0) if self._further else None
        self._asked.add(following)
        return following

    def extend(self, answer: CatalogueAnswer) -> None:
        """Take an answer that nobody asked for: a list, which has products of other lists, too."""
        page = self.platform.read(answer)
        self.pages += 1
        for product in page.products if page else ():
            self.products.setdefault(product.key, product)

    @property
    def has_further(self) -> bool:
        """Whether lists are named that were not read yet, such as those of variants."""
        return bool(self._further)

    def fail(self, flaw: str) -> None:
        """The catalogue ends before its end."""
        self.flaw = self.flaw or flaw

    def end(self, is_own: Callable[[CatalogueProduct], bool] = lambda product: True) -> None:
        """All that can be had is there: products get their variants, a stated total is compared, and what is not the shop's own goes."""
        for key, variants in self._variants.items():
            if key in self.products:
                self.products[key] = replace(self.products[key], variants=tuple(variants))
        if orphans := self._variants.keys() - self.products.keys():
            self.fail(f"{len(orphans):,} of its products are there as variants only")
        self._variants.clear()
        self.products = {key: self._with_path(product) for key, product in self.products.items()}
        if self.total is not None and len(self.products) < self.total:
            self.fail(f"it states {self.total:,} products and gives {len(self.products):,}")
        strange = [key for key, product in self.products.items() if not is_own(product)]
        for key in strange:
            del self.products[key]
        if strange:
            self.fail(f"{len(strange):,} of its products are on another site")
        paths = Counter(path_of(product.url) for product in self.products.values())
        self._shared_paths = {path for path, count in paths.items() if count > 1}
        self._by_place = {self.place(product.url): product for product in self.products.values()}

    def place(self, url: str) -> str:
        """What tells a product's address from others: its path, or all of it where the path tells nothing."""
        path = path_of(url)
        return page_key(url) if not path or path in self._shared_paths else path

    def product_at(self, url: str) -> CatalogueProduct | None:
        """The product with this address; a category's path may stand before the product's own."""
        steps = urlsplit(url).path.rstrip("/").split("/")
        shorter = ("/" + "/".join(steps[start:]) for start in range(1, len(steps) - 1))
        found = (self._by_place.get(each) for each in (self.place(url), *shorter))
        return next((product for product in found if product is not None), None)

    def _with_path(self, product: CatalogueProduct) -> CatalogueProduct:
        """The product with its path in the tree of categories, where it names places in it."""
        path = deepest(map(self._path, product.categories))
        return replace(product, values={**product.values, "category": path}) if path else product

    def _path(self, key: str) -> list[str]:
        """The names down to a category; a tree that bites its own tail ends."""
        names: list[str] = []
        while (category := self._categories.get(key)) and len(names) < MAX_DEPTH:
            names.append(category.name)
            key = category.parent
        return names[::-1]

    def _take(self, products: tuple[CatalogueProduct, ...]) -> None:
        before = len(self.products)
        for product in filter(lambda product: is_address(product.url), products):
            self.products.setdefault(product.key, product)
        self.repeated += before + len(products) - len(self.products)

    def _is_repeated(self, request: CatalogueRequest, page: CataloguePage) -> bool:
        """Whether the same list has given the same products before."""
        signature = (urlsplit(request.url).path, *(product.key for product in page.products))
        is_repeated = signature in self._seen
        self._seen.add(signature)
        return is_repeated


def path_of(url: str) -> str:
    """The path of an address; empty for a front page."""
    return urlsplit(url).path.rstrip("/")
