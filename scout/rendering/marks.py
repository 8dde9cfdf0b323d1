"""The marks of one shop during a crawl: what is decided, what was compared so far, and what the endpoints look like."""

from __future__ import annotations

import logging
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timezone
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from scout.page import Page
from scout.rendering.endpoints import (
    Endpoint,
    Exchange,
    ItemLinks,
    Paging,
    Way,
    carrier,
    fact_ways,
    item_links,
    paging,
    template,
)
from scout.rendering.levels import HOME, Comparison, Facts, LevelMark, decide
from scout.rendering.page_facts import actual_level
from scout.rendering.suspicion import suspicion

logger = logging.getLogger(__name__)

DETAIL = "detail"
MIN_MET = 2  # pages with an address of the same shape, all of them products, that make the next one expected to be one
MAX_CONFIRMED = 5  # product pages to judge twice while no list is known; a shop may have no lists at all
MAX_FAILURES = 5  # renderings in a row that came to nothing: then none is tried any more in this crawl


@dataclass
class Marks:
    """Collects comparisons until a level is decided."""

    decided: dict[str, LevelMark] = field(default_factory=dict)
    compared: dict[str, list[Comparison]] = field(default_factory=lambda: defaultdict(list))
    carriers: dict[str, list[tuple[str, str]]] = field(default_factory=lambda: defaultdict(list))
    items: dict[str, ItemLinks] = field(default_factory=dict)
    paged: dict[str, Paging] = field(default_factory=dict)
    ways: dict[str, dict[str, frozenset[Way]]] = field(default_factory=dict)  # to facts in the JSON, by level
    shapes: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))  # of addresses, by level
    failures: int = 0
    confirmed_products: int = 0  # pages fetched as products that were judged again and are products

    @classmethod
    def load(cls, levels: Mapping[str, Any], now: datetime | None = None) -> Marks:
        """The stored marks that have not expired; one that a person's hand has made unreadable is found anew."""
        now = now or datetime.now(timezone.utc)
        marks = {level: mark for level, data in levels.items() if (mark := _read(level, data))}
        return cls({level: mark for level, mark in marks.items() if mark.holds(now)})

    def dump(self) -> dict[str, Any]:
        """The marks as plain data for the rule file."""
        return {level: mark.as_dict() for level, mark in sorted(self.decided.items())}

    @property
    def has_given_up(self) -> bool:
        """True after too many renderings in a row that failed: that says something of the browser, nothing of the shop."""
        return self.failures >= MAX_FAILURES

    def failed(self) -> None:
        """A rendering that came to nothing: it decides nothing."""
        self.failures += 1

    def learn(
        self, level: str, comparison: Comparison, found: Facts, exchanges: Iterable[Exchange] = ()
    ) -> list[LevelMark]:
        """Take one comparison into account; the marks of the levels that it decides, which need not be its own alone."""
        if comparison.is_rendered:
            self.failures = 0
        self.record_page(level, comparison.url)
        if level in self.decided:
            return []
        self.compared[level].append(comparison)
        self._note_carrier(level, comparison.url, found, exchanges)
        marks = [mark for each in self.compared if each not in self.decided and (mark := self._verdict(each))]
        self.decided.update((mark.level, mark) for mark in marks)
        return marks

    def record_page(self, level: str, url: str) -> None:
        """A page turned out to belong to a level."""
        self.shapes[shape(url)][level] += 1

    def expected(self, url: str, hint: str) -> str:
        """The level that a page will belong to: what led to it says `hint`; that it is a product, its address may say better.

        Only where products are not fetched plainly: the browser shows whatever the page turns out to be, a plain frame does not.
        """
        known = self.shapes.get(shape(url), Counter[str]())
        detail = self.decided.get(DETAIL)
        is_product = set(known) == {DETAIL} and known[DETAIL] >= MIN_MET
        return DETAIL if is_product and detail and detail.mode != "plain" else hint

    def alternative(self, level: str) -> str | None:
        """Where pages of `level` are fetched plainly: the level that one of them may belong to instead and that may need more.

        What leads to a page does not always say what it is: the categories on a front page look like products.
        """
        if level == HOME:
            return None
        dynamic = (other for other, mark in self.decided.items() if mark.mode != "plain" and other not in (level, HOME))
        may_be_list = level == DETAIL and "list" not in self.decided and self.confirmed_products < MAX_CONFIRMED
        return next(dynamic, "list" if may_be_list else None)

    def other_level(self, page: Page, level: str) -> str | None:
        """The level that a page of `level`, fetched plainly, seems to belong to instead; None where all is well."""
        actual = actual_level(page, level)
        if actual == DETAIL:
            self.confirmed_products += 1
            return None
        return self.alternative(level) if suspicion(page, actual) else None

    def is_plain(self, level: str) -> bool:
        """Whether it is decided that pages of the level need no browser."""
        return level in self.decided and self.decided[level].mode == "plain"

    def _verdict(self, level: str) -> LevelMark | None:
        elsewhere = [c for other, compared in self.compared.items() if other != level for c in compared]
        return decide(level, self.compared[level], elsewhere)

    def _note_carrier(self, level: str, url: str, found: Facts, exchanges: Iterable[Exchange]) -> None:
        exchanges = list(exchanges)
        if found.get("links"):
            self._note_list(level, url, found, exchanges)
        elif answer := carrier(exchanges, found):
            self.carriers[level].append((url, answer.address))
            self._note_ways(level, fact_ways(answer.data(), found))

    def _note_ways(self, level: str, found: Mapping[str, frozenset[Way]]) -> None:
        """Keep the ways to each fact that are right for all pages seen."""
        known = self.ways.get(level)
        self.ways[level] = {n: ways if known is None else ways & known.get(n, frozenset()) for n, ways in found.items()}

    def _note_list(self, level: str, url: str, found: Facts, exchanges: Iterable[Exchange]) -> None:
        for exchange in exchanges:
            items = item_links(exchange.data(), found["links"]) if exchange.is_repeatable else None
            if items and self.items.setdefault(level, items) == items:
                self.carriers[level].append((url, exchange.address))
                for following in found.get("next", ()):
                    if paged := paging(url, following, len(items.of(exchange.data()))):
                        self.paged.setdefault(level, paged)
                return

    def endpoint(self, level: str) -> Endpoint | None:
        """The JSON behind a level that needs a browser, where one address explains all pages seen."""
        mark = self.decided.get(level)
        if mark is None or mark.mode != "browser" or len(self.carriers[level]) < len(self.compared[level]):
            return None
        found = template(self.carriers[level])
        return Endpoint(found, self.items.get(level), self.paged.get(level)) if found else None

    def ways_to_facts(self, level: str) -> dict[str, Way]:
        """The way to each fact of the level's pages in the JSON behind them: the shortest of those that are right for all."""
        return {
            name: min(ways, key=lambda way: (len(way), *map(str, way)))
            for name, ways in self.ways.get(level, {}).items()
            if ways
        }

    def use_endpoint(self, level: str, endpoint: Endpoint) -> None:
        """From now on the level is fetched from its endpoint."""
        mark = self.decided[level]
        why = f"the same facts stand in {endpoint.template.splitlines()[0]}"
        self.decided[level] = replace(
            mark, mode="endpoint", endpoint=endpoint.as_dict(), evidence=(*mark.evidence, why)
        )


def _read(level: str, data: Any) -> LevelMark | None:
    try:
        mark = LevelMark.from_dict(data)
        if mark.mode == "endpoint":
            Endpoint.from_dict(mark.endpoint)  # now, and not at every page
        return mark
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        logger.warning("The mark of level %s in the rules cannot be read (%r): it is found anew", level, error)
        return None


def shape(url: str) -> str:
    """What the addresses of one kind of page have in common: host, folder, the names of the parameters.

    >>> shape("http://shop.example/p/lamp-7?colour=red")
    'shop.example/p/*?colour'
    """
    split = urlsplit(url)
    names = "&".join(sorted(name for name, _ in parse_qsl(split.query, keep_blank_values=True)))
    return f"{split.netloc}{split.path.rstrip('/').rpartition('/')[0]}/*{'?' if names else ''}{names}"
