"""The shop's own catalogue as a level of the walk: read first, compared with pages, used as far as they agree.

Lists are walked as ever, but the pages of products that they show wait. When the catalogue is read, those of a sample are fetched, those
of products that the catalogue lacks, and those whose price a list contradicts. Where all of them agree with the catalogue, its products
are offers and the other pages are not fetched, but for products without a price and those that no list shows; else all pages are fetched,
as without it. What waits is kept in the frontier, so a killed crawl knows what it has not read.

Where the shop gives none, the data behind its lists is one (`take_list`), as soon as rendering has found it.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
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
from scout.shop_catalogues.comparison import CatalogueComparison, shown_values
from scout.shop_catalogues.model import CatalogueProduct, CatalogueRequest
from scout.shop_catalogues.own_data import answer_behind
from scout.shop_catalogues.platforms import OWN_DATA, Platform, catalogue_requests
from scout.shop_catalogues.reading import CatalogueReading
from scout.shop_catalogues.use import CatalogueUse, Stage
from scout.spiders.sources import catalogue_fetch, header_texts, is_same_site
from scout.walking.steps import RECORD_HINT, Step
from scout.walking.walk import Walk

if TYPE_CHECKING:
    from scout.spiders.shop import ShopSpider

WITHHELD = "catalogue"  # the group of steps that wait for it


class CatalogueLevel:
    """The shop's catalogue, and the steps of the walk that wait for it. Its methods are callbacks, as those of the spider are."""

    def __init__(self, spider: ShopSpider) -> None:
        self._spider = spider
        self._use = CatalogueUse()
        self._candidates: Iterator[tuple[Platform, CatalogueRequest]] = iter(())
        self._lists: CatalogueReading | None = None  # the data behind the shop's lists, where rendering has found it
        self._useless: list[str] = []  # why catalogues before this one gave nothing
        self._withheld: list[Step] = []

    @property
    def is_under_way(self) -> bool:
        """Whether steps wait for the catalogue."""
        return self._use.is_under_way

    @property
    def is_unsettled(self) -> bool:
        """Whether products that lists show have their offers from the catalogue, and the account does not know it yet."""
        return self._use.stage is Stage.USED and bool(self._withheld)

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
        elif self.is_under_way and not self._use.is_reading(self._lists):
            yield from self._spider.follow(self._compared_pages())

    def parse(self, response: Response, asked: CatalogueRequest) -> Iterator[Request]:
        """An answer of the shop's catalogue; after the last one, pages are compared with it."""
        self._spider.count_event("catalogue/answers")
        if is_same_site(response.url, self._spider.start_url):
            following = self._use.reading.add(asked, response.body, header_texts(response)) or self._end_reading()
        else:
            following = self._fail("it leads to another site")
        yield from self._requests(following)

    def failed(self, failure: Failure) -> Iterator[Request]:
        """A catalogue that cannot be had, or not in full."""
        yield from self._requests(self._fail(rejection(failure.value)))

    def _fail(self, flaw: str) -> CatalogueRequest | None:
        self._use.reading.fail(flaw)
        return self._end_reading()

    def _end_reading(self) -> CatalogueRequest | None:
        reading = self._use.reading
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
        self._use.begin(CatalogueReading(*found))
        return found[1]

    def take_list(self, page: Page) -> None:
        """A list of the shop: an answer of a catalogue where it was made of the data behind it, and these products wait from now on."""
        answer = answer_behind(page) if self._is_wanted and self._use.comparison is None else None
        if answer is not None:
            self._lists = self._lists or CatalogueReading(OWN_DATA, answer.request)
            self._lists.extend(answer)
            if self._use.stage is Stage.OFF:
                self._begin_lists()

    def _begin_lists(self) -> None:
        """The shop gives no other catalogue: its lists are what is read."""
        if self._lists is not None:
            self._use.begin(self._lists)

    def _compared_pages(self) -> list[Step]:
        """The catalogue is read: the pages to compare it with, and all that waited, of which some has to wait on."""
        spider, walk = self._spider, self._spider.walk
        self._use.reading.end(lambda product: is_own(product, walk))
        seed = f"{spider.shop} {spider.context.crawl_id}"
        sample = self._use.begin_comparison(spider.setting("SCOUT_CATALOGUE_SAMPLE"), seed)
        return [*walk.list_pages([product.url for product in sample], RECORD_HINT), *self._take_withheld()]

    # --- comparing ----------------------------------------------------------------------------------------------------

    def holds(self, step: Step) -> bool:
        """Whether the step shall wait, perhaps for ever."""
        if step.shown != "product" or self._use.needs_page(step.url, step.price):
            return False
        self._withheld.append(step)
        return True

    def take_offer(self, offer: Offer) -> None:
        """An offer that came through the pipelines."""
        self._use.take_offer(offer)

    def conclude(self, response: Response) -> Iterator[Any]:
        """Nothing else is left to fetch: what the comparison allows comes from the catalogue, and the walk goes on where it must."""
        if self._use.stage is Stage.READING:  # its lists, which are all read now
            yield from self._spider.follow(self._compared_pages())
            return
        steps = self._withheld_by_product()
        if self._use.judge(steps) is not Stage.USED:
            listed = self._spider.walk.list_pages(self._use.pages_to_read(), RECORD_HINT)
            yield from self._spider.follow([*self._take_withheld(), *listed])
            return
        for product, read in self._use.used_products():
            for offer in self._offers_of(product, read, steps.get(product.key, ())):
                if not offer.get("parent"):
                    self._spider.products.add(offer["url"])
                self._spider.count_event("catalogue/offers")
                yield offer

    def _withheld_by_product(self) -> dict[str, list[Step]]:
        steps: dict[str, list[Step]] = {}
        for step in self._withheld:
            if product := self._use.reading.product_at(step.url):
                steps.setdefault(product.key, []).append(step)
        return steps

    def _offers_of(
        self, product: CatalogueProduct, read: Mapping[str, Any] | None, shown_by: Sequence[Step]
    ) -> Iterator[CrawledOffer]:
        """The product's offer; only its variants, where its page was read and does not list them."""
        made = self._use.comparison
        assert made is not None
        offer = catalogue_offer(product, made, self._spider.shop, self._use.reading.platform.name, shown_by)
        if read is None:
            yield offer
        elif not read.get("variants"):
            offer["url"] = read["url"]
            yield from map(CrawledOffer.of, variant_offers(offer))

    async def settle(self, response: Response) -> AsyncIterator[Request]:
        """The products that lists show are read where the catalogue's offer is stored: a kill before this reads their pages.

        Where a pipeline has dropped it, the page is read after all.
        """
        withheld, context = self._take_withheld(), self._spider.context
        if context.crawl_id is not None:
            settled = [step.url for step in withheld if self._use.is_stored(step.url)]
            await run_in_thread(settle_kept, context.store(), context.crawl_id, settled)
        for step in withheld:
            if not self._use.is_stored(step.url):
                yield self._spider.page_request(step)

    def _take_withheld(self) -> list[Step]:
        withheld, self._withheld = self._withheld, []
        return withheld

    def describe(self) -> str:
        """What came from the catalogue and what did not, in numbers; nothing where the shop has none."""
        return "".join(f"; {part}" for part in (*self._useless, str(self._use)) if part)


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
