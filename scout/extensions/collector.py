"""Garbage collection that suits a crawl: what was there at its start is not looked through again and again for what could be freed."""

from __future__ import annotations

import gc

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured

from scout.crawl.component import Component


class CollectorExtension(Component):
    """Takes modules, settings and tables out of the collector's sight while a spider runs, and lets it look less often.

    Python looks for circles of garbage after every 700 new objects, and now and then at everything: a tenth of a crawl's processor
    time. What is no circle, which is nearly all, is freed at once in any case.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self.objects = self.setting("SCOUT_COLLECT_EVERY")
        if self.objects <= 0 or not gc.isenabled():
            raise NotConfigured("SCOUT_COLLECT_EVERY is 0")
        self.before: tuple[int, int, int] | None = None
        crawler.signals.connect(self.spider_opened, signal=signals.spider_opened)
        crawler.signals.connect(self.spider_closed, signal=signals.spider_closed)

    def spider_opened(self) -> None:
        gc.freeze()
        self.before = gc.get_threshold()
        gc.set_threshold(self.objects, *self.before[1:])

    def spider_closed(self) -> None:
        if self.before is not None:
            gc.set_threshold(*self.before)
            gc.unfreeze()
