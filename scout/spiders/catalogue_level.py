"""The shop's own catalogue as a level of the walk: read first, compared with pages, used as far as they agree.

Lists are walked as ever, but the pages of products that they show wait. When the catalogue is read, those of a sample are fetched, those
of products that the catalogue lacks, and those whose price a list contradicts. Where all of them agree with the catalogue, its products
are offers and the other pages are not fetched, but for products without a price and those that no list shows; else all pages are fetched,
as without it. What waits is kept in the frontier, so a killed crawl knows what it has not read.

Where the shop gives none, the data behind its lists is one (`take_list`), as soon as rendering has found it.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Iterator, Sequence
from enum import Enum
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from scrapy import Request
from scrapy.http import Response
from scrapy.utils.asyncio import run_in_thread
from twisted.python.failure import Failure

from scout.crawl.failure_reasons import rejection
from scout.extraction.variant_offers import variant_offers
from scout.frontier.ledger import settle_kept
from scout.items import CrawledOffer
from scout.offer import Evidence, Offer
from scout.page import Page
from scout.shop_catalogues.comparison import (
    CatalogueComparison,
    choose_sample,
    compare,
    has_price,
    is_price_of,
    shown_values,
)
from scout.shop_catalogues.model import CatalogueProduct, CatalogueRequest
from scout.shop_catalogues.own_data import answer_behind
from scout.shop_catalogues.platforms import OWN_DATA, Platform, catalogue_requests
from scout.shop_catalogues.reading import CatalogueReading, path_of
from scout.spiders.sources import catalogue_fetch, header_texts, is_same_site
from scout.url_rules import page_key
from scout.walking.steps import RECORD_HINT, Step
from scout.walking.walk import Walk

if TYPE_CHECKING:
    from scout.spiders.shop import ShopSpider

WITHHELD = "catalogue"  # the group of steps that wait for it

logger = logging.getLogger(__name__)


class Stage(Enum):
    """How far the crawl is with the catalogue."""

    OFF = "off"  # there is none, or it is not believed: the walk knows nothing of it
    READING = "reading"
    COMPARING = "comparing"
    COMPLETING = "completing"  # it is believed, and the pages of products are read for which it does not suffice
    USED = "used"  # its products are offers


class CatalogueLevel:
    """The shop's catalogue, and the steps of the walk that wait for it. Its methods are callbacks, as those of the spider are."""

    def __init__(self, spider: ShopSpider) -> None:
        self._spider = spider
        self.stage = Stage.OFF
        self._candidates: Iterator[tuple[Platform, CatalogueRequest]] = iter(())
        self._reading: CatalogueReading | None = None
        self._lists: CatalogueReading | None = None  # the data behind the shop's lists, where rendering has found it
        self._useless: list[str] = []  # why catalogues before this one gave nothing
        self._withheld: list[Step] = []
        self._sample: dict[str, CatalogueProduct] = {}  # by the place of its page
        self._offers: dict[str, Offer] = {}  # of the sample's pages, by the product's key
        self._comparison: CatalogueComparison | None = None
        self._given = 0
        self._stored: set[str] = set()  # paths and whole addresses of offers that came through the pipelines
        self._lacking: set[str] = set()  # places of what lists show as products and the catalogue lacks
        self._unlisted: set[str] = set()  # keys of products that no list shows, perhaps hidden ones: their pages tell
        self._unpriced: set[str] = set()  # keys of products whose price it lacks

    @property
    def is_under_way(self) -> bool:
        """Whether steps wait for the catalogue."""
        return self.stage in (Stage.READING, Stage.COMPARING, Stage.COMPLETING)

    @property
    def is_unsettled(self) -> bool:
        """Whether products that lists show have their offers from the catalogue, and the account does not know it yet."""
        return self.stage is Stage.USED and bool(self._withheld)

    @property
    def _known(self) -> CatalogueReading:
        assert self._reading is not None
        return self._reading

    # --- reading ------------------------------------------------------------------------------------------------------

    def begin(self, front_page: Page) -> Iterator[Request]:
        """What to ask first of the shop."""
        if self._is_wanted:
            self._candidates = catalogue_requests(front_page, agent=self._spider.setting("SCOUT_UCP_PROFILE"))
            yield from self._requests(self._next_candidate())

    @property
    def _is_wanted(self) -> bool:
        """Not for a part of a shop or reviews, which only pages have, nor for what a subclass reads of them; a crawl that goes on walks."""
        spider, args = self._spider, self._spider.args
        is_whole = urlsplit(spider.start_url).path == "/" and not args.part and not args.scope
        needs_pages = args.reviews or spider.reads_extra_fields
        is_wanted = "catalogue" in args.discover and spider.setting("SCOUT_CATALOGUE_SAMPLE") > 0
        return is_wanted and is_whole and not needs_pages and spider.context.earlier is None

    def _requests(self, asked: CatalogueRequest | None) -> Iterator[Request]:
        """What to ask of the catalogue; where there is nothing more to ask, the pages to compare it with."""
        while asked is not None and not is_same_site(asked.url, self._spider.start_url):
            asked = self._fail("it leads to another site")
        if asked is not None:
            yield catalogue_fetch(asked, self.parse, self.failed, {"asked": asked})
        elif self.is_under_way and self._reading is not self._lists:
            yield from self._spider.follow(self._compared_pages())

    def parse(self, response: Response, asked: CatalogueRequest) -> Iterator[Request]:
        """An answer of the shop's catalogue; after the last one, pages are compared with it."""
        self._spider.count_event("catalogue/answers")
        if is_same_site(response.url, self._spider.start_url):
            following = self._known.add(asked, response.body, header_texts(response)) or self._end_reading()
        else:
            following = self._fail("it leads to another site")
        yield from self._requests(following)

    def failed(self, failure: Failure) -> Iterator[Request]:
        """A catalogue that cannot be had, or not in full."""
        yield from self._requests(self._fail(rejection(failure.value)))

    def _fail(self, flaw: str) -> CatalogueRequest | None:
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
            self._begin_lists()
            return None
        self.stage = Stage.READING
        self._reading = CatalogueReading(*found)
        return found[1]

    def take_list(self, page: Page) -> None:
        """A list of the shop: an answer of a catalogue where it was made of the data behind it, and these products wait from now on."""
        answer = answer_behind(page) if self._is_wanted and self._comparison is None else None
        if answer is not None:
            self._lists = self._lists or CatalogueReading(OWN_DATA, answer.request)
            self._lists.extend(answer)
            if self.stage is Stage.OFF:
                self._begin_lists()

    def _begin_lists(self) -> None:
        """The shop gives no other catalogue: its lists are what is read."""
        if self._lists is not None:
            self.stage, self._reading = Stage.READING, self._lists

    def _compared_pages(self) -> list[Step]:
        """The catalogue is read: the pages to compare it with, and all that waited, of which some has to wait on."""
        reading, walk = self._known, self._spider.walk
        reading.end(lambda product: is_own(product, walk))
        unread = [product for product in reading.products.values() if not self._is_read(product)]
        if not unread:
            return self._leave()
        self.stage = Stage.COMPARING
        size, seed = (
            self._spider.setting("SCOUT_CATALOGUE_SAMPLE"),
            f"{self._spider.shop} {self._spider.context.crawl_id}",
        )
        sample = choose_sample(unread, size, seed)
        self._sample = {reading.place(product.url): product for product in sample}
        return [*walk.list_pages([product.url for product in sample], RECORD_HINT), *self._take_withheld()]

    # --- comparing ----------------------------------------------------------------------------------------------------

    def holds(self, step: Step) -> bool:
        """Whether the step shall wait, perhaps for ever."""
        if self.stage is Stage.OFF or step.shown != "product":
            return False
        if self.stage is not Stage.READING and self._is_asked(step):
            return False
        self._withheld.append(step)
        return True

    def _is_asked(self, step: Step) -> bool:
        """Whether the page must be seen: the catalogue lacks the product, the list contradicts its price, or it is of the sample."""
        product = self._known.product_at(step.url)
        if product is None:
            self._lacking.add(page_key(step.url))
            return True
        where = self._known.place(product.url)
        if self._is_left_to_pages(product):
            return True
        if self.stage is Stage.COMPARING and step.price is not None and not is_price_of(product, step.price):
            self._sample[where] = product
        return self.stage is Stage.COMPARING and where in self._sample

    def take_offer(self, offer: Offer) -> None:
        """An offer that came through the pipelines: of the sample, perhaps, or of the catalogue itself."""
        if offer.get("parent"):
            return
        for url in (offer["url"], *offer.get("urls", ())):
            self._stored |= {path_of(url), page_key(url)}
            if self.stage is Stage.COMPARING and (product := self._sample.get(self._known.place(url))):
                self._offers[product.key] = offer

    def conclude(self, response: Response) -> Iterator[Any]:
        """Nothing else is left to fetch: what the comparison allows comes from the catalogue, and the walk goes on where it must."""
        if self.stage is Stage.READING:  # its lists, which are all read now
            yield from self._spider.follow(self._compared_pages())
            return
        for offer in self._believed_offers():
            if not offer.get("parent"):
                self._spider.products.add(offer["url"])
            self._spider.count_event("catalogue/offers")
            yield offer
        yield from self._spider.follow(self._released_steps())

    def _believed_offers(self) -> Iterator[CrawledOffer]:
        """The offers that come from the catalogue, if it is believed and no further page is needed."""
        if self.stage is Stage.COMPARING:
            made = self._comparison = compare(self._sample.values(), self._offers)
            logger.info("The shop's %s catalogue: %s", self._known.platform.name, made)
            if not self._is_believed(made) or self._leave_some_to_pages():
                return
        self.stage = Stage.USED
        steps = self._withheld_by_product()
        for product in self._known.products.values():
            if not self._is_left_to_pages(product):
                yield from self._offers_of(product, steps.get(product.key, ()))

    def _is_believed(self, made: CatalogueComparison) -> bool:
        return made.is_of_shop and not made.from_pages

    def _leave_some_to_pages(self) -> bool:
        """Leave it to their pages what products without a price cost, and whether those that no list shows are sold."""
        listed = self._withheld_by_product().keys() | self._offers.keys()
        open_ones = [product for product in self._known.products.values() if not self._is_read(product)]
        self._unpriced = {product.key for product in open_ones if not has_price(product)}
        if any(product.key in listed for product in open_ones):  # else its lists cannot be read
            self._unlisted = {product.key for product in open_ones if product.key not in listed}
        return bool(self._unpriced or self._unlisted)

    def _is_read(self, product: CatalogueProduct) -> bool:
        """Whether its page has given its offer."""
        return product.key in self._offers or self._known.place(product.url) in self._stored

    def _is_left_to_pages(self, product: CatalogueProduct) -> bool:
        return product.key in self._unpriced or product.key in self._unlisted

    def _withheld_by_product(self) -> dict[str, list[Step]]:
        steps: dict[str, list[Step]] = {}
        for step in self._withheld:
            if product := self._known.product_at(step.url):
                steps.setdefault(product.key, []).append(step)
        return steps

    def _offers_of(self, product: CatalogueProduct, shown_by: Sequence[Step]) -> Iterator[CrawledOffer]:
        assert self._comparison is not None
        offer = catalogue_offer(product, self._comparison, self._spider.shop, self._known.platform.name, shown_by)
        read = self._offers.get(product.key)
        if not self._is_read(product):
            self._given += 1
            yield offer
        elif read is not None and not read.get("variants"):  # of a page that does not list them
            offer["url"] = read["url"]
            yield from map(CrawledOffer.of, variant_offers(offer))

    def _released_steps(self) -> list[Step]:
        """The steps with which the walk goes on: all, where the catalogue is not believed, else those that it leaves to pages."""
        if self.stage is Stage.USED:
            return []
        made, walk, products = self._comparison, self._spider.walk, list(self._known.products.values())
        if made is not None and self._is_believed(made):
            self.stage = Stage.COMPLETING
            unlisted = walk.list_pages([p.url for p in products if p.key in self._unlisted], RECORD_HINT)
            return [*self._take_withheld(), *unlisted]
        is_of_shop = made is not None and made.is_of_shop
        return [*self._leave(), *walk.list_pages([p.url for p in products if is_of_shop], RECORD_HINT)]

    async def settle(self, response: Response) -> AsyncIterator[Request]:
        """The products that lists show are read where the catalogue's offer is stored: a kill before this reads their pages.

        Where a pipeline has dropped it, the page is read after all.
        """
        withheld, context = self._take_withheld(), self._spider.context
        if context.crawl_id is not None:
            settled = [step.url for step in withheld if self._known.place(step.url) in self._stored]
            await run_in_thread(settle_kept, context.store(), context.crawl_id, settled)
        for step in withheld:
            if self._known.place(step.url) not in self._stored:
                yield self._spider.page_request(step)

    def _leave(self) -> list[Step]:
        self.stage = Stage.OFF
        return self._take_withheld()

    def _take_withheld(self) -> list[Step]:
        withheld, self._withheld = self._withheld, []
        return withheld

    # --- what is said about it ----------------------------------------------------------------------------------------

    def describe(self) -> str:
        """What came from the catalogue and what did not, in numbers; nothing where the shop has none."""
        parts = list(self._useless)
        if self._comparison is not None:  # else the crawl ended before
            parts.append(f"its {self._known.platform.name} catalogue {self._describe_use(self._comparison)}")
        return "".join(f"; {part}" for part in parts)

    def _describe_use(self, made: CatalogueComparison) -> str:
        reading = self._known
        if not made.is_of_shop:
            return f"was not used ({made})"
        if made.from_pages:
            return f"gave addresses only ({made})"
        details = [str(made)]
        details += [f"not all of it: {reading.flaw}"] if reading.flaw else []
        details += [f"{reading.repeated:,} products came twice"] if reading.repeated else []
        details += [f"{len(self._lacking):,} that lists show are not in it"] if self._lacking else []
        details += [f"left to pages: {len(self._unlisted):,} that no list shows"] if self._unlisted else []
        details += [f"left to pages: {len(self._unpriced):,} without a price"] if self._unpriced else []
        return f"gave {self._given:,} of them in {reading.pages} answers ({'; '.join(details)})"


