"""What is known of a shop beyond one crawl."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from scout.page import Page
from scout.rendering.levels import UnrenderedPages
from scout.rendering.policy import RenderPolicy
from scout.rules import ShopRules


@dataclass
class ShopKnowledge:
    """The shop's rules, how the levels of its pages are fetched, and what its products look like.

    `unrendered` are the levels that need a browser where there is none, and `blocked_requests` how many requests of pages in the browser
    the address guard has blocked. `is_product_page` is the spider's decision, where it has one.
    """

    rules: ShopRules | None = None
    render: RenderPolicy = field(default_factory=RenderPolicy)
    unrendered: dict[str, UnrenderedPages] = field(default_factory=dict)
    blocked_requests: int = 0
    is_product_page: Callable[[Page], bool] | None = None

    def add_marks(self, rules: ShopRules) -> None:
        """Let the next crawl fetch the levels as this one does."""
        rules.levels = {**(rules.levels or {}), **self.render.dump()}
