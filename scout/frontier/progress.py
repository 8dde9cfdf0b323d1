"""How crawls are getting on: asked of the frontier, so that it is true whatever became of the workers."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from sqlalchemy import Connection, func, select

from scout.errors import UsageError
from scout.frontier.table import DONE, FAILED, LEASED, PENDING
from scout.store import Store
from scout.store.columns import now
from scout.store.crawls import COMPLETE
from scout.store.models import Crawl, FrontierUrl, Shop, StoredOffer

RECENT = timedelta(seconds=60)  # over which the throughput of a running crawl is measured


@dataclass(frozen=True)
class Progress:
    """A crawl: what it has done, what is left, and what failed for which reason."""

    id: int
    shop: str
    started_at: datetime
    finished_at: datetime | None
    reason: str | None
    offers: int = 0
    counts: dict[str, int] = field(default_factory=dict)  # state -> requests
    workers: int = 0  # with leases that are not over
    recent: int = 0  # pages that were over in the last RECENT
    failures: dict[str, int] = field(default_factory=dict)  # reason -> pages, the most frequent first

    @property
    def state(self) -> str:
        """complete: the frontier has nothing left; running; else why it stopped, and whether it can go on."""
        if self.reason == COMPLETE and not self.left:
            return "complete"
        if self.workers:
            return "running"
        stopped = self.reason or "killed"
        return f"{stopped}, can be resumed" if self.left or self.reason is None else stopped

    @property
    def left(self) -> int:
        """Requests that are still to be made."""
        return self.counts.get(PENDING, 0) + self.counts.get(LEASED, 0)

    @property
    def pages(self) -> int:
        """Requests that were made, well or not."""
        return self.counts.get(DONE, 0) + self.counts.get(FAILED, 0)

    @property
    def pages_per_minute(self) -> float | None:
        """Of late, for a running crawl; over all its time, for one that has ended."""
        if self.finished_at is None:
            return self.recent / (RECENT / timedelta(minutes=1))
        took = (self.finished_at - self.started_at) / timedelta(minutes=1)
        return self.pages / took if took > 0 else None


def progress(store: Store, shop: str | None = None, last: int = 20) -> list[Progress]:
    """The `last` crawls of the shop, or of all, newest first."""
    query = select(Crawl.id, Shop.name, Crawl.started_at, Crawl.finished_at, Crawl.reason)
    query = query.join(Shop, Shop.id == Crawl.shop_id).order_by(Crawl.id.desc()).limit(last)
    if shop is not None:
        if not store.has_shop(shop):
            raise UsageError(f"There is no shop called {shop!r}. `scrapy shops list` shows those there are.")
        query = query.where(Shop.name == shop)
    with store.reading() as connection:
        return [_progress(connection, Progress(*row)) for row in connection.execute(query).all()]


def _progress(connection: Connection, crawl: Progress) -> Progress:
    of_crawl = FrontierUrl.crawl_id == crawl.id
    count = func.count().label("count_")
    states = select(FrontierUrl.state, count).where(of_crawl).group_by(FrontierUrl.state)
    failed = select(FrontierUrl.reason, count).where(of_crawl, FrontierUrl.state == FAILED)
    failed = failed.group_by(FrontierUrl.reason).order_by(count.desc())
    workers = select(func.count(FrontierUrl.worker.distinct())).where(of_crawl, FrontierUrl.leased_until > now())
    recent = select(count).where(of_crawl, FrontierUrl.ended_at > now() - RECENT)
    offers = select(count).where(StoredOffer.crawl_id == crawl.id)
    return Progress(
        *(crawl.id, crawl.shop, crawl.started_at, crawl.finished_at, crawl.reason),
        offers=connection.execute(offers).scalar_one(),
        counts={row.state: row.count_ for row in connection.execute(states)},
        workers=connection.execute(workers).scalar_one(),
        recent=connection.execute(recent).scalar_one(),
        failures={row.reason or "unknown": row.count_ for row in connection.execute(failed)},
    )
