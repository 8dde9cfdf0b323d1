"""Gross or net: the catalogue's prices may lack a tax that the pages' prices include, or the other way round."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

from scout.fields import field
from scout.learning.index import PageIndex
from scout.learning.occurrences import find_occurrences
from scout.values import parse_price

RATES = "19 20 21 7 22 25 23 10 5 5.5 6 8 8.1 15 16 18 13 24 25.5 27 12".split()  # percent; the first that fits is used
CENT = Decimal("0.01")
MIN_PAGES = 5  # with fewer, some rate fits by chance
MIN_SHARE = 0.6  # of the prices must be on their page once the tax is added or removed
MAX_AS_WRITTEN = 0.2  # and at most this share without it


@dataclass(frozen=True)
class Tax:
    """A rate by which prices differ. `is_included`: the pages' prices include the tax, the catalogue's do not."""

    percent: Decimal
    is_included: bool

    def shown_prices(self, values: Sequence[str]) -> tuple[str, ...]:
        """The catalogue's prices as the pages show them."""
        factor = 1 + self.percent / 100
        amounts = [price.amount for value in values if (price := parse_price(value))]
        changed = [amount * factor if self.is_included else amount / factor for amount in amounts]
        return tuple(str(amount.quantize(CENT, ROUND_HALF_UP)) for amount in changed)

    def describe(self) -> str:
        """The tax in words, for the table of learned fields."""
        pages, catalogue = ("with", "without") if self.is_included else ("without", "with")
        return f"the pages show prices {pages} {self.percent} % tax, the catalogue has them {catalogue}"


TAXES = tuple(Tax(Decimal(percent), is_included) for is_included in (True, False) for percent in RATES)


def find_tax(indexes: Sequence[PageIndex], prices: Sequence[Sequence[str]]) -> Tax | None:
    """The tax by which the catalogue's prices differ from the pages'; None if they do not, or by no known rate."""
    known = [(index, values) for index, values in zip(indexes, prices, strict=True) if values]
    if len(known) < MIN_PAGES or _shown_share(known) > MAX_AS_WRITTEN:
        return None
    fitting = (
        tax
        for tax in TAXES
        if _shown_share([(index, tax.shown_prices(values)) for index, values in known]) >= MIN_SHARE
    )
    return next(fitting, None)


def _shown_share(known: Sequence[tuple[PageIndex, Sequence[str]]]) -> float:
    """The share of prices that their page shows somewhere as a text of their own."""
    shown = [any(one.is_alone for one in find_occurrences(index, field("price"), values)) for index, values in known]
    return sum(shown) / len(shown)
