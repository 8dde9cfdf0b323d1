"""What a page asks of robots is kept: noindex and a TDM reservation keep its offer out, nofollow keeps its links unfollowed.

Asked in the header X-Robots-Tag, in <meta name="robots">, and as https://www.w3.org/community/reports/tdmrep/CG-FINAL-tdmrep-20240510/ has
it, in the header or meta tag tdm-reservation.
"""

from __future__ import annotations

import logging
import re
from collections.abc import AsyncIterator, Iterator
from typing import Any

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response, TextResponse

from scout.crawl.account import AccountState
from scout.crawl.component import Component
from scout.crawl.pages_in_progress import PageResult
from scout.items import PageItem

logger = logging.getLogger(__name__)

HEAD = 20_000  # characters: where a page's meta tags are
_META = re.compile(r"<meta\b[^>]{0,500}>", re.IGNORECASE)
_NAME = re.compile(r"""\bname\s*=\s*["']?\s*(robots|scout|tdm-reservation)\b""", re.IGNORECASE)
_CONTENT = re.compile(r"""\bcontent\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+))""", re.IGNORECASE)
_DIRECTIVES = {"noindex", "nofollow", "none"}
_NOT_STORED = {"noindex", "none", "tdm"}


class OptOutMiddleware(Component):
    """Drops page items and links that their page opts out of."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self.obey_nofollow = self.setting("SCOUT_OBEY_NOFOLLOW")
        self._private: dict[str, str] = {}  # address -> the directive; an item may come out much later than its page

    async def process_spider_output(self, response: Response, result: AsyncIterator[Any]) -> AsyncIterator[Any]:
        directives = robots_directives(response)
        for directive in directives & _NOT_STORED:
            self._private[response.url] = directive
        is_nofollow = self.obey_nofollow and bool(directives & {"nofollow", "none"})
        async for output in result:
            if isinstance(output, Request) and is_nofollow:
                self._reject(output.url, "nofollow")
            elif isinstance(output, PageItem) and output.page.url in self._private:
                self._reject(output.page.url, self._private[output.page.url])
                self.context.judge_page(output.token, PageResult(AccountState.FORBIDDEN, "opt_out"))
            else:
                yield output

    def _reject(self, url: str, directive: str) -> None:
        """Say what is left alone, as the spider does of pages that it cannot take."""
        self.count(f"scout/reject/{directive}")
        logger.info("Rejected %s: %s", url, directive)


def robots_directives(response: Response) -> set[str]:
    """What the page asks: noindex, nofollow, none, tdm."""
    asked = [_asked_of_scout(line.decode("latin-1")) for line in response.headers.getlist("X-Robots-Tag")]
    reserved = [(response.headers.get("Tdm-Reservation") or b"").decode("latin-1")]
    for name, content in _metas(response.text[:HEAD]) if isinstance(response, TextResponse) else ():
        (reserved if name == "tdm-reservation" else asked).append(content)
    directives = {word.strip().lower() for text in asked for word in text.split(",")} & _DIRECTIVES
    return directives | ({"tdm"} if any(text.strip() == "1" for text in reserved) else set())


def _asked_of_scout(line: str) -> str:
    """What X-Robots-Tag asks of everybody, or of Scout: `noindex`, or `scout: noindex`, but not `otherbot: noindex`."""
    name, colon, rest = line.partition(":")
    return line if not colon else rest if name.strip().lower() == "scout" else ""


def _metas(html: str) -> Iterator[tuple[str, str]]:
    """The name and content of the meta elements that ask something."""
    for meta in _META.findall(html):
        name, content = _NAME.search(meta), _CONTENT.search(meta)
        if name and content:
            yield name[1].lower(), next(group for group in content.groups() if group is not None)
