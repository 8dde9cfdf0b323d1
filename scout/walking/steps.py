"""Steps: requests worth making with what is known of their pages beforehand, and what a page turned out to be."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from scout.values.text import text_key
from scout.walking.categories import names_no_category
from scout.walking.shown_titles import is_same_name
from scout.walking.templates import TemplateGroup

Level = Literal["home", "category", "list", "detail", "other"]
# What is asked for first: products, then what leads to many of them, then the rest.
PRIORITIES: Mapping[str, int] = {
    "record": 30,
    "pager": 20,
    "guess": 20,
    "menu": 10,
    "crumb": 10,
    "tile": 8,
    "listed": 5,
    "content": 0,
    "language": -20,
    "facet": -30,
}
WAITING = (
    5  # products of a list that has shown a few others: rules induced from one list's alone are its own, not the shop's
)
UNPLACED = -5  # products that only the front page or a list of everything shows so far: other pages may say of what category they are
SHOWN_AS: Mapping[str, str] = {"record": "product", "pager": "pager", "menu": "list", "crumb": "list"}
EXPECTED_LEVELS: Mapping[str, Level] = {
    "record": "detail",
    "pager": "list",
    "guess": "list",  # a page number that the list does not link to, but may have
    "menu": "category",
    "crumb": "category",
}
# In log-odds, as the evidence of a page is (see scout.extraction.product_page).
RECORD_HINT = 1.0  # that a list shows it as a record speaks for a page being a product's


@dataclass(frozen=True)
class Step:
    """A request worth making, and what is known of its page beforehand.

    `hint` is evidence that it is a product's page (see scout.extraction.product_page), `category` the path that leads there, `group` the
    list of which it is a facet.
    """

    url: str
    role: str = "content"
    category: tuple[str, ...] = ()
    hint: float = 0.0
    group: str | None = None
    title: str | None = None  # what the list that shows it calls it
    price: str | None = None  # ... and says that it costs
    continues: str | None = None  # what the list calls itself of which it is a further page
    name: str | None = None  # what the menu or tile calls it that leads there
    after: str | None = None  # the address that stands before it in the menu
    waits: bool = False  # until other lists are read

    @property
    def priority(self) -> int:
        """Higher is sooner."""
        if self.role == "record" and names_no_category(self.category):
            return UNPLACED
        return WAITING if self.waits else PRIORITIES[self.role]

    @property
    def level(self) -> Level:
        """The level that the page is expected to belong to."""
        return EXPECTED_LEVELS.get(self.role, "category")

    @property
    def shown(self) -> str | None:
        """As what the shop shows it: "product", "list", "pager", a "page" of its sitemap; None where a page merely links to it."""
        if self.role == "listed":
            return "product" if self.hint else "page"
        return SHOWN_AS.get(self.role)


@dataclass
class PageVerdict:
    """What one page turned out to be, and where it leads."""

    level: Level
    steps: list[Step] = field(default_factory=list)
    category: tuple[str, ...] = ()
    score: float = 0.0  # the page's own evidence for being a product
    template: TemplateGroup | None = None  # what the level waits for; None where the page alone decides
    find_again: Callable[[], TemplateGroup | None] | None = (
        None  # the template, where more pages are known than when it was read
    )
    new_products: int = 0
    is_repeated: bool = False  # the earlier page of its list came that leads here
    title: str | None = None  # what the page calls its subject
    is_of_another: bool = False  # it is another product's page than lists show at its address
    listing: dict[str, Any] | None = (
        None  # of a list: its category, the products it shows (digests), their prices, how many it states, what it calls itself
    )
    kept: list[Step] = field(default_factory=list)  # facets for later: they must outlive a killed crawl too
    skipped: Counter[str] = field(default_factory=Counter)

    @property
    def is_product(self) -> bool | None:
        """Whether it is a product's page; None as long as its template is not decided, and `level` only the likelier one."""
        if self.template is None:
            return self.level == "detail"
        if self.find_again is not None and self.template.prior is not None:
            self.template, self.find_again = self.find_again() or self.template, None
        return self.template.is_product(self.score)

    def is_other_subject(self, came: Step) -> bool:
        """Whether a list shows the page by its name and without a price, and its template is no product's: an article, say."""
        if self.template is None or self.template.is_products or came.price is not None:
            return False
        return bool(self.title and came.title) and is_same_name(text_key(self.title or ""), text_key(came.title or ""))
