"""FormsSpider: the offers of a database that lies behind a query form. How it is asked is in `scout.spiders.databases`."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from pydantic import Field, field_validator
from scrapy import Request
from scrapy.settings import BaseSettings
from scrapy.utils.asyncio import run_in_thread
from twisted.python.failure import Failure

from scout.crawl.context import EarlierRuns, ShopRef
from scout.forms.soif import SUMMARY, descriptive_attributes, write_object
from scout.reporting.crawl_summary import COMPLETENESS
from scout.spiders.arguments import SpiderArguments, web_address
from scout.spiders.databases import DatabaseSpider
from scout.urls import shop_name

ITEMS_AT_ONCE = 100  # one answer may hold thousands of offers


class FormsArguments(SpiderArguments):
    """What `scrapy crawl forms -a NAME=VALUE` accepts."""

    url: str = Field(description="the address of the query form, or of a DBContent document")
    shop: str | None = Field(None, description="the name under which the offers are stored; otherwise the form's host")

    details: bool = Field(
        False, description="without metadata: fetch the page of every offer, not only the result lists"
    )

    soif: str | None = Field(None, description="a file for the attribute index, in the format SOIF")

    @field_validator("url")
    @classmethod
    def _is_web(cls, value: str) -> str:
        return web_address(value)


class FormsSpider(DatabaseSpider):
    """Collect what a query form gives access to: `-a url=https://shop.example/search`."""

    name = room = "forms"
    arguments = FormsArguments

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.has_details = self.args.details

    @classmethod
    def update_settings(cls, settings: BaseSettings) -> None:
        settings.set("CONCURRENT_ITEMS", ITEMS_AT_ONCE, priority="addon")
        super().update_settings(settings)

    def _asked_shop(self) -> ShopRef:
        return ShopRef(self.args.shop or shop_name(self.args.url), self.args.url, is_resumable=True)

    async def start(self) -> AsyncIterator[Any]:
        if self.context.earlier is not None:
            self._recall(self.context.earlier)
        yield Request(self.start_url, self.parse_database, errback=self.start_failed, dont_filter=True)

    def database_failed(self, failure: Failure) -> None:
        """Without the database there is nothing to do."""
        self.start_failed(failure)

    def _refused(self, said: str) -> Exception:
        return self._failed(said if self.start_url in said else f"{self.start_url}: {said}")

    def _recall(self, earlier: EarlierRuns) -> None:
        """Go on with what earlier runs of the crawl have left: the offers they stored, and the values that they kept in requests."""
        self.found += len(earlier.products)
        for request in earlier.kept:
            self.summary.add(request.cb_kwargs["values"])

    async def _on_closed(self, reason: str) -> None:
        self._stats.set_value("scout/forms/values", len(self.summary))
        if self.context.failure is not None:
            return
        if not self.found and not len(self.summary) and reason == "finished":
            self.context.fail(f"No offer was found behind the form of {self.start_url}")
            return
        if self._probe is not None:
            self._stats.set_value(COMPLETENESS, self._probe.completeness)
            self.logger.info("%s: %s", self.shop, self._probe.completeness)
        await run_in_thread(self._save_index)

    def _save_index(self) -> None:
        """Keep the attribute index with the form; write it as SOIF where that was asked for."""
        super()._save_index()
        if file := self.args.soif:
            about = descriptive_attributes(self._record) if self._record else {}
            url = self._record.url if self._record else self.start_url
            with Path(file).open("wb") as out:
                write_object(out, SUMMARY, url, about | dict(self.summary.items()))
