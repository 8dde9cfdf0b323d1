"""What is known of a shop beyond one crawl."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from scout.page import Page
from scout.rules import ShopRules


@dataclass
class ShopKnowledge:
    """The shop's rules, how the levels of its pages are fetched, and what its products look like.

    `levels` are the marks of rendering as plain data; they are kept with the rules once there are some. `is_product_page` is the spider's
    decision, where it has one.
    """

    rules: ShopRules | None = None
    levels: dict[str, Any] = field(default_factory=dict)
    is_product_page: Callable[[Page], bool] | None = None
