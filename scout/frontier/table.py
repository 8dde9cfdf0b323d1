"""The table of a crawl's requests: pending, leased by a worker, done or failed. All that has gathered is written in one transaction.

A lease lasts LEASE_SECONDS and is renewed while its worker lives. What a dead worker had is given to another: when its lease is over,
or at once where the dead worker ran on this machine. Each lease has a number: a worker whose lease went to another comes too late, and
what it says of the page is refused. What several workers died of is leased alone, so that the next death tells which page it was.
"""

from __future__ import annotations

import os
import platform
import secrets
import time
from collections import Counter
from collections.abc import Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from operator import itemgetter
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, and_, bindparam, case, func, select, update

from scout.crawl.account import AccountState
from scout.crawl.pages_in_progress import PageOutcome, PageResult
from scout.store import Store
from scout.store.columns import UtcDateTime, now
from scout.store.models import LEASED, Crawl, FrontierUrl
from scout.store.upsert import upsert

LEASE_SECONDS = 60.0
LEASE = timedelta(seconds=LEASE_SECONDS)
# seconds between two looks at what the other workers do: often enough for people, too seldom to cost anything
LOOK_AROUND = 0.5
MAX_SHARED_DEATHS = 3  # of workers that had leased a page among others; from then on it is leased alone
MAX_DEATHS = 6  # a page whose workers died so often, at last with nothing else to do, is what kills them
GIVEN_UP = f"given up: its worker died {MAX_DEATHS} times"

PENDING, DONE, FAILED = "pending", "done", "failed"
KEPT = "kept"  # known, and perhaps made later: the spider decides


@dataclass(frozen=True)
class NewRequest:
    """A request that shall be made: `again` even if it was made before, `later` only when the spider asks for it again."""

    key: str
    url: str
    data: str
    priority: int
    again: bool = False
    later: bool = False
    shown: str | None = None  # as what it was shown: product, list, pager (a further page of a list) or page


@dataclass(frozen=True)
class Lease:
    """A request that this worker has to make now."""

    key: str
    url: str
    data: str
    priority: int
    id: int
    number: int = 0

    def __lt__(self, other: Lease) -> bool:
        """Which comes first: the higher priority, and of one priority the newer one, as in Scrapy's own queue."""
        return (-self.priority, -self.id) < (-other.priority, -other.id)


@dataclass
class Changes:
    """What a worker has to tell: new requests and pages that are over."""

    new: list[NewRequest] = field(default_factory=list)
    marks: list[PageOutcome] = field(default_factory=list)
    wanted: int = 0  # how many leases it would like to have


@dataclass(frozen=True)
class ExchangeResult:
    """What a worker is told in return: its leases, and whether anybody else still has something to do."""

    leases: list[Lease] = field(default_factory=list)
    others_work: bool = False


