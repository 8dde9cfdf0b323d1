"""What rules read from pages whose offers are known: how many values of each field are right, other than known, or missing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from scout.extraction.extractor import extract
from scout.fields import CATEGORY_STEP, field
from scout.learning.index import PageIndex
from scout.learning.learner import accepted_texts
from scout.learning.occurrences import Occurrence, find_occurrences
from scout.offer import Offer
from scout.page import Page
from scout.rules import ShopRules, apply_rules
from scout.urls import clean_url

IDENTIFYING = frozenset({"title", "sku", "ean"})  # hardly two products share one
MIN_PAGES = 8  # pages with a known offer: fewer cannot be halved into pages to learn from and pages to prove on
MIN_PROVEN = 3  # pages that must confirm a new place without having taught it, or show a value that is no longer read
BROKEN = 0.2  # share of a field's pages that its rules no longer read, above which new places are looked for
VOLATILE = frozenset({"price", "list_price", "availability", "shipping", "base_price", "delivery_time"})


class KnownPage:
    """A page of this crawl with the offer that an earlier one stored for it."""

    def __init__(self, page: Page, offer: Mapping[str, Any], rules: ShopRules) -> None:
        self.page, self.rules = page, rules
        self.facts = {name: texts for name, value in offer.items() if (texts := _texts(name, value))}

    @cached_property
    def seen(self) -> Offer:
        """What the page says when it is read alone, without rules."""
        return extract(self.page)

    def shown_facts(self, names: Iterable[str]) -> dict[str, Sequence[str]]:
        """The known values that still stand somewhere on the page: facts that did not change."""
        return {name: self.facts[name] for name in names if self.shows(name)}

    def shows(self, name: str) -> bool:
        """Whether the known value stands anywhere on the page."""
        return bool(self._occurrences(name))

    def shows_whole(self, name: str) -> bool:
        """Whether a text says the known value and no other: "120.50" is not in "9120.50"."""
        return any(occurrence.is_alone for occurrence in self._occurrences(name))

    def _occurrences(self, name: str) -> list[Occurrence]:
        return find_occurrences(self._index, field(name), self.facts[name]) if name in self.facts else []

    @cached_property
    def _index(self) -> PageIndex:
        return PageIndex(self.page)

    @cached_property
    def read(self) -> Offer:
        """What the rules of yesterday read from it."""
        return apply_rules(self.page, self.rules)

    @cached_property
    def witness(self) -> Mapping[str, Any]:
        """What the page says when it is read alone, if what names the product there, or where it stood, names the known one."""
        return self.seen if self._names_product(self.read) or self._names_product(self.seen) else {}

    @property
    def is_about_offer(self) -> bool:
        """Whether the page shows any lasting fact of its offer, in whatever design; an error page and another product's page do not."""
        lasting = self.facts.keys() - VOLATILE
        if not lasting or any(name in self.read and self.is_known(name, self.read[name]) for name in lasting):
            return True
        return bool(self.shown_facts(lasting))

    def _names_product(self, values: Mapping[str, Any]) -> bool:
        """Whether all that tells this product from others is as known."""
        lasting = self.facts.keys() - VOLATILE
        given = [name for name in (lasting & IDENTIFYING or lasting) if name in values]
        return not lasting or (bool(given) and all(self.is_known(name, values[name]) for name in given))

    def is_known(self, name: str, value: Any) -> bool:
        """Whether a value is the known one."""
        return is_same(name, value, self.facts[name])


@dataclass(frozen=True)
class Tally:
    """The pages of one field: `right` as known, `other` than known, `missing`."""

    right: int = 0
    other: int = 0
    missing: int = 0

    @property
    def pages(self) -> int:
        """All pages whose value is known."""
        return self.right + self.other + self.missing

    def __str__(self) -> str:
        return f"{self.right} right, {self.other} other, {self.missing} missing"


@dataclass(frozen=True)
class FieldReading:
    """The values of one field that rules read from known pages, and on which of these only a reserve still read one."""

    name: str
    values: tuple[tuple[KnownPage, Any], ...]
    by_reserve: tuple[KnownPage, ...] = ()

    @property
    def given(self) -> list[tuple[KnownPage, Any]]:
        """The pages with a value."""
        return [(page, value) for page, value in self.values if value is not None]

    @cached_property
    def tally(self) -> Tally:
        """How many are as known."""
        right = sum(page.is_known(self.name, value) for page, value in self.given)
        return Tally(right, len(self.given) - right, len(self.values) - len(self.given))


def readings(rules: ShopRules, offers: Sequence[tuple[KnownPage, Offer]]) -> dict[str, FieldReading]:
    """What was read from the pages that have it, for each field with rules. All fields are read together: some confirm others."""
    found = {}
    for name, entry in rules.fields.items():
        if entry.rules:
            having = [(page, offer) for page, offer in offers if name in page.facts]
            reserves = {rule.place for rule in entry.rules if rule.reserve}
            moved = tuple(p for p, offer in having if name in offer and offer.evidence[name].selector in reserves)
            found[name] = FieldReading(name, tuple((page, offer.get(name)) for page, offer in having), moved)
    return found


def known_pages(known: Mapping[str, Mapping[str, Any]], pages: Iterable[Page], rules: ShopRules) -> list[KnownPage]:
    """The pages whose address has a stored offer, each once, in the order of their addresses."""
    by_address = {clean_url(url): offer for url, offer in known.items()}
    found = {address: page for page in pages if (address := clean_url(page.url)) in by_address}
    return [KnownPage(found[address], by_address[address], rules) for address in sorted(found)]


def is_same(name: str, value: Any, other: Any) -> bool:
    """Whether two values of a field, each a text or accepted texts, may mean the same."""
    kind = field(name)
    return any(kind.same(one, two) for one in _texts(name, value) for two in _texts(name, other))


def _texts(name: str, value: Any) -> Sequence[str]:
    if name == "category" and isinstance(value, list):
        value = CATEGORY_STEP.join(map(str, value))
    return accepted_texts(value)


def lost_pages(reading: FieldReading) -> list[KnownPage]:
    """The pages whose value the rules no longer read; a field may change if the page, read alone, says the same.

    Where few values have changed, nothing needs to be explained: to read a page alone takes longer than all else here.
    """
    name, others = reading.name, [page for page, value in reading.given if not page.is_known(reading.name, value)]
    if name in VOLATILE:
        read = dict(reading.values)
        is_usual = len(others) <= BROKEN * reading.tally.pages
        others = [p for p in others if not is_usual and not is_same(name, read[p], p.witness.get(name))]
    return [page for page, value in reading.values if value is None] + others


def is_broken(reading: FieldReading, lost: Sequence[KnownPage]) -> bool:
    """Whether the rules of a field fail on so many pages that the shop's design must have changed.

    Few pages are enough where nothing is read although the known value stands on them.
    """
    if len(lost) > BROKEN * reading.tally.pages and len(lost) >= MIN_PAGES:
        return True
    return sum(value is None and page.shows(reading.name) for page, value in reading.values) >= MIN_PROVEN
