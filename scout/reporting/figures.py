"""What is matched, missing, gone and changed in a shop."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Any

from scout.fields import field as field_of
from scout.matching import Match
from scout.matching.columns import rows_by_field
from scout.matching.ids import SCORES
from scout.matching.levels import product_key
from scout.matching.reliability import StatedPrecision, stated_precision
from scout.matching.words import folded, words
from scout.reporting import breakdown
from scout.reporting.causes import Case, Cause, likely_causes
from scout.reporting.crawl_summary import category_states
from scout.reporting.inputs import PricePoint, ShopData, ShopOffer, category_path
from scout.reporting.quality import FieldQuality, field_quality
from scout.values.price import parse_price

_COMPARED = ("currency", "price", "availability", "title")


@dataclass(frozen=True)
class Change:
    """A value that differs between the catalogue and the shop."""

    match: Match
    field: str
    known: str
    found: str


@dataclass(frozen=True)
class SinceLast:
    """What changed between the last two crawls."""

    new: tuple[int, ...]
    vanished: tuple[ShopOffer, ...]
    repriced: tuple[tuple[int, tuple[PricePoint, ...]], ...]


@dataclass(frozen=True)
class ReportFigures:
    """Everything that a report says about one shop. Offers and known rows are positions in the data."""

    data: ShopData
    missing: tuple[int, ...]
    undecided: tuple[int, ...]
    accepted: tuple[int, ...]
    gone: tuple[int, ...] | None  # None: no part of the crawl is complete, so nothing is known to be gone
    changed: tuple[Change, ...]
    tree: breakdown.CategoryBranch
    bands: tuple[breakdown.PriceBand, ...]
    brands: tuple[breakdown.Share, ...]
    first_seen: tuple[breakdown.Share, ...]
    causes: tuple[Cause, ...]
    quality: tuple[FieldQuality, ...]
    since_last: SinceLast | None
    currency: str | None

    @property
    def offers(self) -> int:
        """The number of the shop's offers."""
        return len(self.data.found)

    @property
    def matched(self) -> int:
        """The number of them that the catalogue has."""
        return len(self.data.matches)

    @property
    def has_catalogue(self) -> bool:
        """Whether there is anything to compare the offers with."""
        return bool(self.data.known)

    @property
    def unreached(self) -> list[ShopOffer]:
        """The offers that the last crawl has not read, and that are not gone: they have the values of an earlier crawl."""
        return [item for item in self.data.found if item.state == "unreached"]

    @property
    def coverage(self) -> float | None:
        """The share of the shop's offers that the catalogue has, not counting accepted and undecided ones.

        None where there is nothing to compare, or the last crawl is not complete: then it is a share of an unknown number.
        """
        asked = self.offers - len(self.accepted) - len(self.undecided)
        return (asked - len(self.missing)) / asked if asked and self.has_catalogue and self.data.is_complete else None

    @property
    def coverage_bounds(self) -> tuple[float | None, float | None]:
        """What the coverage is at least and at most; None where that is not known.

        At most, the products that were not read are those of the catalogue that were not found, and the missing ones that were not
        reached are gone. At least, no product that was not read is in the catalogue, and the matched ones that were not reached are gone.
        """
        if self.coverage is not None or not self.has_catalogue or self.data.crawl is None:
            return self.coverage, self.coverage
        missing, left_out = set(self.missing), {*self.accepted, *self.undecided}
        items = [(p in missing, item.state) for p, item in enumerate(self.data.found) if p not in left_out]
        matched, lost = items.count((False, "current")), items.count((True, "current"))
        old_matched, old_lost = items.count((False, "unreached")), items.count((True, "unreached"))
        elsewhere = len(self.data.known) - self.matched
        at_most = _share(matched + old_matched + elsewhere, lost)
        if self.data.unread is None:
            return None, at_most
        return _share(matched, lost + old_lost + max(0, self.data.unread - old_matched - old_lost)), at_most

    @property
    def products(self) -> int:
        """The number of products: variants of one product count once."""
        return len({product_key(item.offer) for item in self.data.found})

    @property
    def missing_products(self) -> int:
        """The number of products without any variant in the catalogue."""
        missing = {product_key(self.data.found[position].offer) for position in self.missing}
        present = set(range(self.offers)) - set(self.missing)
        return len(missing - {product_key(self.data.found[position].offer) for position in present})

    def missing_precision(self, path: tuple[str, ...] = ()) -> StatedPrecision | None:
        """How far the list of missing offers can be relied on, or the part of it in a category; None where it is empty."""
        return stated_precision(self._missing_by_category.get(path, ()))

    @cached_property
    def _missing_by_category(self) -> Mapping[tuple[str, ...], list[float]]:
        """The probabilities of the missing offers in each category and above it."""
        found: dict[tuple[str, ...], list[float]] = defaultdict(list)
        for position in self.missing:
            category = self.data.found[position].category
            for depth in range(len(category) + 1):
                found[category[:depth]].append(self.data.missing.get(position, 1.0))
        return found

    def candidates(self, offer: int) -> list[Match]:
        """The rows of the catalogue that an undecided offer may be, the likeliest first."""
        return self._candidates.get(offer, [])

    @cached_property
    def _candidates(self) -> Mapping[int, list[Match]]:
        """The candidates of each undecided offer."""
        found: dict[int, list[Match]] = defaultdict(list)
        for match in sorted(self.data.undecided, key=lambda match: -match.score):
            found[match.offer].append(match)
        return found

    @property
    def changed_offers(self) -> int:
        """The number of matched offers with a value that differs from the catalogue's."""
        return len({change.match.offer for change in self.changed})