class Frontier:
    """The requests of one crawl, as one worker sees them."""

    def __init__(self, store: Store, crawl: int, worker: str | None = None) -> None:
        self.store, self.crawl = store, crawl
        self.worker = worker or worker_name()
        self.leases: dict[str, int] = {}  # key of a page -> number of the lease: what this worker has
        self.late = 0  # marks that were refused, because another worker has the page, or had it
        self._suspect: str | None = None  # a page that this worker reads alone
        self._look_at = 0.0  # when it is time to ask after the other workers

    def exchange(self, changes: Changes, *, renew: bool = False) -> ExchangeResult:
        """Write the changes and get the leases that are wanted, in one transaction."""
        over = {mark.key for mark in changes.marks}
        held = self.leases.keys() - over
        with self.store.writing() as connection:
            at = shared_time(connection)
            if renew:
                renewal = update(FrontierUrl).where(self._mine()).values(leased_until=at + LEASE)
                connection.execute(renewal)
            self._insert(connection, changes, at)
            late = self._mark(connection, changes.marks, at)
            leases = self._lease(connection, changes.wanted, held, at)
            is_short = bool(changes.wanted and not leases)
            if is_short and time.monotonic() >= self._look_at:  # whoever asks in vain for leases, asks again soon
                self._look_at = time.monotonic() + LOOK_AROUND
                leases = self._lease(connection, changes.wanted, held, at) if self._reclaim(connection, at) else []
            others = is_short and not leases and self._others_work(connection)
        self.late += late
        for key in over:
            self.leases.pop(key, None)
        self.leases.update((lease.key, lease.number) for lease in leases)
        return ExchangeResult(leases, others)

    def turn(self, pause: float) -> float:
        """Take the next turn to ask the shop: 0, or the seconds until there may be one. All workers together keep the pause."""
        with self.store.writing() as connection:
            own = Crawl.id == self.crawl
            last = connection.execute(select(Crawl.asked_at).where(own).with_for_update()).scalar_one()
            at = shared_time(connection)
            left = 0.0 if last is None else (last - at).total_seconds() + pause
            if left <= 0:
                connection.execute(update(Crawl).where(own).values(asked_at=at))
            return min(max(0.0, left), pause)  # never longer, also where a clock was set back

    def reclaim(self) -> int:
        """Set free what dead workers had; how many."""
        with self.store.writing() as connection:
            return self._reclaim(connection, shared_time(connection))

    def release(self) -> None:
        """Give back what this worker has leased, and what dead ones had."""
        with self.store.writing() as connection:
            connection.execute(update(FrontierUrl).where(self._mine()).values(state=PENDING, **_UNLEASED))
            self._reclaim(connection, shared_time(connection))
        self.leases.clear()

    def counts(self) -> Counter[str]:
        """How many requests are in each state."""
        query = select(FrontierUrl.state, func.count().label("count_")).where(FrontierUrl.crawl_id == self.crawl)
        with self.store.reading() as connection:
            rows = connection.execute(query.group_by(FrontierUrl.state))
            return Counter({row.state: row.count_ for row in rows})

    def count_pages(self) -> tuple[int, int]:
        """How many requests are over, whichever run or worker made them, and how many are still to be made."""
        counts = self.counts()
        return counts[DONE] + counts[FAILED], counts[PENDING] + counts[LEASED]

    def known(self) -> dict[str, str]:
        """Key and address of every request of the crawl."""
        query = select(FrontierUrl.key, FrontierUrl.url).where(FrontierUrl.crawl_id == self.crawl)
        with self.store.reading() as connection:
            return {row.key: row.url for row in connection.execute(query)}

    def kept(self) -> list[Lease]:
        """The requests that were kept for later."""
        with self.store.reading() as connection:
            return [Lease(*row) for row in connection.execute(select(*_LEASE_COLUMNS).where(self._of(KEPT)))]

    def has_lists(self) -> bool:
        """Whether any page showed a list of products."""
        query = select(FrontierUrl.id).where(FrontierUrl.crawl_id == self.crawl, FrontierUrl.listing.is_not(None))
        with self.store.reading() as connection:
            return connection.execute(query.limit(1)).first() is not None

    # --- one transaction's parts --------------------------------------------------------------------------------------

    def _of(self, state: str, *conditions: Any) -> Any:
        return and_(FrontierUrl.crawl_id == self.crawl, FrontierUrl.state == state, *conditions)

    def _mine(self) -> Any:
        return self._of(LEASED, FrontierUrl.worker == self.worker)

    def _insert(self, connection: Connection, changes: Changes, at: datetime) -> None:
        """Write new requests, and the addresses that pages redirected to: whoever shows these shows the same page."""
        rows = [
            self._row(new.key, new.url, new.data, KEPT if new.later else PENDING, new.priority, shown=new.shown)
            for new in changes.new
        ]
        for mark in changes.marks:
            if mark.state == DONE:  # where a redirect led to nothing, the address is asked by itself if it is shown
                outcome = mark.result.outcome if mark.result else None
                same = AccountState.SAME_PRODUCT if outcome is AccountState.OFFER else outcome
                rows += [
                    self._row(key, url, "{}", DONE, outcome=same and same.value, ended_at=at)
                    for key, url in mark.aliases.items()
                ]
        if connection.dialect.name == "postgresql":
            rows.sort(key=itemgetter("key"))  # two workers with the same addresses wait for each other in one order
        key, columns = ("crawl_id", "key"), ("state", "request", "priority")
        upsert(connection, FrontierUrl, [row for row in rows if row["state"] == KEPT], key=key)
        others = [row for row in rows if row["state"] != KEPT]
        upsert(connection, FrontierUrl, others, key=key, update=columns, where=_WAS_KEPT)
        if again := [{"crawl": self.crawl, "row": new.key} for new in changes.new if new.again]:
            connection.execute(_ASK_AGAIN, again)

    def _row(self, key: str, url: str, data: str, state: str, priority: int = 0, **more: Any) -> dict[str, Any]:
        row = {"crawl_id": self.crawl, "key": key, "url": url, "request": data, "priority": priority, "state": state}
        return row | {"deaths": 0, "shown": None, "outcome": None, "ended_at": None} | more

    def _mark(self, connection: Connection, marks: Sequence[PageOutcome], at: datetime) -> int:
        """These pages are over; how many of the marks came too late."""
        rows = [
            {"crawl": self.crawl, "row": mark.key, "number": self.leases.get(mark.key, 0), "new_state": mark.state}
            | {"at": at, **_result_columns(mark.result)}
            for mark in marks
        ]
        return len(rows) - connection.execute(_MARK, rows).rowcount if rows else 0

    def _lease(self, connection: Connection, count: int, held: Set[str], at: datetime) -> list[Lease]:
        """Lease up to `count` requests; of those that workers died of one, and only to a worker that has nothing else."""
        if self._suspect in held or not count:
            return []
        values = {"crawl": self.crawl, "own": self.worker, "until": at + LEASE}
        rows = connection.execute(_LEASE, values | {"count": count}).all()
        if not rows and not held:
            rows = connection.execute(_LEASE_SUSPECT, values | {"count": 1}).all()
            self._suspect = rows[0].key if rows else None
        return sorted(Lease(*columns) for columns in rows)

    def _reclaim(self, connection: Connection, at: datetime) -> int:
        others = self._of(LEASED, FrontierUrl.worker != self.worker)
        holders = connection.execute(select(FrontierUrl.worker).where(others).distinct()).scalars()
        is_over = (FrontierUrl.leased_until < at) | FrontierUrl.worker.in_(
            [name for name in holders if name and is_dead(name)]
        )
        lost = select(FrontierUrl.id).where(others, is_over).with_for_update(skip_locked=True)
        is_deadly = FrontierUrl.deaths + 1 >= MAX_DEATHS
        values = {
            "deaths": FrontierUrl.deaths + 1,
            "state": case((is_deadly, FAILED), else_=PENDING),
            "reason": case((is_deadly, GIVEN_UP), else_=None),
            "outcome": case((is_deadly, AccountState.FAILED.value), else_=None),
        }
        reclaimed = update(FrontierUrl).where(FrontierUrl.id.in_(lost)).values(values | _UNLEASED)
        return connection.execute(reclaimed).rowcount

    def _others_work(self, connection: Connection) -> bool:
        """Whether there is anything that is neither over nor this worker's own."""
        unfinished = self._of(PENDING) | self._of(LEASED, FrontierUrl.worker != self.worker)
        return connection.execute(select(FrontierUrl.id).where(unfinished).limit(1)).first() is not None


