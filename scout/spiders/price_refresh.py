"""A refresh of prices: lists are read, and then only the pages of products whose list entry changed, that lists lack, or that are due.

A price counts as seen where its page was read, or where a list shows just the amount that is stored. All others keep their age.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from datetime import datetime
from typing import TYPE_CHECKING

from scout.crawl.context import CrawlContext
from scout.frontier.ledger import listed_key
from scout.frontier.price_refresh import DAY, KnownPrice, RefreshInputs, listed_prices, refresh_inputs
from scout.store.columns import now
from scout.values import NumberLocale, parse_price
from scout.walking.revisits import change_rates, cover_by_lists, stale_probability, value_of_look
from scout.walking.steps import RECORD_HINT, Step

if TYPE_CHECKING:
    from typing_extensions import Self

    from scout.spiders.shop import ShopSpider

MAX_LOST = 0.5  # share of the listed offers that lists may lack: above, it is the lists that are not read as before


class PriceRefresh:
    """Which pages a refresh asks for, and which prices it has seen."""

    def __init__(
        self,
        inputs: RefreshInputs,
        at: datetime,
        *,
        budget: int = 0,
        max_stale: float = 0.1,
        locale: NumberLocale | None = None,
    ) -> None:
        self._inputs, self._at, self._max_stale, self._locale = inputs, at, max_stale, locale
        self._left = max(budget - inputs.spent, 0) if budget else None  # requests; None: no limit
        self._listed = {inputs.owners[key] for _, keys in inputs.lists for key in keys if key in inputs.owners}
        self._shown: set[int] = set()
        self._asked: set[int] = set()
        self._new: set[str] = set()
        self.confirmed: set[int] = set()  # offers whose stored price a list shows
        self.over_budget = 0  # requests that were not made
        self._is_planned = False

    @classmethod
    def of(cls, spider: ShopSpider) -> Self:
        """With what the database knows. In a thread, as `resume` and `save`."""
        rules = spider.context.knowledge.rules
        return cls(
            refresh_inputs(spider.context.store(), spider.shop),
            now(),
            budget=spider.setting("SCOUT_REFRESH_BUDGET"),
            max_stale=spider.setting("SCOUT_REFRESH_STALE"),
            locale=rules.locale if rules is not None else None,
        )

    def resume(self, context: CrawlContext) -> None:
        """Take in what earlier runs of this refresh have read in lists."""
        if context.earlier is not None and context.crawl_id is not None:
            for key, text in listed_prices(context.store(), context.crawl_id).items():
                self.note(key, text)

    def save(self, spider: ShopSpider) -> None:
        """Prices that lists show are seen; lists that are not what they were fail the crawl."""
        context = spider.context
        assert context.crawl_id is not None
        context.store().confirm_prices(context.crawl_id, self.confirmed)
        spider.count_event("refresh/confirmed", len(self.confirmed))
        spider.count_event("refresh/over_budget", self.over_budget)
        stale = round(self.expected_stale(context.stored_products), 4)
        spider.stats.set_value("scout/walk/refresh/expected_stale", stale)
        if spider.pages and self.flaw and context.finish_reason == "finished":
            context.fail(f"The prices of {spider.shop} were not refreshed: {self.flaw}")

    def list_steps(self) -> Iterator[Step]:
        """The lists to read: few that show all offers that any list shows, the ones with most offers first."""
        lists = self._inputs.lists
        wanted = {key for key in self._inputs.owners if self._inputs.owners[key] in self._listed}
        for position in cover_by_lists([keys for _, keys in lists], wanted):
            if self._spend():
                yield lists[position][0]

    def wants(self, step: Step) -> bool:
        """Whether the page that a list leads to is to be read."""
        if step.shown != "product":
            return False
        key = listed_key(step.url)
        offer = self._inputs.offers.get(self._inputs.owners.get(key, 0))
        if offer is None:
            is_first = key not in self._new
            self._new.add(key)
            return is_first and self._spend()
        if not self.note(key, step.price) or offer.id in self._asked:
            return False
        self._asked.add(offer.id)
        return self._spend()

    def note(self, key: str, text: str | None) -> bool:
        """A list shows the product with this price; True if that is another one than before."""
        offer = self._inputs.offers.get(self._inputs.owners.get(key, 0))
        if offer is None:
            return False
        self._shown.add(offer.id)
        if self._is_same_amount(text, offer):
            self.confirmed.add(offer.id)
            return False
        self.confirmed.discard(offer.id)
        return text is not None and text != self._inputs.texts.get(key)

    def due_steps(self) -> list[Step]:
        """After the lists: products that they lack now, and others by how much a look at each is worth; once."""
        if self._is_planned or self.flaw:
            return []
        self._is_planned = True
        lost = self._listed - self._shown
        due = [offer for offer in self._unseen() if offer.id in lost or self._is_due(offer)]
        rates = self._rates()
        order = sorted(due, key=lambda offer: (offer.id not in lost, -self._value(offer, rates), offer.id))
        steps = [Step(offer.url, "listed", hint=RECORD_HINT) for offer in order if self._spend()]
        self._asked.update(offer.id for offer in order[: len(steps)])
        return steps

    @property
    def flaw(self) -> str | None:
        """Why the lists cannot be relied on; None where they can."""
        lost = len(self._listed - self._shown)
        if self._left == 0 or lost <= MAX_LOST * len(self._listed):
            return None
        return f"the lists show {len(self._shown):,} of {len(self._listed):,} products that they showed before: crawl the whole shop"

    def describe(self, read: Collection[str]) -> str:
        """What was seen and what is to be expected of the rest, in numbers; `read` are the offers whose pages were read."""
        total, seen = len(self._inputs.offers), len(self.confirmed)
        over = f"; {self.over_budget:,} requests were over the budget" if self.over_budget else ""
        return (
            f"; of {total:,} known prices {seen:,} were seen in lists, {len(read):,} pages were read; of all prices "
            f"{100 * self.expected_stale(read):.1f} % are expected to be stale{over}"
        )

    def expected_stale(self, read: Collection[str]) -> float:
        """The share of the stored prices that are another one by now, as far as their past tells; those that were read are not."""
        rates, seen = self._rates(), set(read)
        unseen = [o for o in self._inputs.offers.values() if o.id not in self.confirmed and o.url not in seen]
        if not unseen:
            return 0.0
        chances = [1.0 if rates is None else stale_probability(rates[offer.id], self._days(offer)) for offer in unseen]
        return sum(chances) / len(self._inputs.offers)

    def _unseen(self) -> Iterator[KnownPrice]:
        return (o for o in self._inputs.offers.values() if o.id not in self.confirmed and o.id not in self._asked)

    def _is_due(self, offer: KnownPrice) -> bool:
        rates = self._rates()
        return rates is None or stale_probability(rates[offer.id], self._days(offer)) > self._max_stale

    def _value(self, offer: KnownPrice, rates: Mapping[int, float] | None) -> float:
        return self._days(offer) if rates is None else value_of_look(rates[offer.id], self._days(offer))

    def _days(self, offer: KnownPrice) -> float:
        return (self._at - offer.seen_at) / DAY if offer.seen_at else float("inf")

    def _rates(self) -> Mapping[int, float] | None:
        if not hasattr(self, "_known_rates"):
            offers = self._inputs.offers
            rates = change_rates([offer.watched for offer in offers.values()])
            self._known_rates = None if rates is None else dict(zip(offers, rates, strict=True))
        return self._known_rates

    def _is_same_amount(self, text: str | None, offer: KnownPrice) -> bool:
        if text is None or offer.price is None:
            return False
        shown = parse_price(text, self._locale, offer.currency)
        if shown is None or shown.high is not None or shown.is_from:
            return False
        is_plain = shown.role == "price" and shown.other is None
        return is_plain and shown.amount == offer.price and shown.currency in (None, offer.currency)

    def _spend(self) -> bool:
        """One request of the budget, where it has one."""
        if self._left is None:
            return True
        if not self._left:
            self.over_budget += 1
            return False
        self._left -= 1
        return True
