"""Why offers are missing, as far as a pattern tells: each missing offer gets the first cause that explains it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from scout.fields import CATEGORY_STEP
from scout.reporting.breakdown import CategoryBranch, category_tree, shares
from scout.reporting.inputs import Found

LEAST = 5  # offers: fewer show no pattern
NEARLY_ALL = 0.95  # of a group missing: the group is missing, not single offers
CUT_RATE = 0.9  # missing beyond a price, where it is a cut
CUT_CONTRAST = 0.5  # and at most this part of it missing on the other side
LIFT = 2.0  # times as often missing with a property as without: the property matters
EXAMPLES = 5
NO_PATTERN = "no pattern"


@dataclass(frozen=True)
class Cause:
    """A likely cause with the offers (by position) that it explains; `detail` names the category, brand or price it speaks of."""

    kind: str
    detail: str
    offers: tuple[int, ...]

    @property
    def count(self) -> int:
        """How many missing offers it explains."""
        return len(self.offers)

    @property
    def examples(self) -> tuple[int, ...]:
        """A few of them."""
        return self.offers[:EXAMPLES]


@dataclass(frozen=True)
class Case:
    """What the finders of causes look at. `compared_since` is when the catalogue was imported, if the shop had been crawled before."""

    found: Sequence[Found]
    missing: set[int]
    matched: set[int]
    compared_since: datetime | None = None


Explained = Iterable[tuple[str, set[int]]]  # (detail, positions)
Finder = Callable[[Case], Explained]


def causes(case: Case, asked: set[int] | None = None) -> list[Cause]:
    """The causes, the most frequent first; their counts add up to the number of missing offers, or of those `asked` for.

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


def duplicates(case: Case) -> Explained:
    """Offers that are a second entry of one that the catalogue has: the same EAN, or the same title at the same price."""
    have = {key for position in case.matched for key in identity(case.found[position])}
    yield "", {position for position in case.missing if have & set(identity(case.found[position]))}


def identity(item: Found) -> list[tuple[str, str]]:
    """What tells that two offers of one shop are the same."""
    keys = []
    if item.text("ean"):
        keys.append(("ean", item.text("ean")))
    elif item.text("title") and not item.text("sku"):
        keys.append((item.text("title").casefold(), item.text("price")))
    return keys


def newer(case: Case) -> Explained:
    """Offers that the shop got after the catalogue was imported."""
    since = case.compared_since
    if since is not None:
        yield since.date().isoformat(), {p for p in case.missing if (seen := case.found[p].first_seen) and seen > since}


def categories(case: Case) -> Explained:
    """Whole categories, the largest that are (nearly) all missing."""
    tree = category_tree(case.found, case.missing)
    if tree.rate >= NEARLY_ALL:
        return  # everything is missing: that is no matter of categories
    for branch in topmost(tree):
        depth = len(branch.path)
        yield (
            CATEGORY_STEP.join(branch.path),
            {p for p in case.missing if case.found[p].category[:depth] == branch.path},
        )


def topmost(branch: CategoryBranch) -> Iterable[CategoryBranch]:
    """The highest branches that are missing as a whole."""
    for child in branch.sorted_children():
        if child.offers >= LEAST and child.rate >= NEARLY_ALL:
            yield child
        elif child.missing:
            yield from topmost(child)


def brands(case: Case) -> Explained:
    """Whole brands."""
    if len(case.missing) >= NEARLY_ALL * len(case.found):
        return
    for share in shares(case.found, case.missing, lambda item: item.text("brand")):
        if share.name and share.offers >= LEAST and share.rate >= NEARLY_ALL:
            yield share.name, {p for p in case.missing if case.found[p].text("brand") == share.name}


def price_cut(case: Case) -> Explained:
    """A price beyond which nearly all is missing, and below (or above) which most is not."""
    priced = sorted((price, p) for p, item in enumerate(case.found) if (price := item.price) is not None)
    lost = [p in case.missing for _, p in priced]
    above = best_cut(lost)
    if above is not None:
        low = priced[above][0]
        yield f">= {low}", {p for price, p in priced if price >= low}
    below = best_cut(lost[::-1])
    if below is not None:
        high = priced[len(priced) - 1 - below][0]
        yield f"<= {high}", {p for price, p in priced if price <= high}


def best_cut(lost: Sequence[bool]) -> int | None:
    """The first position from which on (nearly) all is lost, while before it most is not; None where there is none."""
    total, before = sum(lost), 0
    for position, is_lost in enumerate(lost):
        beyond = len(lost) - position
        if beyond < LEAST or position < LEAST:
            before += is_lost
            continue
        rate = (total - before) / beyond
        if is_lost and rate >= CUT_RATE and before / position <= CUT_CONTRAST * rate:
            return position
        before += is_lost
    return None


def variants(case: Case) -> Explained:
    """Variants of a product of which the catalogue has another one."""
    families: dict[str, set[int]] = defaultdict(set)
    for position, item in enumerate(case.found):
        families[item.text("parent") or item.text("url")].add(position)
    yield "", {position for family in families.values() if family & case.matched for position in family & case.missing}


def lacking(name: str) -> Finder:
    """Offers without a field, where that makes them missing clearly more often."""

    def finder(case: Case) -> Explained:
        without = {position for position, item in enumerate(case.found) if not item.text(name)}
        if stands_out(without, case):
            yield "", without & case.missing

    return finder


def out_of_stock(case: Case) -> Explained:
    """Offers that cannot be had, where that makes them missing clearly more often."""
    without = {position for position, item in enumerate(case.found) if item.text("availability") == "OutOfStock"}
    if stands_out(without, case):
        yield "", without & case.missing


def stands_out(group: set[int], case: Case) -> bool:
    """Whether a group is missing clearly more often than the rest."""
    rest = len(case.found) - len(group)
    if len(group & case.missing) < LEAST or not rest:
        return False
    return len(group & case.missing) / len(group) >= LIFT * len(case.missing - group) / rest


FINDERS: Mapping[str, Finder] = {
    "duplicate": duplicates,
    "newer than the import": newer,
    "category": categories,
    "brand": brands,
    "price range": price_cut,
    "variant": variants,
    "no EAN": lacking("ean"),
    "out of stock": out_of_stock,
    "no price": lacking("price"),
}


def cut_price(detail: str) -> Decimal:
    """The price that a cut's detail names."""
    return Decimal(detail.split()[-1])
