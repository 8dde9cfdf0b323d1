"""The values of a crawl against those of the last complete one of its shop: pages may all be read, and be read wrongly."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from statistics import median
from typing import NamedTuple

from sqlalchemy import ColumnElement, Connection, func, select

from scout.store.crawls import COMPLETE, NARROW, SHOP_SPIDER, is_narrow, last_complete_before
from scout.store.health import Finding
from scout.store.models import Crawl, PriceChange, StoredOffer

MIN_CHANGE = 0.01  # of a price: less is rounding, or the day's exchange rate
JUMP = 3  # factor that sales do not reach, and that rates, cents taken for euros and prices per 100 g exceed
MIN_PRODUCTS = 3  # one or two may be mistakes of the shop, however large their share


class _Product(NamedTuple):
    """A product of this crawl, and what the last complete crawl knew of it."""

    url: str
    price: Decimal | None
    currency: str | None
    old_price: Decimal | None
    old_currency: str | None

    @property
    def ratio(self) -> float | None:
        """New price by old price; None where they cannot be compared."""
        if not self.price or not self.old_price or self.currency != self.old_currency:
            return None
        return float(self.price / self.old_price)


@dataclass(frozen=True)
class ValueChanges:
    """What changed since the last complete crawl. `level` is the median of new price by old price of the same products; `examples` has
    the address of a product for each change, by the setting that limits it."""

    compared: int = 0  # products with a price in the same currency both times
    level: float = 1.0
    changed: int = 0
    jumped: int = 0
    priced: int = 0  # products with a currency
    other_currency: int = 0  # than before, or than any product of the shop had
    currencies: tuple[str, ...] = ()  # these, most frequent first
    examples: Mapping[str, str] = field(default_factory=dict)


def value_changes(connection: Connection, crawl: int) -> ValueChanges | None:
    """The changes since the last complete crawl of the same shop by the same spider; None if there was none."""
    before = last_complete_before(connection, crawl)
    if is_narrow(connection, crawl):
        before = _last_whole_or_narrow(connection, crawl)
    return None if before is None else _compare(list(_products(connection, crawl, before)))


def _last_whole_or_narrow(connection: Connection, crawl: int) -> int | None:
    """What a refresh is compared with: the last complete crawl, of the whole shop or not."""
    shop = select(Crawl.shop_id).where(Crawl.id == crawl).scalar_subquery()
    query = select(func.max(Crawl.id)).where(Crawl.shop_id == shop, Crawl.id < crawl, Crawl.reason == COMPLETE)
    return connection.execute(query.where(Crawl.spider.in_((SHOP_SPIDER, *NARROW)))).scalar()


def _of_crawl(connection: Connection, crawl: int) -> ColumnElement[bool]:
    """The offers of a crawl; of a refresh, those too whose prices it saw in lists: else all that it read would have changed."""
    if not is_narrow(connection, crawl):
        return StoredOffer.crawl_id == crawl
    this = connection.execute(select(Crawl.shop_id, Crawl.started_at).where(Crawl.id == crawl)).one()
    is_confirmed = (StoredOffer.shop_id == this.shop_id) & (StoredOffer.price_seen_at >= this.started_at)
    return (StoredOffer.crawl_id == crawl) | is_confirmed


def _products(connection: Connection, crawl: int, before: int) -> Iterable[_Product]:
    of_crawl = _of_crawl(connection, crawl)
    own = select(StoredOffer.id).where(of_crawl)
    last = select(func.max(PriceChange.id)).where(PriceChange.crawl_id <= before, PriceChange.offer_id.in_(own))
    old = select(PriceChange).where(PriceChange.id.in_(last.group_by(PriceChange.offer_id))).subquery()
    query = select(StoredOffer.url, StoredOffer.price, StoredOffer.currency, old.c.price, old.c.currency)
    query = query.outerjoin(old, old.c.offer_id == StoredOffer.id).where(of_crawl)
    return (_Product(*row) for row in connection.execute(query))


def _compare(products: list[_Product]) -> ValueChanges:
    ratios = {product.url: ratio for product in products if (ratio := product.ratio) is not None}
    changed = [url for url, ratio in ratios.items() if _change(ratio) > MIN_CHANGE]
    jumped = [url for url, ratio in ratios.items() if max(ratio, 1 / ratio) > JUMP]
    known = {product.old_currency for product in products if product.old_currency}
    priced = [product for product in products if product.currency and known]
    other = [product for product in priced if product.currency not in ({product.old_currency} - {None} or known)]
    examples = {
        "SCOUT_MONITOR_PRICE_CHANGES": changed,
        "SCOUT_MONITOR_PRICE_JUMPS": jumped,
        "SCOUT_MONITOR_CURRENCIES": [product.url for product in other],
    }
    return ValueChanges(
        compared=len(ratios),
        level=median(ratios.values()) if ratios else 1.0,
        changed=len(changed),
        jumped=len(jumped),
        priced=len(priced),
        other_currency=len(other),
        currencies=tuple(str(name) for name, _ in Counter(product.currency for product in other).most_common()),
        examples={name: urls[0] for name, urls in examples.items() if urls},
    )


def _change(ratio: float) -> float:
    """By which share the lower price is below the higher one: 0.5 for half, and for double."""
    return 1 - min(ratio, 1 / ratio)


def describe_changes(changes: ValueChanges, allowed: Mapping[str, float]) -> list[Finding]:
    """A finding for each figure that changed by more than is allowed.

    >>> limits = {f"SCOUT_MONITOR_{name}": 0.2 for name in ("PRICE_LEVEL", "PRICE_CHANGES", "PRICE_JUMPS", "CURRENCIES")}
    >>> describe_changes(ValueChanges(compared=120, level=1 / 12), limits)
    [Finding(setting='SCOUT_MONITOR_PRICE_LEVEL', text='the median price of 120 products fell by 92 %')]
    """
    findings = []
    if changes.compared >= MIN_PRODUCTS and _change(changes.level) > allowed["SCOUT_MONITOR_PRICE_LEVEL"]:
        way = "fell" if changes.level < 1 else "rose"
        text = f"the median price of {changes.compared:,} products {way} by {100 * abs(changes.level - 1):.0f} %"
        findings.append(Finding("SCOUT_MONITOR_PRICE_LEVEL", text))
    shares = {
        "SCOUT_MONITOR_PRICE_CHANGES": (changes.changed, changes.compared, "prices have changed"),
        "SCOUT_MONITOR_PRICE_JUMPS": (
            changes.jumped,
            changes.compared,
            f"prices rose or fell to more than {JUMP} times or less than a third",
        ),
        "SCOUT_MONITOR_CURRENCIES": (
            changes.other_currency,
            changes.priced,
            f"prices are now in {', '.join(changes.currencies)}",
        ),
    }
    for name, (count, total, what) in shares.items():
        if count >= MIN_PRODUCTS and count > allowed[name] * total:
            findings.append(
                Finding(name, f"{count:,} of {total:,} {what} ({changes.examples.get(name, 'no example')})")
            )
    return findings
