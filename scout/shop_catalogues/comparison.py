"""A catalogue is believed as far as the shop's pages agree with it: which pages to compare, field by field, and what follows."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import pairwise
from random import Random
from typing import Any
from urllib.parse import urlsplit

from scout.fields import KINDS, LIST_FIELDS, TEXT_FIELDS
from scout.fields import field as offer_field
from scout.shop_catalogues.model import IN_STOCK, CatalogueProduct
from scout.values.tables import table

# Fields for which all pages are fetched where the catalogue has them wrong, or lacks what pages show; others are left out then.
NEEDED = ("title", "price", "list_price", "currency", "availability", "brand", "sku", "ean", "han")
_NOT_COMPARED = frozenset({"url", "urls", "canonical", "parent", "shop", "category", "variants", "reviews"})
_OF_VARIANT = ("price", "list_price", "availability", "sku", "ean")
MAX_LACKING = 0.05  # share of the pages that may show a needed field that the catalogue lacks
MAX_STRANGE = (
    0.2  # share of the products without a page, or under another title: above it, the catalogue is another shop's
)
MIN_SHARED_WORDS = 0.6  # of the shorter description


def choose_sample(products: Sequence[CatalogueProduct], size: int, seed: str) -> list[CatalogueProduct]:
    """So many products, one of each stratum: they are put in the order of their categories and prices, and cut into equal parts."""
    if len(products) <= size:
        return list(products)
    ordered = sorted(
        products, key=lambda product: (str(product.values.get("category", "")), _price(product), product.key)
    )
    random, count = Random(seed), len(ordered)
    cuts = [count * part // size for part in range(size + 1)]
    return [ordered[random.randrange(start, end)] for start, end in pairwise(cuts)]


def _price(product: CatalogueProduct) -> Decimal:
    return Decimal(product.values.get("price") or next((v["price"] for v in product.variants if "price" in v), 0))


# --- which variant a page shows ---------------------------------------------------------------------------------------


def _own(product: CatalogueProduct) -> Mapping[str, Any]:
    return product.values


def _first(product: CatalogueProduct) -> Mapping[str, Any]:
    return product.variants[0] if product.variants else product.values


def _first_in_stock(product: CatalogueProduct) -> Mapping[str, Any]:
    in_stock = (variant for variant in product.variants if variant.get("availability") == IN_STOCK)
    return next(in_stock, _first(product))


def _cheapest(product: CatalogueProduct) -> Mapping[str, Any]:
    priced = [variant for variant in product.variants if "price" in variant]
    return min(priced, key=lambda variant: Decimal(variant["price"]), default=_first(product))


SHOWN = {"own": _own, "first in stock": _first_in_stock, "first": _first, "cheapest": _cheapest}


def shown_values(product: CatalogueProduct, shown: str) -> dict[str, Any]:
    """The product's values with those of the variant that its page shows."""
    variant = SHOWN[shown](product)
    return {**product.values, **{name: variant[name] for name in _OF_VARIANT if name in variant}}


def has_price(product: CatalogueProduct) -> bool:
    """Whether the catalogue says what the product, or a variant of it, costs."""
    return any("price" in entry for entry in (product.values, *product.variants))


def is_price_of(product: CatalogueProduct, shown: str) -> bool:
    """Whether a price that a list shows is the product's or one of its variants'; True where the catalogue has none to compare."""
    prices = (str(entry["price"]) for entry in (product.values, *product.variants) if "price" in entry)
    return not has_price(product) or any(offer_field("price").same(shown, price) for price in prices)


# --- the comparison ---------------------------------------------------------------------------------------------------


@dataclass
class FieldCount:
    """What the pages say of one field of the catalogue."""

    same: int = 0
    wrong: int = 0
    lacking: int = 0  # the page shows it, the catalogue does not