def _share(covered: int, missing: int) -> float | None:
    return covered / (covered + missing) if covered + missing else None


def report_figures(data: ShopData) -> ReportFigures:
    """The figures of one shop."""
    matched = {match.offer for match in data.matches}
    unsure = {match.offer for match in data.undecided}
    unmatched = [position for position in range(len(data.found)) if position not in matched | unsure]
    accepted = tuple(p for p, item in enumerate(data.found) if p not in matched and item.id in data.accepted)
    missing = tuple(sorted(set(unmatched) - set(accepted))) if data.known else ()
    missing_set = set(missing)
    known = rows_by_field(data.known)
    case = Case(data.found, set(unmatched), matched, _comparable_import(data), len(data.known))
    return ReportFigures(
        data=data,
        missing=missing,
        undecided=tuple(sorted(unsure - set(accepted))),
        accepted=accepted,
        gone=_gone_rows(data, known),
        changed=tuple(_changes(data, known)),
        tree=breakdown.category_tree(data.found, missing_set),
        bands=tuple(breakdown.price_bands(data.found, missing_set, _known_prices(known))),
        brands=tuple(breakdown.shares_by(data.found, missing_set, lambda item: item.text("brand"))),
        first_seen=tuple(breakdown.shares_by_first_seen(data.found, missing_set)),
        causes=tuple(likely_causes(case, missing_set)),
        quality=tuple(field_quality(data.found)),
        since_last=_since_last(data),
        currency=_main_currency(data.found),
    )


def _gone_rows(data: ShopData, known: Sequence[Mapping[str, Any]]) -> tuple[int, ...] | None:
    """The known rows that the shop no longer has. After a complete crawl: all that were not found, except in categories that it reports
    as incomplete, and those that it must not read; else: those whose page the shop says is gone, and those in complete categories, where
    the catalogue uses the shop's names. None where nothing is known to be gone because nothing is complete."""
    if data.crawl is None:
        return None
    states = {_category_key(state.path): state.is_complete for state in category_states(data.crawl.stats)}
    if not data.crawl.is_complete and not any(states.values()) and not data.known_gone:
        return None
    matched = {
        match.catalogue for match in (*data.matches, *data.undecided)
    }  # what may be matched is not known to be gone
    categories = [_category_key(category_path(row.get("category"))) for row in known]
    is_read = {p for p, category in enumerate(categories) if states.get(category, data.crawl.is_complete)}
    return tuple(sorted((is_read - data.known_unreadable | data.known_gone) - matched))


def _category_key(path: Sequence[str]) -> tuple[str, ...]:
    """A category path without case."""
    return tuple(name.casefold() for name in path)


def _comparable_import(data: ShopData) -> Any:
    """The time of the import, if an earlier crawl shows which offers existed by then."""
    ends = [crawl.finished for crawl in data.crawls if crawl.is_complete and crawl.finished]
    return data.imported_at if data.imported_at and ends and min(ends) < data.imported_at else None


def _changes(data: ShopData, known: Sequence[Mapping[str, Any]]) -> Iterator[Change]:
    """The values that differ in matched pairs. Titles are compared only if an identifier proves the pair, as similar pairs always differ;
    prices only in one currency."""
    for match in data.matches:
        row, offer = known[match.catalogue], data.found[match.offer].offer
        names = _COMPARED if match.reason in SCORES else _COMPARED[:-1]
        pairs = {name: (str(row[name]), str(offer[name])) for name in names if row.get(name) and offer.get(name)}
        differing = {name: pair for name, pair in pairs.items() if _differs(name, *pair)}
        if "currency" in differing:
            differing.pop("price", None)
        yield from (Change(match, name, *pair) for name, pair in differing.items())


def _differs(name: str, known: str, found: str) -> bool:
    """Whether both values can be read and cannot mean the same; titles differ if their words do."""
    if name == "title":
        return words(folded(known)) != words(folded(found))
    kind = field_of(name)
    readings = kind.keys(known), kind.keys(found)
    return all(readings) and readings[0].isdisjoint(readings[1])


def _known_prices(known: Sequence[Mapping[str, Any]]) -> list[Decimal]:
    """The prices of the catalogue, as far as they can be read."""
    read = (parse_price(str(row["price"])) for row in known if row.get("price"))
    return [price.amount for price in read if price is not None]


def _since_last(data: ShopData) -> SinceLast | None:
    """What changed since the previous crawl; None where there was none."""
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


def _main_currency(found: Sequence[ShopOffer]) -> str | None:
    """The currency that most offers are priced in."""
    counted = Counter(currency for item in found if (currency := item.text("currency")))
    return counted.most_common(1)[0][0] if counted else None
