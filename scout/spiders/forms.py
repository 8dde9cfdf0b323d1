"""FormsSpider: the offers of a database that lies behind a query form. How it is asked is in `scout.spiders.databases`."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path
from typing import Any

from pydantic import Field, field_validator
from scrapy import Request
from scrapy.http import Response, TextResponse
from scrapy.settings import BaseSettings
from scrapy.utils.asyncio import run_in_thread
from twisted.python.failure import Failure

from scout.crawl.context import ShopRef
from scout.forms.soif import SUMMARY, descriptive_attributes, write_object
from scout.items import PageItem
from scout.reporting.crawl_summary import COMPLETENESS
from scout.spiders.arguments import SpiderArguments, web_address
from scout.spiders.base import ShopCrawlSpider
from scout.spiders.databases import DatabaseSearch
from scout.spiders.form_results import Asking
from scout.urls import shop_name
from scout.walking.records import Record

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


class FormsSpider(ShopCrawlSpider):
    """Collect what a query form gives access to: `-a url=https://shop.example/search`."""

    name = room = "forms"
    arguments = FormsArguments

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.database = DatabaseSearch(self, self, set())
        self._pages = 0  # of offers, which are read in place of the result lists

    @classmethod
    def update_settings(cls, settings: BaseSettings) -> None:
        settings.set("CONCURRENT_ITEMS", ITEMS_AT_ONCE, priority="addon")
        super().update_settings(settings)

    def _asked_shop(self) -> ShopRef:
        return ShopRef(self.args.shop or shop_name(self.args.url), self.args.url, is_resumable=True)

    async def start(self) -> AsyncIterator[Any]:
        for request in self.context.earlier.kept if self.context.earlier else ():
            self.database.summary.add(request.cb_kwargs["values"])
        yield Request(self.start_url, self.database.parse, errback=self.start_failed, dont_filter=True)

    # --- what becomes of the database ---------------------------------------------------------------------------------

    def database_failed(self, failure: Failure) -> None:
        """Without the database there is nothing to do."""
        self.start_failed(failure)

    def refuse_database(self, said: str) -> Exception:
        """The crawl ends."""
        return self._failed(said if self.start_url in said else f"{self.start_url}: {said}")

    def take_records(self, records: Sequence[Record], known: dict[str, str], asking: Asking) -> Iterator[Any]:
        """Each record as an offer; with details=1, the page that it leads to instead."""
        if not self.args.details:
            yield from self.database.record_offers(records, known, asking)
            return
        for record in records:
            failed, about = self.database.answer_failed, {"known": known}
            yield Request(str(record.href), self.parse_detail, errback=failed, cb_kwargs=about)

    def parse_detail(self, response: Response, known: dict[str, str]) -> Iterator[PageItem]:
        """The page of a record, for the pipelines to extract."""
        if isinstance(response, TextResponse):
            self._pages += 1
            yield PageItem.from_response(response, shop=self.shop, values=dict(known))

    # --- the end ------------------------------------------------------------------------------------------------------

    async def _on_closed(self, reason: str) -> None:
        database = self.database
        self.stats.set_value("scout/forms/values", len(database.summary))
        if self.context.failure is not None:
            return
        earlier = self.context.earlier.products if self.context.earlier else ()
        if not (database.products or self._pages or earlier or len(database.summary)) and reason == "finished":
            self.context.fail(f"No offer was found behind the form of {self.start_url}")
            return
        if database.probe is not None:
            self.stats.set_value(COMPLETENESS, database.probe.completeness)
            self.logger.info("%s: %s", self.shop, database.probe.completeness)
        await run_in_thread(self._save_index)

    def _save_index(self) -> None:
        """Keep the attribute index with the form; write it as SOIF where that was asked for."""
        self.database.save_index()
        record = self.database.record
        if file := self.args.soif:
            about = descriptive_attributes(record) if record else {}
            with Path(file).open("wb") as out:
                write_object(
                    out, SUMMARY, record.url if record else self.start_url, about | dict(self.database.summary.items())
                )
