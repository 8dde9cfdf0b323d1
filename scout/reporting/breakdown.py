"""Offers and missing offers by category, price band, brand and day of first sight."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import pairwise

from scout.reporting.inputs import ShopOffer

_MAX_BANDS = 10
_SERIES = (Decimal(1), Decimal(2), Decimal(5))  # steps of round numbers


class _HasMissing:
    """Something with a number of offers, some of them missing."""

    offers: int
    missing: int

    @property
    def rate(self) -> float:
        """The share of the offers that is missing."""
        return self.missing / self.offers if self.offers else 0.0


@dataclass(frozen=True)
class Share(_HasMissing):
    """A group of offers, and how many of them are missing."""

    name: str
    offers: int
    missing: int


@dataclass
class CategoryBranch(_HasMissing):
    """A category with its subcategories."""

    name: str
    path: tuple[str, ...] = ()
    offers: int = 0
    missing: int = 0
    children: dict[str, CategoryBranch] = field(default_factory=dict)

    def sorted_children(self) -> list[CategoryBranch]:
        """The subcategories, most missing first."""
        return sorted(self.children.values(), key=lambda branch: (-branch.missing, -branch.offers, branch.name))

    def walk(self) -> Iterable[CategoryBranch]:
        """This category and all below it, parents first."""
        yield self
        for child in self.sorted_children():
            yield from child.walk()


@dataclass(frozen=True)
class PriceBand(_HasMissing):
    """A range of prices from `low` (included) to `high` (excluded); None means no limit."""

    low: Decimal | None
    high: Decimal | None
    offers: int
    missing: int
    known: int


def category_tree(offers: Sequence[ShopOffer], missing: set[int]) -> CategoryBranch:
    """The shop's categories with their counts; offers without a category count only in the root."""
    root = CategoryBranch("")
    for position, item in enumerate(offers):
        is_missing = position in missing
        node = root
        node.offers, node.missing = node.offers + 1, node.missing + is_missing
        for depth, name in enumerate(item.category, 1):
            node = node.children.setdefault(name, CategoryBranch(name, item.category[:depth]))
            node.offers, node.missing = node.offers + 1, node.missing + is_missing
    return root


def shares_by(offers: Sequence[ShopOffer], missing: set[int], name_of: Callable[[ShopOffer], str]) -> list[Share]:
    """The offers grouped by `name_of`, most missing first."""
    names = [name_of(offer) for offer in offers]
    missing_by_name = Counter(names[position] for position in missing)
    groups = [Share(name, count, missing_by_name[name]) for name, count in Counter(names).items()]
    return sorted(groups, key=lambda share: (-share.missing, -share.offers, share.name))


def shares_by_first_seen(offers: Sequence[ShopOffer], missing: set[int]) -> list[Share]:
    """The offers by the day they were first seen, oldest first."""
    dated = shares_by(offers, missing, lambda item: item.first_seen.date().isoformat() if item.first_seen else "")
    return sorted(dated, key=lambda share: share.name)


def price_bands(offers: Sequence[ShopOffer], missing: set[int], known: Sequence[Decimal]) -> list[PriceBand]:
    """Ranges between round numbers with about as many offers each: the shop's and the catalogue's counts."""
    priced = [(price, position in missing) for position, item in enumerate(offers) if (price := item.price) is not None]
    edges = round_edges(sorted(price for price, _ in priced))
    borders = [None, *edges, None]
    bands = []
    for low, high in pairwise(borders):
        inside = [lost for price, lost in priced if _is_within(price, low, high)]
        known_inside = sum(_is_within(price, low, high) for price in known)
        bands.append(PriceBand(low, high, len(inside), sum(inside), known_inside))
    return bands if priced else []


def _is_within(price: Decimal, low: Decimal | None, high: Decimal | None) -> bool:
    """Whether a price is in the range."""
    return (low is None or price >= low) and (high is None or price < high)


def round_edges(prices: Sequence[Decimal]) -> list[Decimal]:
    """Round numbers (1, 2, 5, 10, 20 ...) within the sorted prices, so that no band has too few offers."""
    if not prices:
        return []
    grid = [edge for edge in _round_numbers(prices[-1]) if prices[0] < edge <= prices[-1]]
    min_offers = max(1, len(prices) // (2 * _MAX_BANDS))
    edges: list[Decimal] = []
    before = 0
    for edge in grid:
        below = sum(price < edge for price in prices)
        if below - before >= min_offers and len(prices) - below >= min_offers:
            edges.append(edge)
            before = below
    return edges


def _round_numbers(highest: Decimal) -> list[Decimal]:
    """The series 0.1, 0.2, 0.5, 1, 2, 5 ... up to the highest."""
    numbers, scale = [], Decimal("0.1")
    while scale <= highest:
        numbers += [step * scale for step in _SERIES if step * scale <= highest]
        scale *= 10
    return numbers
