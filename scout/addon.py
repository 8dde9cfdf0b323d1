"""Scout in another Scrapy project: `ADDONS = {"scout.Addon": 500}`."""

from __future__ import annotations

from scrapy.settings import BaseSettings

import scout.settings
from scout.crawl.configuration import bring_settings


class Addon:
    """Makes Scout's spiders known to a project. They bring their settings and components along; no other spider notices."""

    @classmethod
    def update_pre_crawler_settings(cls, settings: BaseSettings) -> None:
        for module in scout.settings.SPIDER_MODULES:
            settings.add_to_list("SPIDER_MODULES", module)


class AllSpidersAddon(Addon):
    """Lets every spider of a project work as Scout's do, `scrapy shell` included. Scout's own project has this one."""

    def update_settings(self, settings: BaseSettings) -> None:
        bring_settings(settings)
