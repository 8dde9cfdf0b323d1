"""The shop's own catalogue as a level of the walk: read first, compared with a sample of pages, used as far as they agree.

While it is read and compared, the steps of the walk wait. Then either its products are offers, and a few lists and what they show
beside it are all that is fetched, or the walk goes on as it would have without it.
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
from scout.shop_catalogues.comparison import MAX_LACKING, CatalogueComparison, choose_sample, compare, shown_values
from scout.shop_catalogues.model import CatalogueProduct
from scout.shop_catalogues.platforms import recognise
from scout.shop_catalogues.reading import CatalogueReading, place
from scout.walking.walk import RECORD_HINT, Step, Walk

LISTS = 8  # of the shop that are asked whether they show what the catalogue lacks

logger = logging.getLogger(__name__)


class Stage(Enum):
    """How far the crawl is with the catalogue."""

    OFF = "off"  # there is none, or it is not believed: the walk knows nothing of it
    READING = "reading"
    SAMPLING = "sampling"
    LISTS = "lists"  # its products are offers; lists are asked for what it lacks
    USED = "used"  # its products are offers; the walk goes on, but for them
    DONE = "done"


class CatalogueLevel:
    """What the spider knows of the shop's catalogue, and which steps of the walk it makes wait."""

    def __init__(self) -> None:
        self.stage = Stage.OFF
        self._reading: CatalogueReading | None = None
        self._waiting: list[Step] = []
        self._sample: dict[str, CatalogueProduct] = {}  # by the place of its page
        self._unanswered: set[str] = set()
        self._offers: dict[str, Offer] = {}  # of the sample's pages, by the product's key
        self._comparison: CatalogueComparison | None = None
        self._given = 0
        self._shown: set[str] = set()  # products that lists show and the catalogue has
        self._missing: set[str] = set()  # ... and lacks

    @property
    def is_under_way(self) -> bool:
        """Whether steps wait for the catalogue."""
        return self.stage in (Stage.READING, Stage.SAMPLING, Stage.LISTS)

    @property
    def is_due(self) -> bool:
        """Whether all pages of this stage have come."""
        return self.stage in (Stage.SAMPLING, Stage.LISTS) and not self._unanswered

    @property
    def _known(self) -> CatalogueReading:
        assert self._reading is not None
        return self._reading

    # --- reading ------------------------------------------------------------------------------------------------------

    def begin(self, page: Page) -> str | None:
        """Where the catalogue of the shop with this front page begins; None where the page tells of none."""
        platform = recognise(page)
        if platform is None:
            return None
        self.stage = Stage.READING
        self._reading = CatalogueReading(platform, platform.first_url(page.url))
        return self._reading.first_url

    def take(self, url: str, body: bytes, headers: Mapping[str, str]) -> str | None:
        """An answer; the address to ask next, None where there is none."""
        return self._known.add(url, body, headers)

    def fail(self, flaw: str) -> None:
        """The catalogue cannot be had, or not in full."""
        self._known.fail(flaw)

    def sampled(self, walk: Walk, size: int, seed: str) -> list[Step]:
        """The catalogue is read: the pages to compare it with; all that waits, where it gave nothing."""
        reading = self._known
        reading.end(lambda product: is_own(product, walk))
        sample = choose_sample(list(reading.products.values()), size, seed)
        self._sample = {place(product.url): product for product in sample}
        steps = list(walk.list_pages([product.url for product in sample], RECORD_HINT))
        if not steps:
            return self._leave()
        self.stage = Stage.SAMPLING
        self._unanswered = {step.url for step in steps}
        return steps

    # --- comparing ----------------------------------------------------------------------------------------------------

    def holds(self, step: Step) -> bool:
        """Whether the step shall not be asked, now or ever."""
        if self.stage in (Stage.OFF, Stage.DONE) or step.url in self._unanswered:
            return False
        if self.stage in (Stage.LISTS, Stage.USED) and step.shown == "product":
            is_known = self._known.has(step.url)
            (self._shown if is_known else self._missing).add(step.url)
            return is_known
        if self.stage is Stage.USED:
            return False
        self._waiting.append(step)
        return True

    def answered(self, url: str) -> None:
        """The page at this address has come, or will not."""
        self._unanswered.discard(url)

    def compare_with(self, offer: Offer) -> None:
        """An offer of a page: of the sample, perhaps."""
        if self.stage is Stage.SAMPLING and not offer.get("parent"):
            for url in (offer["url"], *offer.get("urls", ())):
                product = self._sample.get(place(url))
                if product is not None:
                    self._offers[product.key] = offer

    def conclude(self, shop: str) -> Iterator[CrawledOffer]:
        """The pages of this stage are there: the offers that come from the catalogue, if it is believed."""
        if self.stage is Stage.LISTS:
            return
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
        """The steps with which the walk goes on, if it does."""
        made = self._comparison
        assert made is not None
        if not made.is_of_shop:
            return self._leave()
        if made.from_pages:
            urls = [product.url for product in self._known.products.values()]
            return [*self._leave(), *walk.list_pages(urls, RECORD_HINT)]
        if self.stage is Stage.SAMPLING and self._known.flaw is None:
            return self._asked_lists()
        shown = len(self._shown) + len(self._missing)
        is_short = self._known.flaw is not None or len(self._missing) > MAX_LACKING * shown
        self.stage = Stage.USED if is_short else Stage.DONE
        waiting, self._waiting = self._waiting, []
        return waiting if is_short else []

    def _asked_lists(self) -> list[Step]:
        """Some lists, and products that are shown already and not in the catalogue."""
        self.stage = Stage.LISTS
        waiting, self._waiting = self._waiting, []
        lists = [step for step in waiting if step.shown == "list"][:LISTS]
        products = [step for step in waiting if step.shown == "product" and not self.holds(step)]
        asked = {step.url for step in (*lists, *products)}
        self._waiting += [step for step in waiting if step.url not in asked and step.shown != "product"]
        self._unanswered = asked
        return [*lists, *products]

    def _leave(self) -> list[Step]:
        self.stage = Stage.OFF
        waiting, self._waiting = self._waiting, []
        return waiting

    # --- what is said about it ----------------------------------------------------------------------------------------

    def told(self) -> str:
        """What came from the catalogue and what did not, in numbers; nothing where the shop has none."""
        reading, made = self._reading, self._comparison
        if reading is None:
            return ""
        name = f"; its {reading.platform.name} catalogue"
        if made is None:
            return f"{name} was not used ({reading.flaw or 'it is empty'})"
        if not made.is_of_shop:
            return f"{name} was not used ({made})"
        if made.from_pages:
            return f"{name} gave addresses only ({made})"
        return f"{name} gave {self._given:,} of them in {reading.pages} answers ({made}{self._told_of_lists()})"

    def _told_of_lists(self) -> str:
        reading = self._known
        flaw = f"; not all of it: {reading.flaw}" if reading.flaw else ""
        repeated = f"; {reading.repeated:,} products came twice" if reading.repeated else ""
        lists = (
            f"; lists show {len(self._shown) + len(self._missing):,} products, {len(self._missing):,} of them not in it"
        )
        return f"{flaw}{repeated}{lists}"


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
