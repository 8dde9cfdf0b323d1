"""When prices were last seen in their shop, and how many of them may have changed since."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import case

from scout.store.models import StoredOffer


def price_seen(crawl: int, at: datetime) -> dict[str, Any]:
    """The values of an offer whose price this crawl has seen; one without a price keeps what it has. Each crawl counts once."""
    has_price = StoredOffer.price.is_not(None)
    is_first = StoredOffer.crawl_id.is_distinct_from(crawl)
    return {
        "price_seen_at": case((has_price, at), else_=StoredOffer.price_seen_at),
        "price_checks": StoredOffer.price_checks + case((has_price & is_first, 1), else_=0),
    }
