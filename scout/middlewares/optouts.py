"""What a page asks of robots is kept: noindex and a TDM reservation keep its offer out, nofollow keeps its links unfollowed.

Asked in the header X-Robots-Tag, in <meta name="robots">, and as https://www.w3.org/community/reports/tdmrep/CG-FINAL-tdmrep-20240510/ has
it, in the header or meta tag tdm-reservation.
"""

from __future__ import annotations

import logging
import re
from collections.abc import AsyncIterator
from typing import Any

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response, TextResponse

from scout.crawl.component import Component
from scout.items import PageItem

logger = logging.getLogger(__name__)

HEAD = 20_000  # characters: where a page's meta tags are
_META = re.compile(r"<meta\b[^>]{0,500}>", re.IGNORECASE)
_NAME = re.compile(r"""\bname\s*=\s*["']?\s*(robots|scout|tdm-reservation)\b""", re.IGNORECASE)
_CONTENT = re.compile(r"""\bcontent\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+))""", re.IGNORECASE)
_NOT_STORED = {"noindex", "none", "tdm"}


class OptOutMiddleware(Component):
    """Keeps offers and links in that their page does not want out."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self.obey_nofollow = self.setting("SCOUT_OBEY_NOFOLLOW")
        self._private: dict[str, str] = {}  # address -> the wish; an item may come out much later than its page

    async def process_spider_output(self, response: Response, result: AsyncIterator[Any]) -> AsyncIterator[Any]:
        wishes = wishes_of(response)
        for wish in wishes & _NOT_STORED:
            self._private[response.url] = wish
        is_nofollow = self.obey_nofollow and bool(wishes & {"nofollow", "none"})
        async for output in result:
            if isinstance(output, Request) and is_nofollow:
                self._reject(output.url, "nofollow")
            elif isinstance(output, PageItem) and output.page.url in self._private:
                self._reject(output.page.url, self._private[output.page.url])
            else:
                yield output

    def _reject(self, url: str, wish: str) -> None:
        """Say what is left alone, as the spider does of pages that it cannot take."""
        self.count(f"scout/reject/{wish}")
        logger.info("Rejected %s: %s", url, wish)


def wishes_of(response: Response) -> set[str]:
    """What the page asks: noindex, nofollow, none, tdm."""
    wishes = header_wishes(response)
    if (response.headers.get("Tdm-Reservation") or b"").strip() == b"1":
        wishes.add("tdm")
    if isinstance(response, TextResponse):
        for meta in _META.findall(response.text[:HEAD]):
            wishes |= _meta_wishes(meta)
    return wishes


def header_wishes(response: Response) -> set[str]:
    """What X-Robots-Tag asks of everybody, or of Scout: `noindex`, or `scout: noindex`, but not `otherbot: noindex`."""
    wishes: set[str] = set()
    for line in response.headers.getlist("X-Robots-Tag"):
        name, colon, rest = line.decode("latin-1").lower().partition(":")
        asked = rest if colon and name.strip() == "scout" else "" if colon else name
        wishes |= {word.strip() for word in asked.split(",")}
    return wishes & {"noindex", "nofollow", "none"}


def _meta_wishes(meta: str) -> set[str]:
    name, content = _NAME.search(meta), _CONTENT.search(meta)
    if name is None or content is None:
        return set()
    value = next(group for group in content.groups() if group is not None).lower()
    if name.group(1).lower() == "tdm-reservation":
        return {"tdm"} if value.strip() == "1" else set()
    return {word.strip() for word in value.split(",")} & {"noindex", "nofollow", "none"}
