"""How the crawl of a shop ends: what is kept for the next one, and what is said of it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from scrapy.exceptions import DropItem
from scrapy.utils.asyncio import run_in_thread

from scout.offer import Offer
from scout.reporting.crawl_summary import COMPLETENESS, why_pages_look_empty
from scout.walking.crawl_budget import not_asked

if TYPE_CHECKING:
    from scout.spiders.shop import ShopSpider

NO_ACCOUNT = "whether that is all is not known, because no account is kept without SCOUT_DATABASE and SCOUT_FRONTIER"


class Conclusion:
    """What this run came to: its offers, and why products gave none."""

    def __init__(self, spider: ShopSpider) -> None:
        self._spider = spider
        self._offers = 0
        self._dropped: Counter[str] = Counter()

    def take_item(self, item: Any) -> None:
        """An item that came through the pipelines."""
        if isinstance(item, Offer):
            self._offers += 1
            self._spider.catalogue.take_offer(item)

    def take_dropped(self, exception: DropItem) -> None:
        """A pipeline did not want an item."""
        self._dropped[type(exception).__name__] += 1

    async def close(self, reason: str) -> None:
        """All pages are read."""
        spider, context = self._spider, self._spider.context
        crawl = context.crawl_id
        if spider.walk.part.is_limited and spider.setting("SCOUT_DATABASE") and crawl is not None:
            # before the crawl counts as complete: else all that is outside would be gone
            await run_in_thread(context.store().limit_to_part, crawl)
        if spider.refresh is not None and crawl is not None:
            await run_in_thread(spider.refresh.save, spider)
        if context.failure is not None:
            return
        spider.products.update(context.stored_products)
        if reason == "finished" and not spider.refresh and (nothing := self._why_nothing_was_found()):
            context.fail(nothing)
            return
        if not spider.args.scope:
            await run_in_thread(spider.sample.save)
            await run_in_thread(spider.database.save_index)
        self._state_outcome()

    def _state_outcome(self) -> None:
        spider, context = self._spider, self._spider.context
        outcome = context.outcome or f"{self._offers} products found; {NO_ACCOUNT}"
        bounded = spider.walk.shapes.bounded()
        refreshed = spider.refresh.describe(context.stored_products) if spider.refresh else ""
        left_out = f"{not_asked(bounded.values())}{spider.gatherer.describe()}"
        statement = f"{outcome}{refreshed}{spider.catalogue.describe()}{left_out}"
        spider.stats.set_value(COMPLETENESS, statement)
        for shape, left in bounded.items():
            spider.stats.inc_value("scout/trap/bounded", left.count)
            spider.logger.info("Bounded: %s, like %s", left, shape)
        spider.logger.info("%s: %s", spider.shop, statement)

    def _why_nothing_was_found(self) -> str | None:
        """Why there is no product or no offer; None where there is one."""
        spider, knowledge = self._spider, self._spider.context.knowledge
        if not spider.products:
            found = spider.gatherer.found
            because = why_pages_look_empty(knowledge.blocked_requests, knowledge.unrendered.values())
            because = because or (f"{found}" if found else "Is it a shop?")
            return f"No product found on {spider.start_url} ({spider.pages} pages read). {because}"
        if self._offers or spider.context.stored_products or not self._dropped:
            return None
        reasons = ", ".join(f"{count} × {name}" for name, count in self._dropped.most_common())
        return (
            f"No offer of {len(spider.products)} products found on {spider.start_url} ({reasons}). "
            f"scout explain {min(spider.products)} says what one of their pages lacks"
        )
