"""The shop's own catalogue as a level of the walk: read first, compared with pages, used as far as they agree.

While it is read and compared, the steps of the walk wait. Compared are a sample of product pages, the first pages of some lists, and the
pages of products that these lists contradict or that the catalogue lacks. Then either its products are offers, and nothing else is
fetched that it has, or the walk goes on as it would have without it.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from enum import Enum
from typing import Any

from scout.extraction.variant_offers import variant_offers
from scout.items import CrawledOffer
from scout.offer import Evidence, Offer
from scout.page import Page
from scout.shop_catalogues.comparison import CatalogueComparison, choose_sample, compare, is_price_of, shown_values
from scout.shop_catalogues.model import CatalogueProduct, CatalogueRequest
from scout.shop_catalogues.platforms import Platform, catalogue_requests
from scout.shop_catalogues.reading import CatalogueReading, place
from scout.walking.walk import RECORD_HINT, Step, Walk

LISTS = 8  # whose first pages are compared: some 200 prices in as many requests
MAX_DOUBTS = 20  # products in lists that are looked up on their pages: more make no difference to what follows

logger = logging.getLogger(__name__)


class Stage(Enum):
    """How far the crawl is with the catalogue."""

    OFF = "off"  # there is none, or it is not believed: the walk knows nothing of it
    READING = "reading"
    COMPARING = "comparing"
    USED = "used"  # its products are offers; the walk goes on, but for them, where it must


class CatalogueLevel:
    """What the spider knows of the shop's catalogue, and which steps of the walk it makes wait."""

    def __init__(self) -> None:
        self.stage = Stage.OFF
        self._candidates: Iterator[tuple[Platform, CatalogueRequest]] = iter(())
        self._reading: CatalogueReading | None = None
        self._useless: list[str] = []  # why catalogues before this one gave nothing
        self._waiting: list[Step] = []
        self._sample: dict[str, CatalogueProduct] = {}  # by the place of its page
        self._unanswered: set[str] = set()
        self._offers: dict[str, Offer] = {}  # of the compared pages, by the product's key
        self._comparison: CatalogueComparison | None = None
        self._given = 0
        self._shown: set[str] = set()  # places of products that lists show
        self._doubted: set[str] = set()  # ... and contradict
        self._lacking: set[str] = set()  # ... and the catalogue lacks
        self._found_lacking: set[str] = set()  # ... whose page is a product's indeed

    @property
    def is_under_way(self) -> bool:
        """Whether steps wait for the catalogue."""
        return self.stage in (Stage.READING, Stage.COMPARING)

    @property
    def is_due(self) -> bool:
        """Whether all pages have come with which it is compared."""
        return self.stage is Stage.COMPARING and not self._unanswered

    @property
    def _known(self) -> CatalogueReading:
        assert self._reading is not None
        return self._reading

    # --- reading ------------------------------------------------------------------------------------------------------

    def begin(self, page: Page, agent: str) -> CatalogueRequest | None:
        """What to ask first of the shop with this front page; `agent` is the profile that manifests want to know."""
        self._candidates = catalogue_requests(page, agent=agent)
        return self._next_candidate()

    def take(self, request: CatalogueRequest, body: bytes, headers: Mapping[str, str]) -> CatalogueRequest | None:
        """An answer; what to ask next, None where the catalogue is read."""
        following = self._known.add(request, body, headers)
        return following or self._end_reading()

    def fail(self, flaw: str) -> CatalogueRequest | None:
        """The catalogue cannot be had, or not in full; what to ask in its place."""
        self._known.fail(flaw)
        return self._end_reading()

    def _end_reading(self) -> CatalogueRequest | None:
        reading = self._known
        if reading.products:
            return None
        if reading.platform.signs or reading.pages:  # else it was only asked whether there is one
            self._useless.append(
                f"its {reading.platform.name} catalogue was not used ({reading.flaw or 'it is empty'})"
            )
        return self._next_candidate()

    def _next_candidate(self) -> CatalogueRequest | None:
        found = next(self._candidates, None)
        if found is None:
            return None
        self.stage = Stage.READING
        self._reading = CatalogueReading(*found)
        return found[1]

    def compared_pages(self, walk: Walk, size: int, seed: str) -> list[Step]:
        """The catalogue is read: the pages to compare it with; all that waits, where it gave nothing."""
        reading = self._known
        reading.end(lambda product: is_own(product, walk))
        sample = choose_sample(list(reading.products.values()), size, seed)
        self._sample = {place(product.url): product for product in sample}
        steps = list(walk.list_pages([product.url for product in sample], RECORD_HINT))
        if not steps:
            return self._leave()
        self.stage = Stage.COMPARING
        self._unanswered = {step.url for step in steps}
        lists = [step for step in self._waiting if step.shown == "list"][:LISTS]
        self._unanswered.update(step.url for step in lists)
        waiting, self._waiting = self._waiting, []
        return [*steps, *(step for step in waiting if not self.holds(step))]

    # --- comparing ----------------------------------------------------------------------------------------------------

    def holds(self, step: Step) -> bool:
        """Whether the step shall not be asked, now or ever."""
        if self.stage is Stage.OFF or step.url in self._unanswered:
            return False
        product = self._known.product_at(step.url) if step.shown == "product" else None
        if self.stage is Stage.USED:
            return product is not None
        if self.stage is Stage.COMPARING and step.shown == "product" and self._is_doubtful(step, product):
            self._unanswered.add(step.url)
            return False
        self._waiting.append(step)
        return True

    def _is_doubtful(self, step: Step, product: CatalogueProduct | None) -> bool:
        """Whether the page must be seen to know who is right: the list that shows the product, or the catalogue."""
        where = place(step.url if product is None else product.url)
        self._shown.add(where)
        if product is not None and (step.price is None or is_price_of(product, step.price)):
            return False
        doubts = self._lacking if product is None else self._doubted
        is_new = where not in doubts and len(doubts) < MAX_DOUBTS and where not in self._sample
        doubts.add(where)
        if is_new and product is not None:
            self._sample[where] = product
        return is_new

    def answered(self, url: str) -> None:
        """The page at this address has come, or will not."""
        self._unanswered.discard(url)

    def compare_with(self, offer: Offer) -> None:
        """An offer of a page: one of those that are compared, perhaps."""
        if self.stage is not Stage.COMPARING or offer.get("parent"):
            return
        for where in map(place, (offer["url"], *offer.get("urls", ()))):
            if where in self._lacking:
                self._found_lacking.add(where)
            if where in self._sample:
                self._offers[self._sample[where].key] = offer

    def conclude(self, shop: str) -> Iterator[CrawledOffer]:
        """The pages are there: the offers that come from the catalogue, if it is believed."""
        made = self._comparison = compare(self._sample.values(), self._offers)
        logger.info("The shop's %s catalogue: %s", self._known.platform.name, made)
        if not made.is_of_shop or made.from_pages:
            return
        for product in self._known.products.values():
            offer, read = catalogue_offer(product, made, shop, self._known.platform.name), self._offers.get(product.key)
            if read is None:
                self._given += 1
                yield offer
            elif not read.get("variants"):  # of a page that does not list them
                offer["url"] = read["url"]
                yield from map(CrawledOffer.of, variant_offers(offer))

    def released(self, walk: Walk) -> list[Step]:
        """The steps with which the walk goes on, if it does: not where the catalogue is whole and has all that lists show."""
        made = self._comparison
        assert made is not None
        if not made.is_of_shop:
            return self._leave()
        if made.from_pages:
            urls = [product.url for product in self._known.products.values()]
            return [*self._leave(), *walk.list_pages(urls, RECORD_HINT)]
        self.stage = Stage.USED
        waiting, self._waiting = self._waiting, []
        is_whole = self._known.flaw is None and not self._found_lacking and len(self._lacking) <= MAX_DOUBTS
        return [] if is_whole else [step for step in waiting if not self.holds(step)]

    def _leave(self) -> list[Step]:
        self.stage = Stage.OFF
        waiting, self._waiting = self._waiting, []
        return waiting

    # --- what is said about it ----------------------------------------------------------------------------------------

    def told(self) -> str:
        """What came from the catalogue and what did not, in numbers; nothing where the shop has none."""
        parts = list(self._useless)
        if self._comparison is not None:
            parts.append(f"its {self._known.platform.name} catalogue {self._told_of_use(self._comparison)}")
        return "".join(f"; {part}" for part in parts)

    def _told_of_use(self, made: CatalogueComparison) -> str:
        reading = self._known
        if not made.is_of_shop:
            return f"was not used ({made})"
        if made.from_pages:
            return f"gave addresses only ({made})"
        details = [str(made)]
        details += [f"not all of it: {reading.flaw}"] if reading.flaw else []
        details += [f"{reading.repeated:,} products came twice"] if reading.repeated else []
        details.append(f"lists show {len(self._shown):,} products, {len(self._found_lacking):,} of them not in it")
        return f"gave {self._given:,} of them in {reading.pages} answers ({'; '.join(details)})"


def is_own(product: CatalogueProduct, walk: Walk) -> bool:
    """Whether the product's page is on the shop's own site."""
    return product.url.startswith(("http://", "https://")) and product.url.split("/")[2].lower() in walk.hosts


def catalogue_offer(product: CatalogueProduct, made: CatalogueComparison, shop: str, platform: str) -> CrawledOffer:
    """The offer of a product, as the catalogue has it; what pages contradict is left out."""
    values: dict[str, Any] = {
        name: value for name, value in shown_values(product, made.shown).items() if name not in made.wrong
    }
    if made.currency and "price" in values:
        values.setdefault("currency", made.currency)
    if product.variants:
        values["variants"] = [dict(variant) for variant in product.variants]
    seen = f"{platform} catalogue, compared with {made.pages} pages"
    evidence = {name: Evidence(seen, raw=str(value)[:500], origin="catalogue") for name, value in values.items()}
    offer = Offer({**values, "url": product.url, "urls": [product.url], "shop": shop}, evidence=evidence)
    return CrawledOffer.of(offer, is_declared=True)
