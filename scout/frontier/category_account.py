"""What may be said of each category of a shop: computed from the account in the database, by whoever comes last."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from scout.crawl.account import MAX_CONFLICTS, UNREAD, AccountState
from scout.extraction.breadcrumbs import CategoryPath
from scout.fields import CATEGORY_STEP

NEARLY_ALL = 0.9  # of the products in one list: then its count is that of the whole shop
MAX_CATEGORIES = 1_000  # whose figures are kept with the crawl
_CONFLICTS = frozenset({AccountState.NO_PRODUCT, AccountState.GONE})

T = TypeVar("T")


@dataclass
class CategoryFacts:
    """What the account and the offers say; addresses by the keys that lists name them by.

    `shown` are the addresses in the lists of each category, `stated` the shop's own counts, `records` how many
    their pages have together, `states` what the addresses of products came
    to, `offers` the offer at each address, `own` the offers that name the category themselves, `unread_lists` the categories of lists,
    or pages of lists, that were not read.
    """

    shown: dict[CategoryPath, set[str]] = field(default_factory=dict)
    stated: dict[CategoryPath, int] = field(default_factory=dict)
    records: Mapping[CategoryPath, int] = field(default_factory=dict)
    states: dict[str, AccountState] = field(default_factory=dict)
    offers: dict[str, int] = field(default_factory=dict)
    own: dict[CategoryPath, set[int]] = field(default_factory=dict)
    unread_lists: set[CategoryPath] = field(default_factory=set)

    def add_listing(self, category: Iterable[str], shown: Iterable[str], stated: int | None) -> None:
        """A page of a list."""
        path = tuple(category)
        self.shown.setdefault(path, set()).update(shown)
        if stated:
            self.stated[path] = max(stated, self.stated.get(path, 0))


def category_figures(facts: CategoryFacts) -> dict[str, dict[str, int]]:
    """The figures of each category that has a list or is named by an offer, the largest first: plain data, kept with the crawl.

    `crawled` offers there are in it and below it, `seen` addresses in its own lists, `unread` addresses of its lists and those below that
    were not read, `stated` the shop's own count, where there is one; `complete` 1 or 0.
    """
    listed, own = _with_categories_below(facts.shown), _with_categories_below(facts.own)
    everything = set(facts.offers.values()).union(*facts.own.values())
    figures = {}
    for path in {*facts.shown, *facts.own} - {()}:
        addresses = listed.get(path, set())
        offers = own.get(path, set()) | set(_offers_at(addresses, facts))
        is_of_all = len(offers) >= NEARLY_ALL * len(everything) and facts.stated.get(path, 0) >= len(everything)
        crawled = len(everything if is_of_all else offers)
        figures[path] = _figures(path, addresses, crawled, facts)
    largest = sorted(figures.items(), key=lambda item: (-item[1]["crawled"], item[0]))[:MAX_CATEGORIES]
    return {CATEGORY_STEP.join(path): counts for path, counts in largest}


def products_beyond_shown(facts: CategoryFacts, offers: int) -> dict[CategoryPath, int]:
    """How many products lists say they hold, or have room for, beyond those that their pages, and those of the categories below them, led
    to; by category, none of them below another.

    A list that shows nearly all products is of all, however its order changed. Nothing is missing of a list, either, if all that it shows
    stands in a longer one that repeats nothing and shows as many as it states: what the shorter one passed over is there.
    """
    sizes = {path: max(facts.stated.get(path, 0), facts.records.get(path, 0)) for path in facts.shown}
    whole = [there for path, there in facts.shown.items() if len(there) >= sizes[path]]
    shown, own = _with_categories_below(facts.shown), _with_categories_below(facts.own)
    missing: dict[CategoryPath, int] = {}
    for path in sorted(facts.shown, key=len):
        held = max(len(shown[path]), len(own.get(path, ())))
        held = max(held, offers) if held >= NEARLY_ALL * offers else held
        gap = sizes[path] - held
        if gap > 0 and not any(shown[path] <= longer and sizes[path] <= len(longer) for longer in whole):
            missing[path] = gap
    return {
        path: gap for path, gap in missing.items() if not any(path[:depth] in missing for depth in range(len(path)))
    }


def _figures(path: CategoryPath, addresses: set[str], crawled: int, facts: CategoryFacts) -> dict[str, int]:
    states = [facts.states[address] for address in addresses if address in facts.states]
    unread = sum(state in UNREAD for state in states)
    conflicts = sum(state in _CONFLICTS for state in states)
    stated = facts.stated.get(path)
    is_short = stated is not None and stated > max(crawled, len(addresses))
    is_lost = any(path[: len(lost)] == lost or lost[: len(path)] == path for lost in facts.unread_lists)
    is_complete = not (unread or is_short or is_lost or conflicts > MAX_CONFLICTS * len(states))
    counts = {"crawled": crawled, "seen": len(facts.shown.get(path, ())), "unread": unread}
    return counts | ({} if stated is None else {"stated": stated}) | {"complete": int(is_complete)}


def _offers_at(addresses: Iterable[str], facts: CategoryFacts) -> Iterator[int]:
    return (facts.offers[address] for address in addresses if address in facts.offers)


def _with_categories_below(entries: Mapping[CategoryPath, set[T]]) -> dict[CategoryPath, set[T]]:
    """The entries of each category together with those of the categories below it."""
    merged: dict[CategoryPath, set[T]] = {}
    for path, there in entries.items():
        for depth in range(len(path) + 1):
            merged.setdefault(path[:depth], set()).update(there)
    return merged
