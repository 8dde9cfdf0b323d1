"""What is known of a shop beyond one crawl."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from scout.healing import Healing, heal
from scout.page import Page
from scout.rendering.levels import UnrenderedPages
from scout.rendering.policy import RenderPolicy
from scout.rules import ShopRules

SAMPLE = 24  # product pages from which rules are induced: of half as many, many shops show one brand or one layout only
WATCHED = (
    30  # product pages that are compared with yesterday's offers: a design that half of the pages have shows in fewer
)


@dataclass
class ShopKnowledge:
    """The shop's rules, how the levels of its pages are fetched, and what its products look like.

    `unrendered` are the levels that need a browser where there is none, and `blocked_requests` how many requests of pages in the browser
    the address guard has blocked. `is_product_page` is the spider's decision, where it has one. `yesterday` is what the last crawl read, by
    address, until the first pages of this one have been compared with it; `watch_seconds` is the processor time that this took.
    """

    rules: ShopRules | None = None
    render: RenderPolicy = field(default_factory=RenderPolicy)
    unrendered: dict[str, UnrenderedPages] = field(default_factory=dict)
    blocked_requests: int = 0
    is_product_page: Callable[[Page], bool] | None = None
    yesterday: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    watch_seconds: float = 0.0

    @property
    def sample_size(self) -> int:
        """How many product pages wait until the rules are certain."""
        return WATCHED if self.yesterday else SAMPLE

    def watch(self, pages: list[Page]) -> Healing | None:
        """Compare the first pages with yesterday's offers, and go on with healed rules; None where there is nothing to compare."""
        if self.rules is None or not self.yesterday:
            return None
        began = time.process_time()
        healing = heal(self.rules, self.yesterday, pages)
        self.rules, self.yesterday = healing.rules, {}
        self.watch_seconds += time.process_time() - began
        return healing

    def add_marks(self, rules: ShopRules) -> None:
        """Let the next crawl fetch the levels as this one does."""
        rules.levels = {**(rules.levels or {}), **self.render.dump()}
