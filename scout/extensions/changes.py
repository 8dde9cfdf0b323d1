"""After a complete crawl: tells a webhook what changed in the shop, with what was seen before and after."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from operator import attrgetter

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.utils.asyncio import run_in_thread

from scout.crawl.component import Component
from scout.extensions.webhook import tell
from scout.store import ChangeRecord, Store
from scout.store.batched import batched

AT_ONCE = 500  # changes in one message


class ChangeAlerts(Component):
    """Tells SCOUT_CHANGES_WEBHOOK. A crawl that is not complete, or that monitoring doubts, has no changes and tells nothing."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        if not self.setting("SCOUT_DATABASE"):
            raise NotConfigured
        self.webhook: str = self.setting("SCOUT_CHANGES_WEBHOOK")
        crawler.signals.connect(self.spider_opened, signal=signals.spider_opened)

    def spider_opened(self) -> None:
        """By now the scheduler has said that it will write down how the crawl ends: this comes after it."""
        self.context.add_record(self.tell_changes)

    async def tell_changes(self, reason: str) -> None:
        """Tell what is new; what could not be told is told after the next complete crawl."""
        outcome, shop = self.context.outcome, self.context.shop.name
        if self.context.failure is None and outcome is not None and outcome.state == "complete" and shop:
            self.count("changes/told", await run_in_thread(tell_changes, self.context.store(), shop, self.webhook))


def tell_changes(store: Store, shop: str, webhook: str) -> int:
    """Tell the webhook of the shop's changes that nobody was told yet, crawl by crawl; how many. Without a webhook nobody wants to know."""
    told = 0
    waiting = store.unsettled_changes(shop)
    for _, of_crawl in groupby(waiting, key=attrgetter("crawl")):
        for some in batched(of_crawl, AT_ONCE):
            if webhook and not _post(webhook, some):
                return told
            store.settle_changes([change.id for change in some])
            told += len(some) if webhook else 0
    return told


def _post(webhook: str, changes: Sequence[ChangeRecord]) -> bool:
    """Whether the webhook took them. A kill between its answer and the note of it has the same message sent again, with the same key."""
    first = changes[0]
    message = {"shop": first.shop, "crawl": first.crawl, "changes": [change.as_dict() for change in changes]}
    key = f"{first.shop} {first.crawl} {first.id}".encode("ascii", "backslashreplace").decode()
    return tell(webhook, message, {"Idempotency-Key": key})
