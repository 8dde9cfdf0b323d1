"""What a page asks of robots is kept: noindex and a TDM reservation keep its offer out, nofollow keeps its links unfollowed."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Set
from typing import Any

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response

from scout.crawl.account import AccountState
from scout.crawl.component import Component
from scout.crawl.pages_in_progress import PageResult
from scout.fetch import robots_directives
from scout.items import PageItem

logger = logging.getLogger(__name__)

_NOT_STORED = {"noindex", "none", "tdm"}


class OptOutMiddleware(Component):
    """Drops page items and links that their page opts out of."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self.obey_nofollow = self.setting("SCOUT_OBEY_NOFOLLOW")

    async def process_spider_output(self, response: Response, result: AsyncIterator[Any]) -> AsyncIterator[Any]:
        directives = robots_directives(response)
        is_nofollow = self.obey_nofollow and bool(directives & {"nofollow", "none"})
        async for output in result:
            if isinstance(output, Request) and is_nofollow:
                self._reject(output.url, "nofollow")
            elif isinstance(output, PageItem) and (refused := _directives_of(output, response) & _NOT_STORED):
                self._reject(output.page.url, min(refused))
                self.context.pages.judge(output.token, PageResult(AccountState.FORBIDDEN, "opt_out"))
            else:
                yield output

    def _reject(self, url: str, directive: str) -> None:
        """Say what is left alone, as the spider does of pages that it cannot take."""
        self.count(f"scout/reject/{directive}")
        logger.info("Rejected %s: %s", url, directive)


def _directives_of(item: PageItem, response: Response) -> Set[str]:
    """What the item's own page asks; the spider may have held it back until another page came."""
    return robots_directives(response) if item.page.url == response.url else item.directives
