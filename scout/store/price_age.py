"""When prices were last seen in their shop, and how many of them may have changed since."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, case, or_, select, update

from scout.store.batched import batched
from scout.store.columns import now
from scout.store.models import Crawl, StoredOffer
from scout.store.upsert import BATCH


def price_seen(crawl: int, at: datetime) -> dict[str, Any]:
    """The values of an offer whose price this crawl has seen; one without a price keeps what it has. Each crawl counts once."""
    has_price = StoredOffer.price.is_not(None)
    is_first = StoredOffer.crawl_id.is_distinct_from(crawl)
    return {
        "price_seen_at": case((has_price, at), else_=StoredOffer.price_seen_at),
        "price_checks": StoredOffer.price_checks + case((has_price & is_first, 1), else_=0),
    }


def confirm_prices(connection: Connection, crawl: int, offers: Iterable[int]) -> None:
    """The crawl has seen these stored prices, in lists; each counts once."""
    began = connection.execute(select(Crawl.started_at).where(Crawl.id == crawl)).scalar_one()
    is_first = or_(StoredOffer.price_seen_at.is_(None), StoredOffer.price_seen_at < began)
    for some in batched(offers, BATCH):
        seen = update(StoredOffer).where(StoredOffer.id.in_(some), StoredOffer.price.is_not(None), is_first)
        connection.execute(seen.values(price_seen_at=now(), price_checks=StoredOffer.price_checks + 1))
