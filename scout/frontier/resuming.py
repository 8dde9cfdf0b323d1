"""Which crawl a start goes on with, and what a crawl's end means: an unfinished one is resumed, a finished one is begun anew."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Number
from typing import Any

from sqlalchemy import Connection, Row, select, update

from scout.crawl.account import INTERRUPTED, CrawlOutcome
from scout.errors import UsageError
from scout.frontier.ledger import account_as_json, ask_all_again, read_categories, read_outcome
from scout.frontier.table import PENDING
from scout.store import Store
from scout.store.changes import record_changes
from scout.store.columns import now
from scout.store.crawls import (
    COMPLETE,
    FAILED_CRAWL,
    INCOMPLETE,
    INCOMPLETE_AGAIN,
    PART_SPIDER,
    SHOP_SPIDER,
    begin_crawl,
)
from scout.store.models import LEASED, Crawl, FrontierUrl, Shop, StoredOffer
from scout.store.shops import ensure_shop
from scout.values.storable import storable

NO_SUMS = (
    "memusage/",
    "request_depth_max",
    "scout/exit_code",
    "scout/monitor/",
)  # of the whole crawl, or of one process
CATEGORIES = "scout/walk/categories"  # the figures of each category, as docs/database.md describes them
_STORED_REASONS = {"complete": COMPLETE, "incomplete": INCOMPLETE}


@dataclass(frozen=True)
class Entry:
    """The crawl that a worker takes part in."""

    crawl: int
    is_resumed: bool = False


def entered_crawl(store: Store, shop: str, spider: str, start_url: str | None, crawl: int | None = None) -> Entry:
    """The crawl to take part in: the one that is named, else the shop's last one if it has something left to do, else a new one."""
    with store.writing() as connection:
        shop_id = ensure_shop(connection, shop, start_url)
        connection.execute(select(Shop.id).where(Shop.id == shop_id).with_for_update())  # two starts agree on one crawl
        last = _named(connection, shop_id, shop, crawl) if crawl else _last(connection, shop_id, spider)
        if last is None or (crawl is None and not _has_more(connection, last, start_url)):
            begun = begin_crawl(connection, shop_id, spider)
            connection.execute(update(Crawl).where(Crawl.id == begun).values(start_url=start_url))
            return Entry(begun)
        connection.execute(update(Crawl).where(Crawl.id == last.id).values(finished_at=None, reason=None))
        return Entry(last.id, True)


def check_can_join(store: Store, shop: str, crawl: int) -> None:
    """UsageError where the shop has no such crawl, or it is finished.

    To be asked before the engine opens: Scrapy cannot break that off quietly.
    """
    with store.reading() as connection:
        _named(connection, connection.execute(select(Shop.id).where(Shop.name == shop)).scalar(), shop, crawl)


def products_of(store: Store, crawl: int) -> tuple[str, ...]:
    """The addresses of the products that the crawl has stored so far, by whichever worker."""
    query = select(StoredOffer.url).where(StoredOffer.crawl_id == crawl, StoredOffer.parent.is_(None))
    with store.reading() as connection:
        return tuple(connection.execute(query).scalars())


def _last(connection: Connection, shop: int, spider: str) -> Row[Any] | None:
    own = Crawl.spider.in_((spider, PART_SPIDER) if spider == SHOP_SPIDER else (spider,))
    query = select(Crawl).where(Crawl.shop_id == shop, own).order_by(Crawl.id.desc()).limit(1)
    return connection.execute(select(query.subquery())).first()


def _named(connection: Connection, shop: int | None, name: str, crawl: int) -> Row[Any]:
    found = connection.execute(select(Crawl.__table__).where(Crawl.id == crawl, Crawl.shop_id == shop)).first()
    if found is None:
        raise UsageError(f"{name} has no crawl {crawl}. `scout crawls {name}` lists its crawls.")
    if found.reason == COMPLETE:
        raise UsageError(f"Crawl {crawl} of {name} is finished: leave out crawl={crawl} to begin a new one.")
    return found


def _has_more(connection: Connection, last: Row[Any], start_url: str | None) -> bool:
    """A crawl without an end was killed or interrupted; one that ended otherwise than complete goes on if there is something left, unless
    that was of no use: else a single dead page would keep a shop from ever being read again.
    """
    if last.reason in (COMPLETE, INCOMPLETE_AGAIN) or last.start_url != start_url:
        return False
    if last.finished_at is None:
        return True
    is_more = ask_all_again(connection, last.id, deferred=last.reason == INCOMPLETE) > 0
    if is_more or str(last.reason).startswith(INTERRUPTED):
        return True
    waiting = FrontierUrl.state.in_((PENDING, LEASED))
    query = select(FrontierUrl.id).where(FrontierUrl.crawl_id == last.id, waiting).limit(1)
    return connection.execute(query).first() is not None


def leave_crawl(store: Store, crawl: int, reason: str, stats: Mapping[str, Any]) -> CrawlOutcome:
    """A worker leaves: its figures are added, and the crawl ends if nobody else is at work. What may be said of it."""
    with store.writing() as connection:
        before = connection.execute(select(Crawl.__table__).where(Crawl.id == crawl).with_for_update()).one()
        if before.reason == COMPLETE:  # the others have finished it: how a late worker ends changes nothing
            reason = COMPLETE
        outcome = read_outcome(connection, crawl, reason, has_failed=reason == FAILED_CRAWL)
        total = added(before.stats, stats)
        if outcome.state not in ("running", "failed") and (categories := read_categories(connection, crawl)):
            total[CATEGORIES] = categories
        values: dict[str, Any] = {"stats": storable(total)}
        if outcome.state != "running":
            account = account_as_json(outcome.account)
            reason = _STORED_REASONS.get(outcome.state, reason)
            if reason == INCOMPLETE and before.finished_at is None and before.account == account:
                reason = INCOMPLETE_AGAIN  # this run went on with it, and read nothing of what was missing
            values |= {"account": account, "finished_at": now(), "reason": reason}
        connection.execute(update(Crawl).where(Crawl.id == crawl).values(**values))
        if outcome.state == "complete" and before.reason != COMPLETE:
            record_changes(connection, crawl)
        return outcome


def added(before: Mapping[str, Any], stats: Mapping[str, Any]) -> dict[str, Any]:
    """The figures of several runs together: numbers are summed, of all else the newest is kept.

    >>> added({"pages": 2, "end": "shutdown"}, {"pages": 3, "end": "finished", "ok": True})
    {'pages': 5, 'end': 'finished', 'ok': True}
    """
    total = dict(before)
    for name, value in stats.items():
        is_sum = isinstance(value, Number) and not isinstance(value, bool) and isinstance(total.get(name), Number)
        total[name] = total[name] + value if is_sum and not name.startswith(NO_SUMS) else value
    return total
