"""The crawls of a shop."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Select, Subquery, func, insert, or_, select, update

from scout.store.columns import now
from scout.store.models import Crawl
from scout.values.storable import storable

COMPLETE = "finished"  # all that was shown to the crawl was read
INCOMPLETE = "incomplete"  # nothing is left to do, but something was not read
INCOMPLETE_AGAIN = "incomplete again"  # ... nor when that was asked for once more: the next crawl begins anew
FAILED_CRAWL = "failed"  # the crawl ended with exit code 1
SHOP_SPIDER = "shop"  # the spider that walks whole shops: only its complete crawls show which offers are gone
PART_SPIDER = "shop part"  # the same spider, where it walked a category only
KNOWN_SPIDER = "shop known"  # ... where it read the addresses that were known, and no others
PRICES_SPIDER = "shop prices"  # ... where it refreshed prices
SCOPES = {SHOP_SPIDER: "shop", PART_SPIDER: "part", KNOWN_SPIDER: "known", PRICES_SPIDER: "prices"}
NARROW = (
    KNOWN_SPIDER,
    PRICES_SPIDER,
)  # complete means that all they were asked for was read: they look for nothing else


@dataclass(frozen=True)
class CrawlRecord:
    """A stored crawl."""

    id: int
    spider: str
    started_at: datetime
    finished_at: datetime | None
    reason: str | None
    stats: Mapping[str, Any]

    @property
    def is_complete(self) -> bool:
        """Whether it ended because no requests were left."""
        return self.reason == COMPLETE


def begin_crawl(connection: Connection, shop: int, spider: str) -> int:
    """Add a crawl and return its id."""
    row = {"shop_id": shop, "spider": spider, "started_at": now(), "stats": {}}
    return connection.execute(insert(Crawl).values(**row).returning(Crawl.id)).scalar_one()


def finish_crawl(connection: Connection, crawl: int, reason: str, stats: Mapping[str, Any]) -> None:
    """Store why the crawl ended, and its stats."""
    ended = {"finished_at": now(), "reason": reason, "stats": storable(dict(stats))}
    connection.execute(update(Crawl).where(Crawl.id == crawl).values(**ended))


def crawls(connection: Connection, shop: int, spider: str | None = None) -> list[CrawlRecord]:
    """The crawls of a shop, newest first."""
    query: Select[Any] = select(Crawl.id, Crawl.spider, Crawl.started_at, Crawl.finished_at, Crawl.reason, Crawl.stats)
    query = query.where(Crawl.shop_id == shop).order_by(Crawl.id.desc())
    if spider is not None:
        query = query.where(Crawl.spider == spider)
    return [CrawlRecord(*row) for row in connection.execute(query)]


def last_complete_before(connection: Connection, crawl: int) -> int | None:
    """The id of the last complete crawl of the same shop by the same spider; None if there is none."""
    this = select(Crawl.shop_id, Crawl.spider, Crawl.start_url).where(Crawl.id == crawl).subquery()
    query = select(Crawl.id).where(Crawl.shop_id == this.c.shop_id, Crawl.spider == this.c.spider)
    is_same_part = or_(Crawl.spider != PART_SPIDER, Crawl.start_url == this.c.start_url)
    query = query.where(Crawl.id < crawl, Crawl.reason == COMPLETE, is_same_part)
    return connection.execute(query.order_by(Crawl.id.desc()).limit(1)).scalar()


def is_narrow(connection: Connection, crawl: int) -> bool:
    """Whether this crawl looked for a part of the offers only, chosen by what was known of them."""
    return connection.execute(select(Crawl.spider).where(Crawl.id == crawl)).scalar() in NARROW


def limit_to_part(connection: Connection, crawl: int) -> None:
    """This crawl of a shop walks a part of it only."""
    connection.execute(update(Crawl).where(Crawl.id == crawl).values(spider=PART_SPIDER))


def last_complete_crawls() -> Subquery:
    """The newest complete crawl (`id`) of every shop (`shop_id`), as a subquery."""
    query = select(Crawl.shop_id, func.max(Crawl.id).label("id")).where(Crawl.spider == SHOP_SPIDER)
    return query.where(Crawl.reason == COMPLETE).group_by(Crawl.shop_id).subquery()


def last_complete_crawl(shop: int) -> Any:
    """The id of the shop's newest complete crawl of the whole shop, as a subquery."""
    query = select(Crawl.id).where(Crawl.shop_id == shop, Crawl.spider == SHOP_SPIDER, Crawl.reason == COMPLETE)
    return query.order_by(Crawl.id.desc()).limit(1).scalar_subquery()