def is_own(product: CatalogueProduct, walk: Walk) -> bool:
    """Whether the product's page is on the shop's own site."""
    return product.url.startswith(("http://", "https://")) and product.url.split("/")[2].lower() in walk.hosts


def catalogue_offer(
    product: CatalogueProduct, made: CatalogueComparison, shop: str, platform: str, shown_by: Sequence[Step] = ()
) -> CrawledOffer:
    """The offer of a product, as the catalogue has it; what pages contradict is left out. `shown_by` are steps of lists that lead to it."""
    values: dict[str, Any] = {
        name: value for name, value in shown_values(product, made.shown).items() if name not in made.wrong
    }
    if made.currency and "price" in values:
        values.setdefault("currency", made.currency)
    if product.variants:
        values["variants"] = [dict(variant) for variant in product.variants]
    seen = f"{platform} catalogue, compared with {made.pages} pages"
    evidence = {name: Evidence(seen, raw=str(value)[:500], origin="catalogue") for name, value in values.items()}
    if path := max((step.category for step in shown_by), key=len, default=()):
        values["category"] = list(path)
        evidence["category"] = Evidence("the path of lists that lead to it", origin="walk")
    urls = dict.fromkeys([product.url, *(step.url for step in shown_by)])
    offer = Offer({**values, "url": product.url, "urls": list(urls), "shop": shop}, evidence=evidence)
    return CrawledOffer.of(offer, is_declared=True)
