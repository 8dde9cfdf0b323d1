"""The figures of a fleet, out of the database: a handful of queries, however many shops there are."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Row, case, func, select

from scout.frontier.progress import stored_outcome
from scout.frontier.table import shared_time
from scout.reporting.fleet_figures import AGES, FleetFigures, PastCrawl, ShopFigures
from scout.store import Store
from scout.store.columns import now
from scout.store.crawls import COMPLETE, SCOPES, SHOP_SPIDER
from scout.store.health import Health
from scout.store.models import LEASED, Crawl, FrontierUrl, Shop, StoredOffer
from scout.store.shops import ShopStatus

TREND = 10  # crawls
MIN_FALL = 0.02  # of a field's coverage: less comes and goes
_SPANS = (timedelta(days=1), timedelta(days=7), timedelta(days=30))


def fleet_figures(store: Store) -> FleetFigures:
    """All shops with the figures of their last crawls, the worst first."""
    made_at = now()
    with store.reading() as connection:
        crawls = _last_crawls(connection)
        prices = _price_ages(connection, made_at)
        shops = [_figures(connection, status, crawls[status.name], prices, made_at) for status in store.shops()]
    return FleetFigures(made_at, sorted(shops, key=lambda shop: (shop.badness, shop.name)))


def _last_crawls(connection: Connection) -> dict[str, list[Row[Any]]]:
    """The last crawls of each shop, the newest first."""
    place = func.row_number().over(partition_by=Crawl.shop_id, order_by=Crawl.id.desc()).label("place")
    ranked = select(Crawl.id, place).where(Crawl.spider.in_(SCOPES)).subquery()
    query = select(Crawl.__table__, Shop.name.label("shop")).join(ranked, ranked.c.id == Crawl.id)
    query = query.join(Shop, Shop.id == Crawl.shop_id).where(ranked.c.place <= TREND).order_by(Crawl.id.desc())
    crawls: dict[str, list[Row[Any]]] = defaultdict(list)
    for row in connection.execute(query):
        crawls[row.shop].append(row)
    return crawls


def _figures(
    connection: Connection, status: ShopStatus, crawls: Sequence[Row[Any]], prices: Any, at: datetime
) -> ShopFigures:
    past = [_past(connection, row) for row in crawls]
    state, reason, share = "never", "", None
    if crawls:
        outcome = _outcome(connection, crawls[0])
        state, share = outcome.state, 1 - outcome.account.unread_share if outcome.account.shown else None
        said = crawls[0].stats.get("scout/exit/reason") if state == "failed" else None
        reason = "" if state == "complete" else str(said or "; ".join(outcome.why()) or crawls[0].reason or "")
    complete = [row for row in crawls if row.reason == COMPLETE and row.spider == SHOP_SPIDER]
    fields, fallen = _field_health(complete)
    age = (at - complete[0].finished_at) / timedelta(hours=1) if complete else None
    return ShopFigures(
        name=status.name,
        url=status.url,
        state=state,
        reason=reason,
        offers=status.offers,
        age_hours=None if age is None else round(age, 2),
        read_share=None if share is None else round(share, 4),
        fields=fields,
        fallen=fallen,
        prices=prices.get(status.name, {}),
        crawls=past[::-1],
        due_at=status.due_at,
        is_due=status.is_due(at),
        is_paused=status.is_paused,
        quiet_hours=status.quiet_hours,
        interval_hours=status.interval / timedelta(hours=1) if status.interval else None,
    )


def _outcome(connection: Connection, row: Row[Any]) -> Any:
    return stored_outcome(connection, row, is_running=row.finished_at is None and _is_running(connection, row.id))


def _is_running(connection: Connection, crawl: int) -> bool:
    query = select(FrontierUrl.id).where(FrontierUrl.crawl_id == crawl, FrontierUrl.state == LEASED)
    return (
        connection.execute(query.where(FrontierUrl.leased_until > shared_time(connection)).limit(1)).first() is not None
    )


def _past(connection: Connection, row: Row[Any]) -> PastCrawl:
    outcome = _outcome(connection, row)
    seconds = (row.finished_at - row.started_at).total_seconds() if row.finished_at else None
    scope = SCOPES[row.spider]
    return PastCrawl(row.id, row.started_at, scope, outcome.state, outcome.account.offers, seconds)


def _field_health(complete: Sequence[Row[Any]]) -> tuple[dict[str, float], dict[str, float]]:
    """The share of offers that have each field, and by how much it fell since the complete crawl before."""
    health = [found for row in complete[:2] if (found := Health.from_stats(row.stats)) is not None]
    if not health:
        return {}, {}
    newest, before = health[0].coverage, health[-1].coverage
    falls = {name: round(share - newest.get(name, 0.0), 4) for name, share in before.items()}
    return dict(newest), {name: fall for name, fall in falls.items() if fall > MIN_FALL}


def _price_ages(connection: Connection, at: datetime) -> dict[str, dict[str, int]]:
    """For each shop: its offers with a price, by when it was last seen."""
    seen = StoredOffer.price_seen_at
    is_younger = [(seen > at - span, name) for span, name in zip(_SPANS, AGES, strict=False)]
    age = case((seen.is_(None), "unknown"), *is_younger, else_="older").label("age")
    query = select(Shop.name, age, func.count().label("count_")).join(Shop, Shop.id == StoredOffer.shop_id)
    query = query.where(StoredOffer.price.is_not(None)).group_by(Shop.name, age)
    ages: dict[str, dict[str, int]] = defaultdict(dict)
    for name, bucket, count in connection.execute(query):
        ages[name][bucket] = count
    return ages
