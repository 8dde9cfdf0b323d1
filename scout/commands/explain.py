"""scrapy explain: for each value of a page, where it comes from."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

from scrapy import Request, Spider
from scrapy.http import Response, TextResponse
from twisted.python.failure import Failure

from scout.commands.base import DONE, FAILED, ScoutCommand
from scout.errors import PageError, UsageError
from scout.extraction.extractor import extract
from scout.extraction.lexicon import lexicon
from scout.middlewares.render import SEEN
from scout.offer import Evidence, Offer
from scout.page import Page
from scout.rendering.marks import Marks
from scout.rules import ShopRules
from scout.spiders.exit_status import failure_reason
from scout.spiders.rules_store import load_rules
from scout.urls import shop_name

MAX_VALUE = 300  # characters of a value that are shown


class OnePageSpider(Spider):
    """Fetches one page with all of Scout's manners."""

    name = "explain"
    custom_settings = {"ITEM_PIPELINES": {}}

    def __init__(self, url: str, rules: ShopRules | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.start_url = url
        self.rules = rules or ShopRules(shop=shop_name(url))  # they say how the shop's pages are fetched
        self.seen: str | None = None
        self.page: Page | None = None
        self.problem = "it was not fetched"

    async def start(self) -> AsyncIterator[Any]:
        yield Request(self.start_url, self.parse, errback=self.failed, meta={"level": "detail"}, dont_filter=True)

    def parse(self, response: Response) -> None:
        """Keep the page."""
        if isinstance(response, TextResponse):
            self.page = Page(response.url, response.text)
            self.seen = response.meta.get(SEEN)
        self.problem = "it is no web page"

    def failed(self, failure: Failure) -> None:
        """Keep the reason."""
        self.problem = failure_reason(failure)


class Command(ScoutCommand):
    """Explain the offer on a page."""

    requires_crawler_process = True
    default_settings = {}

    def syntax(self) -> str:
        return "URL [--shop SHOP]"

    def short_desc(self) -> str:
        return "Show for each value of a page which selector found it, the raw text, and the votes"

    def long_desc(self) -> str:
        return (
            "Fetches the page and extracts its offer with the shop's rules (without rules: from the page alone). For each field: the "
            "value, the selector, the raw text, what was cut, the votes and the runner-up; or why there is no value. Then how the "
            "shop's levels are fetched (plainly, with a browser, from the JSON behind the page), since when and on what evidence."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("url", metavar="URL", help="the address of a product page")
        parser.add_argument("--shop", help="the shop whose rules are used (default: the one named like the host)")
        parser.add_argument("--html", metavar="FILE", help="read the page from this file instead of fetching it")
        parser.add_argument("--json", action="store_true", help="for programs")

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        super().process_options(args, opts)
        assert self.settings
        if not (opts.loglevel or opts.logfile):
            self.settings.set("LOG_LEVEL", "ERROR", priority="cmdline")

    def work(self, opts: argparse.Namespace) -> int:
        if not opts.url.startswith(("http://", "https://")):
            raise UsageError(f"{opts.url!r} is no address of a page: it begins with http:// or https://")
        rules = self._rules(opts)
        page, seen = (_read(opts), None) if opts.html else self._fetched(opts.url, rules)
        offer = extract(page, rules, lexicon(Path(self.setting("SCOUT_RULES_DIR"))))
        marks = Marks.load(rules.levels or {}) if rules else Marks()
        if opts.json:
            found = as_json(offer) | ({"levels": marks.dump()} if marks.decided else {})
            print(json.dumps(found, ensure_ascii=False, indent=1))
        else:
            print("\n".join([*explained(offer), *fetching(marks, seen)]))
        return DONE if offer.evidence else FAILED

    def _rules(self, opts: argparse.Namespace) -> ShopRules | None:
        shop = opts.shop or shop_name(opts.url)
        with self.open_store() as store:
            rules = load_rules(shop, self.setting("SCOUT_RULES_DIR"), store)
        if rules is None and opts.shop:
            raise UsageError(f"there are no rules for {shop}: scrapy learn {shop} --offers FILE")
        told = f"with the rules of {shop}" if rules else "without rules, from this page alone"
        print(f"{opts.url}, {told}", file=sys.stderr)
        return rules

    def _fetched(self, url: str, rules: ShopRules | None) -> tuple[Page, str | None]:
        assert self.crawler_process
        crawler = self.crawler_process.create_crawler(OnePageSpider)
        self.crawler_process.crawl(crawler, url=url, rules=rules)
        self.crawler_process.start()
        spider = crawler.spider
        if not isinstance(spider, OnePageSpider) or spider.page is None:
            raise PageError(f"{url}: {spider.problem if isinstance(spider, OnePageSpider) else 'it was not fetched'}")
        return spider.page, spider.seen


def _read(opts: argparse.Namespace) -> Page:
    try:
        return Page(opts.url, Path(opts.html).read_bytes())
    except OSError as error:
        raise UsageError(f"{opts.html} cannot be read: {error.strerror}") from error


def as_json(offer: Offer) -> dict[str, Any]:
    """Field -> value and evidence."""
    return {name: {"value": offer.get(name), **why.as_dict()} for name, why in offer.evidence.items()}


def explained(offer: Offer) -> Iterator[str]:
    """The offer for a person, a paragraph a field."""
    for name, why in offer.evidence.items():
        value = offer.get(name)
        shown = "no value" if value in (None, "", []) else str(value)
        yield f"{name}: {shown[:MAX_VALUE]}{'…' if len(shown) > MAX_VALUE else ''}"
        yield from (f"    {line}" for line in _lines(why))


def fetching(marks: Marks, seen: str | None) -> Iterator[str]:
    """How the shop's pages are fetched and why, level by level; `seen` is what the comparison of this page showed."""
    if marks.decided or seen:
        yield "how it is fetched"
    if seen:
        yield f"    this page was rendered too: {seen}"
    for mark in marks.decided.values():
        first, *reasons = mark.told()
        yield f"    {first}"
        yield from (f"        {reason}" for reason in reasons)


def _lines(why: Evidence) -> Iterator[str]:
    if why.selector:
        yield f"selector   {why.selector} ({why.origin})"
    if why.raw is not None:
        raw = " ".join(str(why.raw).split())
        yield f"raw        {raw[:MAX_VALUE]}{'…' if len(raw) > MAX_VALUE else ''}"
    if why.cuts:
        yield f"cut        {why.cuts}"
    if why.score is not None:
        yield f"score      {why.score}"
    for vote in why.votes:
        yield f"vote       {vote[:MAX_VALUE]}"
    if why.runner_up is not None:
        yield f"runner-up  {why.runner_up}"
    if why.note:
        yield f"note       {why.note}"
