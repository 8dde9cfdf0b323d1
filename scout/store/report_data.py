"""What the report on a shop is made of, out of the database."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from datetime import datetime
from typing import Any

from sqlalchemy import func, select

from scout.matching import ListComparison, compare, match
from scout.matching.columns import rows_by_field
from scout.matching.ids import SCORES
from scout.matching.levels import lists_variants, representatives
from scout.reporting.inputs import PricePoint, ReportedCrawl, ShopData, ShopOffer
from scout.store import MatchRecord, OfferRecord, Store
from scout.store.catalogue import KnownOfferRecord
from scout.store.columns import now
from scout.store.crawls import SHOP_SPIDER
from scout.store.identity import digest
from scout.store.models import Crawl, FrontierUrl, KnownOffer, PriceChange, Shop, StoredOffer
from scout.store.presence import FORBIDDEN, GONE
from scout.urls import clean_url


def load_report_data(store: Store, shop: str, *, unread: int | None = None, save: bool = True) -> ShopData:
    """Match the offers of a shop with its catalogue, store the matches (`save`), and load everything that the report is made of.

    `unread` is how many products the last crawl may have missed at most.
    """
    crawls = store.crawls(shop, SHOP_SPIDER)
    records = list(store.offers(shop, gone=True))
    present = [record for record in records if record.state != GONE]
    vanished = [record for record in records if record.state == GONE]
    known = store.known_offers(shop)
    decisions = store.decisions(shop)
    compared = _compare(known, present, decisions)
    variants = len(present)
    by_product = not lists_variants(present, compared.matches)
    if by_product:  # one row of the catalogue is all variants of a product, so they are no rivals
        present = [present[position] for position in representatives(present, compared.matches)]
        compared = _compare(known, present, decisions)
    matches = [pair for pair in compared.matches if not pair.undecided]
    if save:
        pairs = [MatchRecord(known[m.catalogue].id, present[m.offer].id, m.score, m.reason) for m in matches]
        store.save_matches(shop, pairs)
    return ShopData(
        shop=shop,
        made_at=now(),
        url=store.shop(shop).url,
        found=list(map(_shop_offer, present)),
        known=known,
        matches=matches,
        undecided=[pair for pair in compared.matches if pair.undecided],
        missing=compared.missing,
        variants=variants if by_product else 0,
        accepted=store.accepted_missing(shop),
        crawls=[ReportedCrawl(c.started_at, c.finished_at, c.reason, c.is_complete, c.stats) for c in crawls],
        vanished=list(map(_shop_offer, vanished)),
        history=_price_histories(store, shop),
        imported_at=_imported_at(store, shop),
        known_gone=_rows_with_url(known, _settled_urls(store, shop, GONE)) | _rows_of(known, vanished),
        known_unreadable=_rows_with_url(known, _settled_urls(store, shop, FORBIDDEN)),
        unread=unread,
    )


def _compare(
    known: Sequence[KnownOfferRecord], present: Sequence[OfferRecord], decisions: Mapping[tuple[str, str], bool]
) -> ListComparison:
    """The comparison of the catalogue with the shop's offers, with what persons have decided."""
    if not decisions:
        return compare(known, present)
    rows = {row.key: position for position, row in enumerate(known)}
    offers = {digest(str(record.get("url", ""))): position for position, record in enumerate(present)}
    settled = {(key, offers[url]): same for (url, key), same in decisions.items() if url in offers}
    pairs = {(rows[key], offer): same for (key, offer), same in settled.items() if key in rows}
    accepted = {row: offer for (row, offer), same in pairs.items() if same}  # one to one: the latest decision counts
    accepted = {offer: row for row, offer in accepted.items()}
    absent = {offer for (key, offer), same in settled.items() if not key and not same} - accepted.keys()
    return compare(
        known,
        present,
        accepted=[(row, offer) for offer, row in accepted.items()],
        rejected={pair for pair, same in pairs.items() if not same},
        absent=absent,
    )


def _shop_offer(record: OfferRecord) -> ShopOffer:
    return ShopOffer(record.id, record, record.first_seen, record.state, record.age_days, record.price_age_days)


def _settled_urls(store: Store, shop: str, outcome: str) -> set[str]:
    """The addresses that came to this in the last crawl of the whole shop."""
    own = select(func.max(Crawl.id)).join(Shop, Shop.id == Crawl.shop_id)
    own = own.where(Shop.name == shop, Crawl.spider == SHOP_SPIDER)
    query = select(FrontierUrl.url).where(FrontierUrl.crawl_id == own.scalar_subquery(), FrontierUrl.outcome == outcome)
    with store.reading() as connection:
        return set(connection.execute(query).scalars())


def _rows_with_url(known: Sequence[Mapping[str, Any]], urls: Set[str]) -> frozenset[int]:
    """The known rows with one of these addresses."""
    if not urls:
        return frozenset()
    rows = rows_by_field(known)
    return frozenset(p for p, row in enumerate(rows) if row.get("url") and clean_url(str(row["url"])) in urls)


def _rows_of(known: Sequence[Mapping[str, Any]], vanished: Sequence[OfferRecord]) -> frozenset[int]:
    """The known rows of these offers, by identifiers alone: likeness is no proof that just this one is gone."""
    matches = match(known, vanished) if known and vanished else ()
    return frozenset(pair.catalogue for pair in matches if pair.reason in SCORES)


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
