"""The answer: what is matched, missing, gone and changed, and how far it can be trusted. Pure: values in, values out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from scout.fields import field as field_of
from scout.matching import Match
from scout.matching.columns import rows_by_field
from scout.matching.ids import SCORES
from scout.matching.words import folded, words
from scout.reporting.breakdown import (
    CategoryBranch,
    PriceBand,
    Share,
    by_first_seen,
    category_tree,
    price_bands,
    shares,
)
from scout.reporting.causes import Case, Cause, causes
from scout.reporting.crawl_summary import category_states
from scout.reporting.inputs import Found, PricePoint, ShopData, path_of
from scout.reporting.quality import FieldQuality, quality
from scout.values.price import parse_price

COMPARED = ("price", "availability", "title")


@dataclass(frozen=True)
class Change:
    """A value that the catalogue has differently than the shop."""

    match: Match
    field: str
    known: str
    found: str


@dataclass(frozen=True)
class SinceLast:
    """What the last crawl brought against the one before."""

    new: tuple[int, ...]
    vanished: tuple[Found, ...]
    repriced: tuple[tuple[int, tuple[PricePoint, ...]], ...]


@dataclass(frozen=True)
class ReportFigures:
    """Everything a report says about one shop. Offers and known rows are given by their positions in the data."""

    data: ShopData
    missing: tuple[int, ...]
    accepted: tuple[int, ...]
    gone: tuple[int, ...] | None  # None: no part of the crawl is complete, so nothing can be called gone
    changed: tuple[Change, ...]
    tree: CategoryBranch
    bands: tuple[PriceBand, ...]
    brands: tuple[Share, ...]
    first_seen: tuple[Share, ...]
    causes: tuple[Cause, ...]
    quality: tuple[FieldQuality, ...]
    since_last: SinceLast | None
    currency: str | None

    @property
    def offers(self) -> int:
        """How many offers the shop has."""
        return len(self.data.found)

    @property
    def matched(self) -> int:
        """How many of them the catalogue has."""
        return len(self.data.matches)

    @property
    def coverage(self) -> float | None:
        """The part of the shop's offers that the catalogue has, accepted ones left aside; None where the shop has none."""
        asked = self.offers - len(self.accepted)
        return (asked - len(self.missing)) / asked if asked else None

    @property
    def products(self) -> int:
        """How many products the offers are: variants of one product count once."""
        return len({family(item) for item in self.data.found})

    @property
    def missing_products(self) -> int:
        """How many products the catalogue has no variant of."""
        missing = {family(self.data.found[position]) for position in self.missing}
        present = set(range(self.offers)) - set(self.missing)
        return len(missing - {family(self.data.found[position]) for position in present})

    @property
    def changed_offers(self) -> int:
        """How many matched offers differ from the catalogue in some value."""
        return len({change.match.offer for change in self.changed})


def figures(data: ShopData) -> ReportFigures:
    """The figures of one shop."""
    matched = {match.offer for match in data.matches}
    unmatched = [position for position in range(len(data.found)) if position not in matched]
    accepted = tuple(position for position in unmatched if data.found[position].id in data.accepted)
    missing = tuple(sorted(set(unmatched) - set(accepted)))
    lost = set(missing)
    known = rows_by_field(data.known)
    return ReportFigures(
        data=data,
        missing=missing,
        accepted=accepted,
        gone=gone(data, known),
        changed=tuple(changes(data, known)),
        tree=category_tree(data.found, lost),
        bands=tuple(price_bands(data.found, lost, known_prices(known))),
        brands=tuple(shares(data.found, lost, lambda item: item.text("brand"))),
        first_seen=tuple(by_first_seen(data.found, lost)),
        causes=tuple(causes(Case(data.found, set(unmatched), matched, compared_since(data)), lost)),
        quality=tuple(quality(data.found)),
        since_last=since_last(data),
        currency=main_currency(data.found),
    )


def family(item: Found) -> str:
    """What the variants of one product have in common: the address of the product."""
    return item.text("parent") or item.text("url")


def gone(data: ShopData, known: Sequence[Mapping[str, Any]]) -> tuple[int, ...] | None:
    """The known rows that were not found, though all was read where they would be: a complete crawl, save for categories that it says
    it did not complete; else the categories that are complete, where the catalogue names them as the shop does."""
    if data.crawl is None:
        return None
    states = {_category_key(state.path): state.is_complete for state in category_states(data.crawl.stats)}
    if not data.crawl.is_complete and not any(states.values()):
        return None
    met = {match.catalogue for match in data.matches}
    return tuple(
        position
        for position, row in enumerate(known)
        if position not in met and states.get(_category_key(path_of(row.get("category"))), data.crawl.is_complete)
    )


def _category_key(path: Sequence[str]) -> tuple[str, ...]:
    """A category path without case, to be compared."""
    return tuple(name.casefold() for name in path)


def compared_since(data: ShopData) -> Any:
    """When the catalogue was imported, if an earlier crawl can tell which offers were there at that time already."""
    if data.imported_at is None:
        return None
    crawled_before = any(
        crawl.is_complete and crawl.finished and crawl.finished < data.imported_at for crawl in data.crawls
    )
    return data.imported_at if crawled_before else None


def changes(data: ShopData, known: Sequence[Mapping[str, Any]]) -> list[Change]:
    """The values in which matched rows differ. A title is compared only where an identifier proves the pair: a fuzzy one differs."""
    made = []
    for match in data.matches:
        row, offer = known[match.catalogue], data.found[match.offer].offer
        names = COMPARED if match.reason in SCORES else COMPARED[:2]
        made += [
            Change(match, name, str(row[name]), str(offer[name]))
            for name in names
            if row.get(name) and offer.get(name) and differs(name, str(row[name]), str(offer[name]))
        ]
    return made


def differs(name: str, known: str, found: str) -> bool:
    """Whether both values can be read and cannot mean the same; titles differ where their words do."""
    if name == "title":
        return words(folded(known)) != words(folded(found))
    kind = field_of(name)
    readings = kind.keys(known), kind.keys(found)
    return all(readings) and readings[0].isdisjoint(readings[1])


def known_prices(known: Sequence[Mapping[str, Any]]) -> list[Decimal]:
    """The prices of the catalogue, as far as they can be read."""
    read = (parse_price(str(row["price"])) for row in known if row.get("price"))
    return [price.amount for price in read if price is not None]


def since_last(data: ShopData) -> SinceLast | None:
    """What changed against the crawl before; None where there was none."""
    if len(data.crawls) < 2:
        return None
    started = data.crawls[0].started
    new = tuple(p for p, item in enumerate(data.found) if item.first_seen is not None and item.first_seen >= started)
    repriced = tuple(
        (position, points)
        for position, item in enumerate(data.found)
        if len(points := tuple(data.history.get(item.id, ()))) > 1 and points[-1].price != points[-2].price
    )
    return SinceLast(new, tuple(data.vanished), repriced)


def main_currency(found: Sequence[Found]) -> str | None:
    """The currency that most offers are priced in."""
    counted = Counter(currency for item in found if (currency := item.text("currency")))
    return counted.most_common(1)[0][0] if counted else None
