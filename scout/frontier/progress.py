"""How crawls are getting on: asked of the frontier, so that it is true whatever became of the workers."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Row, func, select

from scout.crawl.account import Account, AccountState, CrawlOutcome, CrawlState, outcome_of
from scout.errors import UsageError
from scout.exchange.schemas import COVERAGE, FORMAT
from scout.frontier.ledger import account_from_json, read_account
from scout.frontier.resuming import CATEGORIES
from scout.frontier.table import DONE, FAILED, PENDING, is_dead, shared_time
from scout.store import Store
from scout.store.crawls import COMPLETE, FAILED_CRAWL, INCOMPLETE, INCOMPLETE_AGAIN, NARROW, PART_SPIDER, SCOPES
from scout.store.models import LEASED, Crawl, FrontierUrl, Shop, StoredOffer

JSON_FIELDS = (
    "shop scope state reason pages left unchanged minutes_left pages_per_minute workers offers gone failures".split()
)
UNKNOWN = "unknown"
MET = [f"scout/persist/{what}" for what in ("new", "changed", "unchanged")]  # offers that a later crawl has met too
HEALED = "scout/heal/fields"  # the stat that says what became of each field after a redesign
RECENT = timedelta(seconds=60)  # over which the throughput of a running crawl is measured


@dataclass(frozen=True)
class CrawlProgress:
    """A crawl: what it has done, what is left, and what failed for which reason."""

    id: int
    shop: str
    started_at: datetime
    finished_at: datetime | None
    reason: str | None
    offers: int = 0
    counts: dict[str, int] = field(default_factory=dict)  # state -> requests
    workers: int = 0  # with leases that are not over, those that died on this machine aside
    recent: int = 0  # pages that were over in the last RECENT
    failures: dict[str, int] = field(default_factory=dict)  # reason -> pages, the most frequent first
    unchanged: int = 0  # pages that were not sent again, because they have not changed
    outcome: CrawlOutcome = field(default_factory=lambda: CrawlOutcome("interrupted", Account()))
    categories: dict[str, dict[str, int]] = field(default_factory=dict)  # once it has ended
    healed: dict[str, str] = field(
        default_factory=dict
    )  # field -> what healing did to its rules, where pages had changed
    gone: int = 0  # offers of the shop that are no longer there
    scope: str = "shop"  # part: one category and what is below it; known: known addresses; prices: a refresh

    @property
    def state(self) -> CrawlState:
        """running, complete, incomplete, interrupted or failed."""
        return self.outcome.state

    @property
    def left(self) -> int:
        """Requests that are still to be made."""
        return self.counts.get(PENDING, 0) + self.counts.get(LEASED, 0)

    @property
    def pages(self) -> int:
        """Requests that were made, well or not."""
        return self.counts.get(DONE, 0) + self.counts.get(FAILED, 0)

    @property
    def share(self) -> float | None:
        """How much of what is known so far is done; None where nothing is."""
        return self.pages / (self.pages + self.left) if self.pages or self.left else None

    @property
    def minutes_left(self) -> float | None:
        """How long what is known so far will take at the pace of late; None where nobody works on it."""
        rate = self.pages_per_minute if self.finished_at is None and self.workers else None
        return self.left / rate if rate else None

    @property
    def pages_per_minute(self) -> float | None:
        """Of late, for a running crawl; over all its time, for one that has ended."""
        if self.finished_at is None:
            return self.recent / (RECENT / timedelta(minutes=1))
        took = (self.finished_at - self.started_at) / timedelta(minutes=1)
        return self.pages / took if took > 0 else None


def coverage_json(crawl: CrawlProgress) -> dict[str, Any]:
    """The crawl as plain data of the published schema `coverage`."""
    account, estimate = crawl.outcome.account, crawl.outcome.estimate
    return {
        "schema": FORMAT[COVERAGE],
        "crawl": crawl.id,
        "started": crawl.started_at.isoformat(),
        "finished": crawl.finished_at.isoformat() if crawl.finished_at else None,
        **{name: getattr(crawl, name) for name in JSON_FIELDS},
        "estimate": None if estimate is None else asdict(estimate),
        "account": {state.value: count for state, count in account.counts.items()},
        "shown": account.shown,
        "unread": account.unread,
        "reasons": dict(account.reasons),
        "completeness": str(crawl.outcome),
        "categories": crawl.categories,
    }


def progress(store: Store, shop: str | None = None, last: int = 20) -> list[CrawlProgress]:
    """The `last` crawls of the shop, or of all, newest first."""
    columns = (Crawl.id, Shop.name, Crawl.started_at, Crawl.finished_at, Crawl.reason)
    query = select(*columns, Crawl.stats, Crawl.account, Crawl.spider).join(Shop, Shop.id == Crawl.shop_id)
    query = query.order_by(Crawl.id.desc()).limit(last)
    if shop is not None:
        if not store.has_shop(shop):
            raise UsageError(f"There is no shop called {shop!r}. `scout shops list` shows all shops.")
        query = query.where(Shop.name == shop)
    with store.reading() as connection:
        return [_progress(connection, row) for row in connection.execute(query).all()]


def offers_met(store: Store, crawl: int) -> int:
    """How many offers the crawl has met so far, whichever of its runs and workers stored them."""
    with store.reading() as connection:
        return _count(connection, StoredOffer, StoredOffer.crawl_id == crawl)


def _count(connection: Connection, model: Any, *conditions: Any) -> int:
    return connection.execute(select(func.count()).select_from(model).where(*conditions)).scalar_one()


def _count_by(connection: Connection, column: Any, *conditions: Any) -> dict[str, int]:
    """How many requests have each value of the column, the most frequent first."""
    query = select(column.label("value"), func.count().label("count_")).where(*conditions).group_by(column)
    rows = connection.execute(query.order_by(func.count().desc()))
    return {row.value or UNKNOWN: row.count_ for row in rows}


def failed_pages(store: Store, crawl: int) -> list[tuple[str, str]]:
    """Address and reason of every page of the crawl that failed."""
    query = select(FrontierUrl.url, FrontierUrl.reason).where(FrontierUrl.crawl_id == crawl)
    with store.reading() as connection:
        rows = connection.execute(query.where(FrontierUrl.state == FAILED).order_by(FrontierUrl.reason, FrontierUrl.id))
        return [(row.url, row.reason or UNKNOWN) for row in rows]


def _progress(connection: Connection, row: Row[Any]) -> CrawlProgress:
    of_crawl, at = FrontierUrl.crawl_id == row.id, shared_time(connection)
    workers = select(FrontierUrl.worker).distinct().where(of_crawl, FrontierUrl.leased_until > at)
    working = sum(not is_dead(worker) for worker in connection.execute(workers).scalars() if worker)
    outcome = stored_outcome(connection, row, is_running=bool(working))
    return CrawlProgress(
        *(row.id, row.name, row.started_at, row.finished_at, row.reason),
        offers=max(
            _count(connection, StoredOffer, StoredOffer.crawl_id == row.id), sum(row.stats.get(name, 0) for name in MET)
        ),
        counts=_count_by(connection, FrontierUrl.state, of_crawl),
        workers=working,
        recent=_count(connection, FrontierUrl, of_crawl, FrontierUrl.ended_at > at - RECENT),
        failures=_count_by(connection, FrontierUrl.reason, of_crawl, FrontierUrl.state == FAILED),
        unchanged=row.stats.get("scout/unchanged", 0),
        outcome=outcome,
        categories=row.stats.get(CATEGORIES, {}),
        healed=row.stats.get(HEALED, {}),
        gone=_count_gone(
            connection, row.id, is_complete=outcome.state == "complete" and row.spider not in (PART_SPIDER, *NARROW)
        ),
        scope=SCOPES.get(row.spider, "shop"),
    )


def stored_outcome(connection: Connection, row: Row[Any], *, is_running: bool) -> CrawlOutcome:
    """What the crawl said when it ended; for one that goes on or was killed, what its account says now."""
    if row.finished_at is None or row.account is None:
        account = read_account(connection, row.id, is_interrupted=not is_running)
    else:
        account = account_from_json(row.account)
    is_incomplete = row.reason in (INCOMPLETE, INCOMPLETE_AGAIN)
    reason = COMPLETE if is_incomplete else row.reason
    outcome = outcome_of(account, reason, is_running=is_running, has_failed=row.reason == FAILED_CRAWL)
    return replace(outcome, state="incomplete") if is_incomplete and outcome.state == "complete" else outcome


def _count_gone(connection: Connection, crawl: int, *, is_complete: bool) -> int:
    """Offers of earlier crawls that are gone: those whose page the shop says is not there, or that a complete crawl did not see, except
    where it was forbidden to look."""
    shop = select(Crawl.shop_id).where(Crawl.id == crawl).scalar_subquery()
    outcome = AccountState.FORBIDDEN if is_complete else AccountState.GONE
    told = select(FrontierUrl.url).where(FrontierUrl.crawl_id == crawl, FrontierUrl.outcome == outcome.value)
    is_gone = StoredOffer.url.not_in(told) if is_complete else StoredOffer.url.in_(told)
    return _count(connection, StoredOffer, StoredOffer.shop_id == shop, StoredOffer.crawl_id < crawl, is_gone)
