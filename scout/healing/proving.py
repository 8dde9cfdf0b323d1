"""What speaks against new places of a field: what they read on pages that did not teach them has to be as known, or to be explained."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from statistics import quantiles
from typing import Any

from scout.fields import field
from scout.healing.health import BROKEN, MIN_PAGES, MIN_PROVEN, VOLATILE, FieldReading, KnownPage, is_same
from scout.rules.model import Rule
from scout.rules.selectors import LabelSelector
from scout.values import parse_price

MIN_REPRODUCED = 0.99  # share of the values that must be as known, of pages that still show the known one
MIN_REPRODUCED_VOLATILE = 0.5  # ... of a field that changes from day to day, or as the page says when it is read alone
MIN_UNCHANGED = 0.2  # share of the prices that must be as known, unless all have changed by the same factor
SAME_FACTOR = Decimal("0.1")  # how far such factors may lie apart, from quartile to quartile
MAX_FACTOR = 2  # beyond a factor of this, or below one by it, no sale or tax but a misread number


def objection(unseen: FieldReading | None, old: Iterable[Rule]) -> str:
    """What speaks against new places, by what they read on pages that did not teach them; nothing if they are proven.

    `old` are the rules whose values are known.
    """
    if unseen is None:
        return "no place was found that holds the known values"
    name = unseen.name
    if name == "price":
        return _objection_to_prices(unseen, is_list_price=_is_list_price(old))
    if unseen.tally.right < MIN_PROVEN:
        return f"{unseen.tally.right} of {unseen.tally.pages} pages confirm the new places"
    if name in VOLATILE:
        is_proven = unseen.tally.right >= MIN_REPRODUCED_VOLATILE * len(unseen.given)
    else:  # a value that the page does not show any more has changed
        shown = [page for page, _ in unseen.given if page.shows(name)]
        is_proven = unseen.tally.right >= max(MIN_REPRODUCED * len(shown), (1 - BROKEN) * len(unseen.given))
    return "" if is_proven else f"{unseen.tally.other} of {len(unseen.given)} values are not the known ones"


def _objection_to_prices(prices: FieldReading, *, is_list_price: bool) -> str:
    """What speaks against places of a price: pages that say otherwise when they are read alone, or changes that nothing explains."""
    given, witnessed, doubted = prices.given, 0, 0
    if len(given) < MIN_PROVEN:
        return f"the new places have a value on {len(given)} of {len(prices.values)} pages only"
    for page, value in given:
        seen, is_known = page.witness, page.is_known("price", value)
        is_seen = is_same("price", value, seen.get("price"))
        is_former = not is_list_price and is_same("price", value, seen.get("list_price"))
        witnessed += is_seen or is_known
        is_refuted = is_former or not is_known or is_same("price", seen.get("price"), page.read.get("price"))
        doubted += "price" in seen and not is_seen and is_refuted
    if doubted > BROKEN * len(given):
        return f"{doubted} of {len(given)} pages, read alone, show another price"
    if _is_unexplained(prices):
        return f"{prices.tally.other} of {len(given)} prices differ from the known ones, each by another factor"
    if witnessed < MIN_REPRODUCED_VOLATILE * len(given):
        return f"{len(given) - witnessed} of {len(given)} prices differ from the known ones, and nothing confirms them"
    return ""


def _is_list_price(rules: Iterable[Rule]) -> bool:
    """Whether the price that the rules read stands behind a label such as "MSRP": then the page's price to pay is another one."""
    labels = [rule.selector.label for rule in rules if isinstance(rule.selector, LabelSelector)]
    return any((price := parse_price(f"{label} 1")) and price.role == "old" for label in labels)


def is_displaced(before: Mapping[str, FieldReading], *, is_redesign: bool) -> bool:
    """Whether what stands in the price's old place is another price: the known ones stand elsewhere, or a new design explains nothing."""
    prices = before.get("price")
    return prices is not None and (_is_elsewhere(prices) or (is_redesign and _is_unexplained(prices)))


def _is_elsewhere(prices: FieldReading) -> bool:
    """Whether most pages have another price where the known one was, and most of these show that one too, and not as a former one."""
    others = [page for page, value in prices.given if not page.is_known("price", value)]
    shown = (
        page for page in others if page.shows_whole("price") and not page.is_known("price", page.seen.get("list_price"))
    )
    return 2 * len(others) > len(prices.values) and 2 * sum(1 for _ in shown) > len(others)


def _is_unexplained(prices: FieldReading) -> bool:
    """Whether most prices have changed beyond reason, or hardly one is as known and no sale or tax explains it."""
    others = _factors((page, value) for page, value in prices.given if not page.is_known("price", value))
    wild = sum(not 1 <= MAX_FACTOR * factor <= MAX_FACTOR**2 for factor in others)
    if 2 * wild > len(prices.given):
        return True
    if prices.tally.right >= MIN_UNCHANGED * len(prices.given):
        return False
    return not _are_alike(_factors(prices.given)) or _is_elsewhere(prices)


def _factors(given: Iterable[tuple[KnownPage, Any]]) -> list[Decimal]:
    """By what prices have changed."""
    pairs = [(value, _amount(page.facts["price"][0])) for page, value in given]
    return [Decimal(value) / known for value, known in pairs if known]


def _are_alike(factors: Sequence[Decimal]) -> bool:
    """Whether the prices have all changed alike, as by a sale or a tax."""
    if len(factors) < MIN_PAGES:
        return False
    low, middle, high = quantiles(factors, n=4)
    return high - low <= SAME_FACTOR * middle and 1 <= MAX_FACTOR * middle <= MAX_FACTOR**2


def _amount(text: str) -> Decimal | None:
    amount = field("price").read(text)
    return None if amount is None else Decimal(amount)
