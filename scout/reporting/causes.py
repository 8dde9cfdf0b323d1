"""Why offers are probably missing: what they share against the matched ones, where chance does not explain it.

A property is a cause if offers with it are missing clearly more often than the others by Fisher's exact test, with a correction for the
number of properties that were looked at. The strongest is taken first; the rest is tested again without the offers it explains.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from math import exp, lgamma
from urllib.parse import urlsplit

from scout.fields import CATEGORY_STEP
from scout.matching.levels import product_key
from scout.reporting.inputs import ShopOffer

_MIN_OFFERS = 5  # that a cause explains: fewer show no pattern
_SIGNIFICANCE = 0.01  # chance that any of the properties looks like a cause by accident
_LIFT = 2.0  # times as often missing with a property as without it
_EXAMPLES = 5
_MIN_FEED = 100  # rows of a catalogue whose round number is no accident
NO_PATTERN = "no pattern"
_SKU_START = re.compile(r"[^\W\d_]{2,}(?=[\W_\d])")


@dataclass(frozen=True)
class Cause:
    """A likely cause with the positions of the offers it explains; `detail` is the category, brand or price.

    `group` offers have the property at all; of the `others` without it, `others_missing` are missing too. 0 where it is no property.
    """

    kind: str
    detail: str
    offers: tuple[int, ...]
    group: int = 0
    others: int = 0
    others_missing: int = 0

    @property
    def count(self) -> int:
        """The number of missing offers it explains."""
        return len(self.offers)

    @property
    def examples(self) -> tuple[int, ...]:
        """A few of them."""
        return self.offers[:_EXAMPLES]


@dataclass(frozen=True)
class Case:
    """What is compared. `compared_since` is the time of the import, if the shop had been crawled before it; `known` counts the catalogue's
    rows."""

    found: Sequence[ShopOffer]
    missing: set[int]
    matched: set[int]
    compared_since: datetime | None = None
    known: int = 0


Property = tuple[str, str, set[int]]  # kind, detail, the positions that have it


def likely_causes(case: Case, asked: set[int] | None = None) -> list[Cause]:
    """The causes, most frequent first; their counts add up to the number of missing offers, or of those `asked` for."""
    left = set(case.missing if asked is None else asked)
    made = []
    for kind, finder in FACTS.items():
        for detail, positions in finder(case):
            if explained := positions & left:
                made.append(Cause(kind, detail, tuple(sorted(explained))))
                left -= explained
    while found := _strongest_property(case, left):
        made.append(found)
        left -= set(found.offers)
    made.sort(key=lambda cause: -cause.count)
    if left:
        feed = _is_round(case.known)
        made.append(Cause("feed limit" if feed else NO_PATTERN, str(case.known) if feed else "", tuple(sorted(left))))
    return made


# --- what needs no statistic ------------------------------------------------------------------------------------------
Explained = Iterable[tuple[str, set[int]]]  # (detail, positions)


def _duplicates(case: Case) -> Explained:
    """Second entries of an offer that the catalogue has: the same EAN, or the same title and price."""
    have = {key for position in case.matched for key in _identity_keys(case.found[position])}
    yield "", {position for position in case.missing if have & set(_identity_keys(case.found[position]))}


def _identity_keys(item: ShopOffer) -> list[tuple[str, str]]:
    """Keys that two entries of one offer share."""
    if item.text("ean"):
        return [("ean", item.text("ean"))]
    if item.text("title") and not item.text("sku"):
        return [(item.text("title").casefold(), item.text("price"))]
    return []


def _newer_than_import(case: Case) -> Explained:
    """Offers that are newer than the import of the catalogue."""
    since = case.compared_since
    if since is not None:
        yield since.date().isoformat(), {p for p in case.missing if (seen := case.found[p].first_seen) and seen > since}


def _variants_of_known(case: Case) -> Explained:
    """Variants of a product of which the catalogue has another one."""
    families: dict[str, set[int]] = defaultdict(set)
    for position, item in enumerate(case.found):
        families[product_key(item.offer)].add(position)
    yield "", {position for family in families.values() if family & case.matched for position in family & case.missing}


FACTS: Mapping[str, Callable[[Case], Explained]] = {
    "duplicate": _duplicates,
    "newer than the import": _newer_than_import,
    "variant": _variants_of_known,
}


# --- what missing offers share ----------------------------------------------------------------------------------------
def _grouped(
    kind: str, name_of: Callable[[ShopOffer], Iterable[str]]
) -> Callable[[Sequence[ShopOffer]], Iterator[Property]]:
    """The properties of one kind: a group for each name that an offer has."""

    def groups(found: Sequence[ShopOffer]) -> Iterator[Property]:
        by_name: dict[str, set[int]] = defaultdict(set)
        for position, item in enumerate(found):
            for name in name_of(item):
                by_name[name].add(position)
        yield from ((kind, name, positions) for name, positions in by_name.items())

    return groups


def _lacking(kind: str, field: str) -> Callable[[Sequence[ShopOffer]], Iterator[Property]]:
    return _grouped(kind, lambda item: () if item.offer.get(field) else ("",))


def _category_paths(item: ShopOffer) -> Iterator[str]:
    yield from (CATEGORY_STEP.join(item.category[:depth]) for depth in range(1, len(item.category) + 1))


PROPERTIES: Mapping[str, Callable[[Sequence[ShopOffer]], Iterator[Property]]] = {
    "category": _grouped("category", _category_paths),
    "brand": _grouped("brand", lambda item: filter(None, [item.text("brand")])),
    "no EAN": _lacking("no EAN", "ean"),
    "no price": _lacking("no price", "price"),
    "no picture": _lacking("no picture", "images"),
    "no brand": _lacking("no brand", "brand"),
    "out of stock": _grouped("out of stock", lambda item: [""] if item.text("availability") == "OutOfStock" else []),
    "article numbers": _grouped("article numbers", lambda item: _SKU_START.findall(item.text("sku"))[:1]),
    "address": _grouped(
        "address", lambda item: [f"/{part}/" for part in urlsplit(item.text("url")).path.split("/")[1:-1][:1]]
    ),
}
# what is ordered: a cause if nearly all beyond some value are missing
RANGES: Mapping[str, Callable[[ShopOffer], Decimal | int | str | None]] = {
    "price range": lambda item: item.price,
    "title length": lambda item: len(item.text("title")) or None,
    "first seen": lambda item: item.first_seen.date().isoformat() if item.first_seen else None,
}


def _strongest_property(case: Case, left: set[int]) -> Cause | None:
    """The property that explains the most against chance; None where all could be accidents."""
    compared = left | case.matched
    tested = [*(p for properties in PROPERTIES.values() for p in properties(case.found)), *_ranges(case, left)]
    made: list[tuple[float, int, Cause]] = []
    for kind, detail, positions in tested:
        group = positions & compared
        with_it, without = len(group & left), len(left - group)
        others = len(compared) - len(group)
        if with_it < _MIN_OFFERS or not others or with_it / len(group) < _LIFT * without / others:
            continue
        chance = _chance(with_it, len(group), len(left), len(compared))
        if chance * len(tested) < _SIGNIFICANCE:
            explained = tuple(sorted(group & left))
            made.append((chance, -len(group), Cause(kind, detail, explained, len(group), others, without)))
    return min(made, key=lambda found: found[:2])[2] if made else None


def _ranges(case: Case, left: set[int]) -> Iterator[Property]:
    """The best cut of each order, from either end."""
    for kind, value_of in RANGES.items():
        values = {p: value for p in left | case.matched if (value := value_of(case.found[p])) is not None}
        for sign, is_downwards in ((">=", True), ("<=", False)):
            ordered = sorted(values, key=lambda p: values[p], reverse=is_downwards)
            if cut := _best_cut([p in left for p in ordered], [values[p] for p in ordered]):
                yield kind, f"{sign} {values[ordered[cut - 1]]}", set(ordered[:cut])


def _best_cut(missing: Sequence[bool], values: Sequence[object]) -> int:
    """How many of the first entries are missing more often than the rest by the widest margin, between two different values."""
    total, best, cut, before = sum(missing), 0.0, 0, 0
    for position, is_missing in enumerate(missing[:-1], 1):
        before += is_missing
        surplus = before - total * position / len(missing)
        if surplus > best and values[position] != values[position - 1]:
            best, cut = surplus, position
    return cut


def _chance(with_it: int, group: int, missing: int, total: int) -> float:
    """The probability that as many of a group are missing by accident (Fisher's exact test, one-sided)."""

    def log_choose(n: int, k: int) -> float:
        return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)

    every = log_choose(total, group)
    return sum(
        exp(log_choose(missing, k) + log_choose(total - missing, group - k) - every)
        for k in range(with_it, min(group, missing) + 1)
        if group - k <= total - missing
    )


def _is_round(known: int) -> bool:
    """Whether a catalogue of so many rows looks cut off: 500, 1,000, 20,000."""
    return known >= _MIN_FEED and set(str(known)[1:]) == {"0"}
