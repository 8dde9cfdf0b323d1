"""What the report on a shop is made of, out of the database."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from datetime import datetime

from sqlalchemy import func, select

from scout.matching import match
from scout.reporting.inputs import PricePoint, ReportedCrawl, ShopData, ShopOffer
from scout.store import MatchRecord, Store
from scout.store.columns import now
from scout.store.crawls import SHOP_SPIDER
from scout.store.models import KnownOffer, PriceChange, Shop, StoredOffer


def load_report_data(store: Store, shop: str) -> ShopData:
    """Match the offers of a shop with its catalogue, store the matches, and load everything that the report is made of."""
    crawls = store.crawls(shop, SHOP_SPIDER)
    last_complete = next((crawl.id for crawl in crawls if crawl.is_complete), 0)
    records = list(store.offers(shop, gone=True))
    present = [record for record in records if (record.crawl or 0) >= last_complete]
    vanished = [record for record in records if (record.crawl or 0) < last_complete]
    known = store.known_offers(shop)
    matches = match(known, present)
    pairs = [MatchRecord(known[m.catalogue].id, present[m.offer].id, m.score, m.reason) for m in matches]
    store.save_matches(shop, pairs)
    return ShopData(
        shop=shop,
        made_at=now(),
        url=store.shop(shop).url,
        found=[ShopOffer(record.id, record, record.first_seen) for record in present],
        known=known,
        matches=matches,
        accepted=store.accepted_missing(shop),
        crawls=[ReportedCrawl(c.started_at, c.finished_at, c.reason, c.is_complete, c.stats) for c in crawls],
        vanished=[ShopOffer(record.id, record, record.first_seen) for record in vanished],
        history=_price_histories(store, shop),
        imported_at=_imported_at(store, shop),
    )


def _price_histories(store: Store, shop: str) -> Mapping[int, list[PricePoint]]:
    """Offer id -> its prices, oldest first, for offers whose price changed."""
    offers = select(StoredOffer.id).join(Shop, Shop.id == StoredOffer.shop_id).where(Shop.name == shop)
    changed = select(PriceChange.offer_id).where(PriceChange.offer_id.in_(offers)).group_by(PriceChange.offer_id)
    changed = changed.having(func.count() > 1)
    query = select(PriceChange.offer_id, PriceChange.at, PriceChange.price, PriceChange.currency)
    query = query.where(PriceChange.offer_id.in_(changed)).order_by(PriceChange.id)
    histories: dict[int, list[PricePoint]] = defaultdict(list)
    with store.reading() as connection:
        for offer, at, price, currency in connection.execute(query):
            histories[offer].append(PricePoint(at, price, currency))
    return histories


def _imported_at(store: Store, shop: str) -> datetime | None:
    """When the catalogue of the shop was last imported."""
    query = select(func.max(KnownOffer.imported_at)).join(Shop, Shop.id == KnownOffer.shop_id).where(Shop.name == shop)
    with store.reading() as connection:
        return connection.execute(query).scalar()
