"""What is known of a shop beyond one crawl."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from scout.page import Page
from scout.rendering.marks import Marks
from scout.rules import ShopRules


@dataclass
class ShopKnowledge:
    """The shop's rules, how the levels of its pages are fetched, and what its products look like.

    `is_product_page` is the spider's decision, where it has one.
    """

    rules: ShopRules | None = None
    marks: Marks = field(default_factory=Marks)
    is_product_page: Callable[[Page], bool] | None = None

    def add_marks(self, rules: ShopRules) -> None:
        """Let the next crawl fetch the levels as this one does."""
        rules.levels = {**(rules.levels or {}), **self.marks.dump()}
