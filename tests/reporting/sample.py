"""Made-up shops for the tests of reports."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from typing import Any

from scout.matching import Match
from scout.offer import Evidence, Offer
from scout.reporting.inputs import ReportedCrawl, ShopData, ShopOffer

NOW = datetime(2026, 11, 16, 12, 0, tzinfo=timezone.utc)
COMPLETE = ReportedCrawl(
    NOW - timedelta(hours=2), NOW - timedelta(hours=1), "finished", True, {"response_received_count": 321}
)
CUT_SHORT = replace(COMPLETE, reason="closespider_timeout", is_complete=False)


def found(number: int, **values: Any) -> ShopOffer:
    """An offer with a number, whatever else the test says, and usual values for the rest."""
    usual = {
        "url": f"https://shop.example/p/{number}",
        "title": f"Thing {number}",
        "price": f"{10 + number}.00",
        "currency": "EUR",
        "brand": f"Brand {number % 3}",
        "sku": f"S-{number:05}",
        "category": f"Home > Room {number % 4}",
        "availability": "InStock",
    }
    offer = Offer({name: value for name, value in {**usual, **values}.items() if value is not None})
    offer.evidence["price"] = Evidence("span.price", raw="x", origin="learned")
    return ShopOffer(number + 1000, offer, NOW - timedelta(days=number % 5))


def shop(items: Sequence[ShopOffer], listed: Sequence[int], **values: Any) -> ShopData:
    """A shop whose offers at the positions `listed` are in the catalogue, by their SKU; without any, the catalogue has something else."""
    rows = [
        {"id": f"K{p}", "name": items[p].text("title"), "sku": items[p].text("sku"), "price": items[p].text("price")}
        for p in listed
    ]
    usual: dict[str, Any] = {
        "shop": "lamps",
        "made_at": NOW,
        "found": items,
        "known": rows or [{"id": "K", "name": "Something else"}],
        "matches": [Match(row, position, 0.97, "same SKU") for row, position in enumerate(listed)],
        "crawls": [COMPLETE],
    }
    return ShopData(**{**usual, **values})