@dataclass
class CatalogueComparison:
    """What the sample showed. `shown` is the variant of a product that pages show."""

    size: int
    pages: int = 0
    shown: str = "own"
    fields: dict[str, FieldCount] = field(default_factory=dict)
    currency: str | None = None  # of all pages, where the catalogue names none

    @property
    def wrong(self) -> dict[str, int]:
        """The fields that the pages contradict, with how many do."""
        return {name: count.wrong for name, count in self.fields.items() if count.wrong}

    @property
    def lacking(self) -> dict[str, int]:
        """The fields that pages show and the catalogue lacks, with how many do."""
        found = {name: count.lacking for name, count in self.fields.items()}
        return {name: count for name, count in found.items() if count > MAX_LACKING * self.pages}

    @property
    def is_of_shop(self) -> bool:
        """Whether the catalogue is this shop's: its products have pages, under their titles."""
        strange = self.size - self.pages + self.wrong.get("title", 0)
        return self.pages > 0 and strange <= MAX_STRANGE * self.size

    @property
    def from_pages(self) -> list[str]:
        """The needed fields that only the pages can give."""
        return [name for name in {**self.wrong, **self.lacking} if is_needed(name)]

    def __str__(self) -> str:
        parts = [f"{self.pages} of {self.size} products compared with their pages"]
        parts += [f"{name} wrong on {count}" for name, count in self.wrong.items()]
        parts += [f"{name} lacking on {count}" for name, count in self.lacking.items()]
        parts += [] if self.wrong or self.lacking else ["all values agree"]
        return ", ".join(parts)


def is_needed(name: str) -> bool:
    """Whether offers must not lack the field where pages have it; so it is with all that the user's own rules read."""
    return name in NEEDED or name not in {*KINDS, *TEXT_FIELDS, *LIST_FIELDS, *table("template")["fields"]}


def compare(sample: Collection[CatalogueProduct], offers: Mapping[str, Mapping[str, Any]]) -> CatalogueComparison:
    """Compare the products of a sample with the offers of their pages (by the product's key)."""
    pairs = [(product, offers[product.key]) for product in sample if product.key in offers]
    made = CatalogueComparison(len(sample), len(pairs))
    made.shown = max(SHOWN, key=lambda shown: _agreeing(pairs, shown))
    currencies = {offer["currency"] for _, offer in pairs if offer.get("currency")}
    made.currency = currencies.pop() if len(currencies) == 1 else None
    for product, offer in pairs:
        values = shown_values(product, made.shown)
        if made.currency and "price" in values:
            values.setdefault("currency", made.currency)
        _count(values, offer, made.fields)
    return made


def _agreeing(pairs: Iterable[tuple[CatalogueProduct, Mapping[str, Any]]], shown: str) -> int:
    counts: dict[str, FieldCount] = {}
    for product, offer in pairs:
        _count(shown_values(product, shown), offer, counts, _OF_VARIANT)
    return sum(count.same - count.wrong - count.lacking for count in counts.values())


def _count(
    values: Mapping[str, Any],
    offer: Mapping[str, Any],
    counts: dict[str, FieldCount],
    names: Iterable[str] | None = None,
) -> None:
    for name in sorted(offer.keys() - _NOT_COMPARED) if names is None else names:
        said, seen = values.get(name), offer.get(name)
        if not seen:
            continue
        count = counts.setdefault(name, FieldCount())
        if not said:
            count.lacking += 1
        elif is_same(name, said, seen):
            count.same += 1
        else:
            count.wrong += 1


def is_same(name: str, said: Any, seen: Any) -> bool:
    """Whether the catalogue and the page say the same of a field."""
    if name == "images":
        return not set(_file_names(said)).isdisjoint(_file_names(seen))
    if name == "description":
        one, other = set(str(said).casefold().split()), set(str(seen).casefold().split())
        return len(one & other) >= MIN_SHARED_WORDS * min(len(one), len(other))
    return offer_field(name).same(str(said), str(seen))


def _file_names(images: Iterable[str]) -> Iterator[str]:
    return (urlsplit(str(image)).path.rpartition("/")[2] for image in images)
