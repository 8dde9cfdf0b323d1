"""The first product pages of a crawl wait for the shop's rules: stored ones, or learned from known offers, or induced from these pages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from scout.extraction.induction import induce
from scout.extraction.lexicon import Lexicon, lexicon
from scout.frontier.progress import HEALED
from scout.items import PageItem
from scout.learning.learner import Sample, learn
from scout.learning.sampling import choose_offers
from scout.page import Page
from scout.rules import ShopRules, apply_rules
from scout.spiders.offers import known_values
from scout.spiders.rules_store import save_rules
from scout.url_rules import same_hosts
from scout.urls import clean_url

if TYPE_CHECKING:
    from scout.spiders.shop import ShopSpider

MIN_SAMPLES = 3  # known offers with a page: fewer cannot tell a constant from a value
MAX_LESSONS = 40  # known offers whose pages are fetched to learn from
MIN_RULE_HIT_RATE = 0.6  # share of sample pages with a title by the stored rules; below this, induce the rules again


class RuleSample:
    """Product pages on their way to the pipelines, and the known offers to learn rules from."""

    def __init__(self, spider: ShopSpider) -> None:
        self._spider = spider
        self.lessons: dict[str, Mapping[str, Any]] = {}  # address -> known offer, its page still to be learned from
        self._samples: list[Sample] = []
        self._is_ready = False  # the shop's rules are there

    def learn_from(self, url: str, page: Page | None) -> None:
        """The page at this address is here, or cannot be had; if it is a known offer's, it teaches what it can."""
        row = self.lessons.pop(url, None)
        if row is not None and page is not None:
            self._samples.append((page, known_values(row)))

    def add(self, item: PageItem) -> Iterator[PageItem]:
        """A product's page; it comes out when the rules are there, with all that waited for them."""
        context = self._spider.context
        if self._is_ready:
            yield item
            return
        context.held.sample.append(item)
        if len(context.held.sample) >= context.knowledge.sample_size and not self.lessons:
            yield from self.release()

    def release(self) -> Iterator[PageItem]:
        """The pages that waited: there will be no more of them, or there are enough."""
        held = self._spider.context.held.release_sample()
        if held and not self._is_ready:
            self._spider.context.knowledge.rules = self._found_rules([item.page for item in held])
            self._is_ready = True
        yield from held

    def _found_rules(self, pages: list[Page]) -> ShopRules:
        """The shop's rules: stored ones that still hold or can be healed, else learned from known offers, else induced from `pages`."""
        spider = self._spider
        self._watch(pages)
        known = spider.context.knowledge.rules
        if known is not None and rules_still_fit(known, pages):
            spider.count_event("rules/stored")
            return known
        is_taught = len(self._samples) >= MIN_SAMPLES
        found = learn(self._samples, shop=spider.shop) if is_taught else induce(pages, self.template)
        found.shop = spider.shop
        found.currency = found.currency or spider.walk.currency.code
        self._samples = []
        spider.count_event("rules/learned" if is_taught else "rules/induced")
        return known.merged_with(found) if known is not None else found

    def _watch(self, pages: list[Page]) -> None:
        """Say so where the shop's pages are not what they were at the last crawl; rules that can be proven are healed."""
        spider, knowledge = self._spider, self._spider.context.knowledge
        healing = knowledge.watch(pages)
        if healing is None:
            return
        spider.stats.set_value("scout/heal/state", healing.state)
        spider.stats.set_value("scout/heal/seconds", knowledge.watch_seconds)
        if healing.adopted:
            spider.count_event("rules/healed")
        if changed := healing.changed:
            spider.stats.set_value(HEALED, changed)
        if healing.state in ("redesign", "partial redesign"):
            where = "on some pages" if healing.state == "partial redesign" else "on all pages"
            text = "%s has a new design (%s). scout rules %s --diff shows what changed.\n%s"
            spider.logger.warning(text, spider.shop, where, spider.shop, healing)
        elif healing.state == "broken pages":
            text = "%s: product pages show nothing of the offers that they had. %s"
            spider.logger.warning(text, spider.shop, healing)

    @property
    def template(self) -> Lexicon:
        """The words of the shop's fields, with what the user added in the rules directory."""
        return lexicon(Path(self._spider.setting("SCOUT_RULES_DIR")))

    def save(self) -> None:
        """Keep the rules and the shop's structure for the next crawl."""
        spider, knowledge = self._spider, self._spider.context.knowledge
        if knowledge.rules is not None:
            knowledge.rules.structure = spider.walk.structure()
            knowledge.add_marks(knowledge.rules)
            store = spider.context.store() if spider.setting("SCOUT_DATABASE") else None
            save_rules(knowledge.rules, spider.setting("SCOUT_RULES_DIR"), store)


def chosen_lessons(rows: Iterable[Mapping[str, Any]], start_url: str) -> dict[str, Mapping[str, Any]]:
    """Known offers of the shop's own site to learn from, by their clean address."""
    hosts = same_hosts(start_url)
    usable = [row for row in rows if row.get("url") and urlsplit(str(row["url"])).netloc.lower() in hosts]
    return {clean_url(str(row["url"])): row for row in choose_offers(usable, MAX_LESSONS)}


def rules_still_fit(rules: ShopRules, pages: Sequence[Page]) -> bool:
    """Whether stored rules still read most of the shop's pages."""
    named = sum(1 for page in pages if "title" in apply_rules(page, rules))
    return named >= MIN_RULE_HIT_RATE * len(pages) or "title" not in rules.fields