def _result_columns(result: PageResult | None) -> dict[str, Any]:
    """What is written of a page that is over."""
    if result is None:
        return dict.fromkeys(("why", "came_to", "text", "lists"))
    listing = dict(result.listing) if result.listing else None
    return {"why": result.reason, "came_to": result.outcome.value, "text": result.digest, "lists": listing}


def shared_time(connection: Connection) -> datetime:
    """The time by a clock that all workers share: PostgreSQL's own, or that of the one machine."""
    if connection.dialect.name != "postgresql":
        return now()
    return connection.execute(select(func.clock_timestamp(type_=UtcDateTime()))).scalar_one()


# --- the statements of every exchange: to make one takes as long as to run it ---------------------------------------------

_WAS_KEPT = FrontierUrl.state == KEPT
_UNLEASED: dict[str, Any] = {"worker": None, "leased_until": None}
_LEASED_REQUEST = (FrontierUrl.key, FrontierUrl.url, FrontierUrl.request, FrontierUrl.priority)
_LEASE_COLUMNS = (*_LEASED_REQUEST, FrontierUrl.id, FrontierUrl.lease)


def _leasing(which: Any) -> Any:
    chosen = select(FrontierUrl.id).where(FrontierUrl.crawl_id == bindparam("crawl"), FrontierUrl.state == PENDING)
    chosen = chosen.where(which).order_by(FrontierUrl.priority.desc(), FrontierUrl.id.desc()).limit(bindparam("count"))
    chosen = chosen.with_for_update(skip_locked=True)  # PostgreSQL: each worker gets others; SQLite has one at a time
    values = {"state": LEASED, "worker": bindparam("own"), "leased_until": bindparam("until")}
    values["lease"] = FrontierUrl.lease + 1
    return update(FrontierUrl).where(FrontierUrl.id.in_(chosen)).values(values).returning(*_LEASE_COLUMNS)


