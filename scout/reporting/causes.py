"""Why offers are probably missing: each missing offer gets the first cause that explains it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from scout.fields import CATEGORY_STEP
from scout.reporting.breakdown import CategoryBranch, category_tree, shares_by
from scout.reporting.inputs import ShopOffer

_MIN_OFFERS = 5  # in a group: fewer show no pattern
_NEARLY_ALL = 0.95  # of a group is missing: then the group is, not single offers
_CUT_RATE = 0.9  # of the offers beyond a price are missing: it is a cut
_CUT_CONTRAST = 0.5  # and on the other side at most this part of that rate
_LIFT = 2.0  # times as often missing with a property as without it: the property is a cause
_EXAMPLES = 5
NO_PATTERN = "no pattern"


@dataclass(frozen=True)
class Cause:
    """A likely cause with the positions of the offers it explains; `detail` is the category, brand or price."""

    kind: str
    detail: str
    offers: tuple[int, ...]

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
    """What the finders of causes need. `compared_since` is the time of the import, if the shop had been crawled before it."""

    found: Sequence[ShopOffer]
    missing: set[int]
    matched: set[int]
    compared_since: datetime | None = None


Explained = Iterable[tuple[str, set[int]]]  # (detail, positions)
Finder = Callable[[Case], Explained]


def likely_causes(case: Case, asked: set[int] | None = None) -> list[Cause]:
    """The causes, most frequent first; their counts add up to the number of missing offers, or of those `asked` for.

    An offer that several causes would explain goes to the most specific one, which is the order of FINDERS.
    """
    left = set(case.missing if asked is None else asked)
    made = []
    for kind, finder in FINDERS.items():
        for detail, positions in finder(case):
            explained = sorted(positions & left)
            if explained:
                made.append(Cause(kind, detail, tuple(explained)))
                left -= positions
    made.sort(key=lambda cause: -cause.count)
    if left:
        made.append(Cause(NO_PATTERN, "", tuple(sorted(left))))
    return made


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


def _missing_categories(case: Case) -> Explained:
    """The largest categories that are missing (almost) completely."""
    tree = category_tree(case.found, case.missing)
    if tree.rate >= _NEARLY_ALL:
        return  # everything is missing: categories do not explain it
    for branch in _topmost_missing(tree):
        depth = len(branch.path)
        missing = {p for p in case.missing if case.found[p].category[:depth] == branch.path}
        yield CATEGORY_STEP.join(branch.path), missing


def _topmost_missing(branch: CategoryBranch) -> Iterable[CategoryBranch]:
    """The highest branches that are missing completely."""
    for child in branch.sorted_children():
        if child.offers >= _MIN_OFFERS and child.rate >= _NEARLY_ALL:
            yield child
        elif child.missing:
            yield from _topmost_missing(child)


def _missing_brands(case: Case) -> Explained:
    """Brands that are missing (almost) completely."""
    if len(case.missing) >= _NEARLY_ALL * len(case.found):
        return
    for share in shares_by(case.found, case.missing, lambda item: item.text("brand")):
        if share.name and share.offers >= _MIN_OFFERS and share.rate >= _NEARLY_ALL:
            yield share.name, {p for p in case.missing if case.found[p].text("brand") == share.name}


def _beyond_a_price(case: Case) -> Explained:
    """A price above (or below) which nearly all offers are missing, while most others are not."""
    priced = sorted((price, p) for p, item in enumerate(case.found) if (price := item.price) is not None)
    missing_flags = [p in case.missing for _, p in priced]
    above = best_cut(missing_flags)
    if above is not None:
        low = priced[above][0]
        yield f">= {low}", {p for price, p in priced if price >= low}
    below = best_cut(missing_flags[::-1])
    if below is not None:
        high = priced[len(priced) - 1 - below][0]
        yield f"<= {high}", {p for price, p in priced if price <= high}


def best_cut(missing_flags: Sequence[bool]) -> int | None:
    """The first position after which (nearly) all are missing, while most before it are not; None where there is none."""
    total, before = sum(missing_flags), 0
    for position, is_missing in enumerate(missing_flags):
        beyond = len(missing_flags) - position
        if is_missing and beyond >= _MIN_OFFERS and position >= _MIN_OFFERS:
            rate = (total - before) / beyond
            if rate >= _CUT_RATE and before / position <= _CUT_CONTRAST * rate:
                return position
        before += is_missing
    return None


def _variants_of_known(case: Case) -> Explained:
    """Variants of a product of which the catalogue has another one."""
    families: dict[str, set[int]] = defaultdict(set)
    for position, item in enumerate(case.found):
        families[item.text("parent") or item.text("url")].add(position)
    yield "", {position for family in families.values() if family & case.matched for position in family & case.missing}


def _with_value(name: str, value: str) -> Finder:
    """Offers with this value of a field ("" for none), if they are missing clearly more often."""

    def finder(case: Case) -> Explained:
        group = {position for position, item in enumerate(case.found) if item.text(name) == value}
        if _is_missing_more_often(group, case):
            yield "", group & case.missing

    return finder


def _is_missing_more_often(group: set[int], case: Case) -> bool:
    """Whether a group is missing clearly more often than the rest."""
    rest = len(case.found) - len(group)
    if len(group & case.missing) < _MIN_OFFERS or not rest:
        return False
    return len(group & case.missing) / len(group) >= _LIFT * len(case.missing - group) / rest


FINDERS: Mapping[str, Finder] = {
    "duplicate": _duplicates,
    "newer than the import": _newer_than_import,
    "category": _missing_categories,
    "brand": _missing_brands,
    "price range": _beyond_a_price,
    "variant": _variants_of_known,
    "no EAN": _with_value("ean", ""),
    "out of stock": _with_value("availability", "OutOfStock"),
    "no price": _with_value("price", ""),
}


def cut_price(detail: str) -> Decimal:
    """The price in the detail of a price cut."""
    return Decimal(detail.split()[-1])
