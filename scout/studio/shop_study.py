"""What the studio knows of a shop while somebody works on it: its rules, a sample of its pages, what its catalogue says."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from scout.correction import Mark, PageEffect, field_marks, is_huge, page_effect, with_locked_rule
from scout.crawl.page_limits import limit_broken
from scout.extraction.induction import induce
from scout.extraction.process_page import ProductKnowledge, process_page
from scout.kept_page import KeptPage
from scout.matching.columns import rows_by_field
from scout.offer import Evidence, Offer
from scout.page import Page
from scout.rules import Rule, ShopRules
from scout.spiders.rules_store import load_rules
from scout.store import Store, browsing, overrides
from scout.store.batched import batched
from scout.store.browsing import StudiedPage
from scout.store.identity import digest
from scout.store.shops import shop_id

SAMPLE = 24  # pages that a rule is chosen on; its effect is measured on all
BATCH = 20  # pages in memory at once
SHOWN_EFFECTS = 8  # pages of each kind
MAX_STUDIES = 6


@dataclass
class PageStudy:
    """A page, the offer that today's rules and persons make of it, and where its values stand."""

    pointer: StudiedPage
    page: Page
    offer: Offer
    marks: Sequence[Mark]
    reason: str | None  # why it is no product
    rules: ShopRules | None
    version: str  # of the rules


@dataclass
class ShopEffect:
    """What new rules do to all pages that were looked at so far."""

    pages: int = 0
    changed: list[PageEffect] = field(default_factory=list)  # the first few in which the field changes
    conflicts: list[PageEffect] = field(default_factory=list)
    lost: list[PageEffect] = field(default_factory=list)
    changes: int = 0
    empty: int = 0  # pages without a value afterwards
    known: int = 0
    conflict_count: int = 0
    conflict_count_before: int = 0
    others: dict[str, int] = field(default_factory=dict)  # other fields that change as well

    def add(self, effect: PageEffect, name: str) -> None:
        """Count a page."""
        self.pages += 1
        self.empty += not effect.value
        self.known += effect.is_known
        self.conflict_count += effect.is_conflict
        self.conflict_count_before += effect.was_conflict
        if effect.change_of(name) is not None:
            self.changes += 1
            _keep(self.changed, effect)
        if effect.is_conflict:
            _keep(self.conflicts, effect)
        if effect.reason is not None:
            _keep(self.lost, effect)
            return
        for change in effect.changes:
            if change.field != name:
                self.others[change.field] = self.others.get(change.field, 0) + 1


def _keep(effects: list[PageEffect], effect: PageEffect) -> None:
    if len(effects) < SHOWN_EFFECTS:
        effects.append(effect)


