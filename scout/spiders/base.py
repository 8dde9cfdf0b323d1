"""How a spider asks for Scout."""

from __future__ import annotations

from scrapy import Spider
from scrapy.settings import BaseSettings

from scout.crawl.configuration import bring_settings


class ScoutSpider(Spider):
    """A spider that runs with Scout's settings and components, in any project; what the project itself sets wins.

    Put it before other base classes: `class MySpider(ScoutSpider, CrawlSpider)`.
    """

    @classmethod
    def update_settings(cls, settings: BaseSettings) -> None:
        bring_settings(settings)
        super().update_settings(settings)