_LEASE = _leasing(FrontierUrl.deaths < MAX_SHARED_DEATHS)
_LEASE_SUSPECT = _leasing(FrontierUrl.deaths >= MAX_SHARED_DEATHS)
_ONE = update(FrontierUrl).where(FrontierUrl.crawl_id == bindparam("crawl"), FrontierUrl.key == bindparam("row"))
_MARK = _ONE.where(FrontierUrl.state == LEASED, FrontierUrl.lease == bindparam("number")).values(
    state=bindparam("new_state"),
    reason=bindparam("why"),
    ended_at=bindparam("at"),
    outcome=bindparam("came_to"),
    digest=bindparam("text"),
    # a list that shows nothing any more keeps what it showed: that contradicts it
    listing=func.coalesce(bindparam("lists", type_=FrontierUrl.listing.type), FrontierUrl.listing),
    **_UNLEASED,
)
# not IN: its list of parameters cannot be expanded in a statement for many rows
_ASK_AGAIN = _ONE.where((FrontierUrl.state == DONE) | (FrontierUrl.state == FAILED)).values(
    state=PENDING, reason=None, ended_at=None, outcome=None
)
_BOOT = Path("/proc/sys/kernel/random/boot_id")


# --- workers ------------------------------------------------------------------------------------------------------------


def worker_name() -> str:
    """A name that no other worker has, and that tells workers of this machine whether this one still lives."""
    return f"{_machine()}:{os.getpid()}:{secrets.token_hex(4)}"


def is_dead(worker: str) -> bool:
    """Whether the worker ran on this machine and is gone; of a worker elsewhere nobody knows but its lease."""
    machine, _, rest = worker.rpartition(":")[0].rpartition(":")
    if machine != _machine() or not rest.isdecimal():
        return False
    try:
        os.kill(int(rest), 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return _is_zombie(int(rest))


def _machine() -> str:
    """This machine, and in it this container: elsewhere a process number means nothing. Copies of a machine share its name, no boot."""
    boot = space = ""
    with suppress(OSError):
        boot = _BOOT.read_text(encoding="ascii").strip()
    with suppress(OSError):
        space = str(Path("/proc/self/ns/pid").readlink())
    return f"{platform.node()}/{boot}/{space}"


def _is_zombie(process: int) -> bool:
    """Killed, but its parent has not looked yet."""
    with suppress(OSError):
        stat = Path(f"/proc/{process}/stat").read_text(encoding="ascii", errors="replace")
        return stat.rpartition(")")[2].split()[:1] == ["Z"]
    return False