class StudyRoom:
    """Studies of pages and shops, the last few of which are remembered. Trees are read by one thread at a time."""

    def __init__(self, store: Store, rules_directory: str) -> None:
        self._store, self._directory = store, rules_directory
        self._studies: OrderedDict[Any, PageStudy] = OrderedDict()
        self._samples: dict[str, tuple[Any, list[Page]]] = {}
        self._offers: dict[str, int | None] = {}  # of the sample, by address
        self.lock = threading.RLock()

    # --- rules --------------------------------------------------------------------------------------------------------
    def rules(self, shop: str) -> tuple[ShopRules | None, str]:
        """The shop's rules and their version: a digest, so that it also changes when somebody edits the file."""
        rules = load_rules(shop, self._directory, self._store)
        return rules, digest(rules.to_yaml()) if rules is not None else "none"

    def base_rules(self, shop: str) -> ShopRules:
        """The rules that a correction builds on: the shop's own or, where there are none yet, what a crawl would induce."""
        rules, _ = self.rules(shop)
        if rules is None:
            with self.lock:
                rules = induce(self.sample(shop))
            rules.shop = shop
        return rules

    def rules_with(self, shop: str, name: str, rule: Rule) -> ShopRules:
        """The shop's rules with this one first."""
        return with_locked_rule(self.base_rules(shop), shop, name, rule)

    # --- pages --------------------------------------------------------------------------------------------------------
    def page(self, pointer: StudiedPage) -> PageStudy:
        """The study of a page."""
        shop = pointer.page.shop or ""
        rules, version = self.rules(shop)
        set_values = self._overrides(shop, pointer.offer)
        key = pointer.id, digest(pointer.page.html), version, str(set_values)
        with self.lock:
            if key not in self._studies:
                self._studies[key] = self._study(pointer, rules, version, set_values)
                while len(self._studies) > MAX_STUDIES:
                    self._studies.popitem(last=False)
            self._studies.move_to_end(key)
            return self._studies[key]

    def _study(
        self,
        pointer: StudiedPage,
        rules: ShopRules | None,
        version: str,
        set_values: Mapping[str, overrides.OverrideRecord],
    ) -> PageStudy:
        page = Page(pointer.page.url, pointer.page.html)
        if (problem := limit_broken(pointer.page.html)) is not None:
            return PageStudy(pointer, Page(page.url, ""), Offer(), (), problem, rules, version)
        offer, reason = self._offer(pointer, page, rules)
        marks = field_marks(page, offer)
        for name, record in set_values.items():
            offer = Offer({**offer, name: record.value}, evidence=offer.evidence)
            note = f"set by {record.person} on {record.decided_at:%Y-%m-%d}"
            offer.evidence[name] = Evidence(f"set by {record.person}", origin=overrides.OVERRIDE, note=note)
        return PageStudy(pointer, page, offer, marks, reason, rules, version)

    def _offer(self, pointer: StudiedPage, page: Page, rules: ShopRules | None) -> tuple[Offer, str | None]:
        """What is read from the page, or why it is no product; a huge page is not read again, what is stored of it is taken."""
        if pointer.offer is not None and is_huge(page) and (stored := self._store.offers_by_id([pointer.offer])):
            return stored[0], None
        result = process_page(page, rules, _known(pointer.page))
        return result.offer, result.reason

    def _overrides(self, shop: str, offer: int | None) -> dict[str, overrides.OverrideRecord]:
        if offer is None:
            return {}
        with self._store.reading() as connection:
            id_ = shop_id(connection, shop)
            urls = browsing.addresses_of_offer(connection, offer)
            return overrides.overrides(connection, id_ or 0, urls)

    def sample(self, shop: str) -> list[Page]:
        """Kept product pages of the shop, spread over all of them, parsed once."""
        with self._store.reading() as connection:
            ids = browsing.product_page_ids(connection, shop)
            step = max(1, len(ids) // SAMPLE)
            pointers = browsing.studied_pages(connection, ids[::step][:SAMPLE])
        key = [(pointer.id, digest(pointer.page.html)) for pointer in pointers]
        with self.lock:
            if self._samples.get(shop, (None,))[0] != key:
                sound = [one.page for one in pointers if limit_broken(one.page.html) is None]
                self._samples = {shop: (key, [Page(one.url, one.html) for one in sound])}  # one shop at a time
                self._offers = {pointer.page.url: pointer.offer for pointer in pointers}
            return self._samples[shop][1]

    def sampled_values(self, shop: str, name: str) -> dict[str, str]:
        """What the catalogue says of this field, by the addresses of the sample."""
        truths = self.catalogue_values(shop, name)
        pages = self.sample(shop)
        return {page.url: truths[offer] for page in pages if (offer := self._offers.get(page.url) or 0) in truths}

    def studied_pages(self, ids: Iterable[int]) -> Iterator[Sequence[StudiedPage]]:
        """These pages, a few at a time."""
        for some in batched(ids, BATCH):
            with self._store.reading() as connection:
                pointers = browsing.studied_pages(connection, some)
            yield pointers

    # --- the whole shop -----------------------------------------------------------------------------------------------
    def effect(self, shop: str, rules: ShopRules, name: str, first: int, job: Any) -> ShopEffect:
        """What these rules do to all kept pages, page `first` first; `job` gets the progress."""
        truths = self.catalogue_values(shop, name)
        found: ShopEffect = job.result
        with self._store.reading() as connection:
            ids = browsing.product_page_ids(connection, shop)
        ids.sort(key=lambda id_: id_ != first)
        job.total = len(ids)
        for pointers in self.studied_pages(ids):
            stored = {o.id: o for o in self._store.offers_by_id([p.offer for p in pointers if p.offer is not None])}
            for pointer in sorted(pointers, key=lambda pointer: pointer.id != first):
                if job.is_unwanted:
                    return found
                found.add(self._page_effect(pointer, rules, stored, name, truths), name)
                job.done += 1
        return found

    def _page_effect(
        self,
        pointer: StudiedPage,
        rules: ShopRules,
        stored: Mapping[int, Mapping[str, Any]],
        name: str,
        truths: Mapping[int, str],
    ) -> PageEffect:
        page, offer = pointer.page, pointer.offer or 0
        before = stored.get(offer, {})
        return page_effect(Page(page.url, page.html), rules, _known(page), before, name, truths.get(offer))

    def catalogue_values(self, shop: str, name: str) -> dict[int, str]:
        """Offer id -> what the catalogue says of this field, for matched offers."""
        known = self._store.known_offers(shop)
        values = {row.id: fields.get(name) for row, fields in zip(known, rows_by_field(known), strict=True)}
        found = {match.offer_id: values.get(match.known_offer_id) for match in self._store.matches(shop)}
        return {offer: str(value) for offer, value in found.items() if value not in (None, "")}


def _known(page: KeptPage) -> ProductKnowledge:
    return ProductKnowledge(page.shop or "", tuple(page.known.get("category", ())), values=page.known.get("values", {}))
