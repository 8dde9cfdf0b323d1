"""The former prices that a shop claims, with the prices that were observed, out of the database."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation

from sqlalchemy import select

from scout.reporting.former_prices import FormerPrice, ObservedPrice, judge_former_price
from scout.store.batched import batched
from scout.store.models import PriceChange
from scout.store.offers import OfferRecord
from scout.store.repository import Store
from scout.store.upsert import BATCH


def former_prices(store: Store, shop: str) -> Iterator[FormerPrice]:
    """Every offer of the shop that claims a former price, judged by its observed prices."""
    for some in batched((offer for offer in store.offers(shop) if offer.get("list_price")), BATCH):
        history = _histories(store, some)
        for offer in some:
            if (claimed := _amount(offer["list_price"])) is None:
                continue
            seen = [
                ObservedPrice(at, price)
                for at, price, currency in history[offer.id]
                if currency == offer.get("currency")
            ]
            judged = judge_former_price(offer["url"], offer.get("title"), offer.get("currency"), claimed, seen)
            if judged is not None:
                yield judged


def _histories(store: Store, offers: list[OfferRecord]) -> dict[int, list[tuple]]:
    query = select(PriceChange.offer_id, PriceChange.at, PriceChange.price, PriceChange.currency)
    query = query.where(PriceChange.offer_id.in_([offer.id for offer in offers]), PriceChange.price.is_not(None))
    histories: dict[int, list[tuple]] = defaultdict(list)
    with store.reading() as connection:
        for offer, *observed in connection.execute(query.order_by(PriceChange.id)):
            histories[offer].append(tuple(observed))
    return histories


def _amount(text: object) -> Decimal | None:
    try:
        return Decimal(str(text))
    except InvalidOperation:
        return None
