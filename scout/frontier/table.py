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
from functools import cached_property
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Update, bindparam, case, func, or_, select, true, update

from scout.crawl.account import AccountState
from scout.crawl.pages_in_progress import PageOutcome, PageResult
from scout.store import Store
from scout.store.columns import UtcDateTime, now
from scout.store.models import LEASED, Crawl, FrontierUrl
from scout.store.upsert import upsert

LEASE_SECONDS = 60.0
LOOK_AROUND = (
    0.5  # seconds between two looks at what the other workers do: often enough for people, too seldom to cost anything
)
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
        self._looked_at = -LOOK_AROUND

    def exchange(self, changes: Changes, *, renew: bool = False) -> ExchangeResult:
        """Write the changes and get the leases that are wanted, in one transaction."""
        over = {mark.key for mark in changes.marks}
        held = self.leases.keys() - over
        with self.store.writing() as connection:
            if renew:
                self._renew(connection)
            self._insert(connection, changes)
            late = self._mark(connection, changes.marks)
            leases = self._lease(connection, changes.wanted, held) if changes.wanted else []
            is_short = bool(changes.wanted and not leases)
            if is_short and self._looks_around() and self._reclaim(connection):
                leases = self._lease(connection, changes.wanted, held)
            others = is_short and not leases and self._others_work(connection)
        self.late += late
        for key in over:
            self.leases.pop(key, None)
        self.leases.update((lease.key, lease.number) for lease in leases)
        return ExchangeResult(leases, others)

    def _looks_around(self) -> bool:
        """Whether it is time to ask after the other workers: whoever asks in vain for leases, asks again soon."""
        at = time.monotonic()
        is_time = at - self._looked_at >= LOOK_AROUND
        self._looked_at = at if is_time else self._looked_at
        return is_time

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
            return self._reclaim(connection)

    def release(self) -> None:
        """Give back what this worker has leased, and what dead ones had."""
        mine = self._of(LEASED, FrontierUrl.worker == self.worker)
        with self.store.writing() as connection:
            connection.execute(update(FrontierUrl).where(mine).values(state=PENDING, worker=None, leased_until=None))
            self._reclaim(connection)
        self.leases.clear()

    def counts(self) -> dict[str, int]:
        """How many requests are in each state."""
        query = select(FrontierUrl.state, func.count().label("count_")).where(FrontierUrl.crawl_id == self.crawl)
        with self.store.reading() as connection:
            return {row.state: row.count_ for row in connection.execute(query.group_by(FrontierUrl.state))}

    def count_pages(self) -> tuple[int, int]:
        """How many requests are over, whichever run or worker made them, and how many are still to be made."""
        counts = Counter(self.counts())
        return counts[DONE] + counts[FAILED], counts[PENDING] + counts[LEASED]

    def known(self) -> list[tuple[str, str]]:
        """Key and address of every request of the crawl."""
        query = select(FrontierUrl.key, FrontierUrl.url).where(FrontierUrl.crawl_id == self.crawl)
        with self.store.reading() as connection:
            return [(key, url) for key, url in connection.execute(query)]

    def kept(self) -> list[Lease]:
        """The requests that were kept for later."""
        query = select(*_LEASE_COLUMNS).where(self._of(KEPT))
        with self.store.reading() as connection:
            return [Lease(*columns) for columns in connection.execute(query).all()]

    # --- the statements of every exchange: to make one takes as long as to run it -------------------------------------

    @cached_property
    def _marking(self) -> Update:
        values: dict[str, Any] = {
            "state": bindparam("new_state"),
            "reason": bindparam("why"),
            "worker": None,
            "leased_until": None,
            "ended_at": bindparam("at"),
            "outcome": bindparam("came_to"),
            "digest": bindparam("text"),
            "listing": bindparam("lists", type_=FrontierUrl.listing.type),
        }
        return self._each(values, (FrontierUrl.state == LEASED) & (FrontierUrl.lease == bindparam("number")))

    @cached_property
    def _leasing(self) -> Any:
        return self._leasing_of(FrontierUrl.deaths < MAX_SHARED_DEATHS)

    @cached_property
    def _leasing_suspect(self) -> Any:
        return self._leasing_of(FrontierUrl.deaths >= MAX_SHARED_DEATHS)

    def _leasing_of(self, which: Any) -> Any:
        chosen = select(FrontierUrl.id).where(self._of(PENDING, which))
        chosen = chosen.order_by(FrontierUrl.priority.desc(), FrontierUrl.id.desc()).limit(bindparam("count"))
        chosen = chosen.with_for_update(
            skip_locked=True
        )  # PostgreSQL: each worker gets others; SQLite has one at a time
        values = {"state": LEASED, "worker": self.worker, "leased_until": bindparam("until")}
        values["lease"] = FrontierUrl.lease + 1
        return update(FrontierUrl).where(FrontierUrl.id.in_(chosen)).values(values).returning(*_LEASE_COLUMNS)

    # --- one transaction's parts --------------------------------------------------------------------------------------

    def _of(self, state: str, *conditions: Any) -> Any:
        condition = (FrontierUrl.crawl_id == self.crawl) & (FrontierUrl.state == state)
        for further in conditions:
            condition &= further
        return condition

    def _insert(self, connection: Connection, changes: Changes) -> None:
        rows = [
            self._row(new.key, new.url, new.data, new.priority, state=KEPT if new.later else PENDING, shown=new.shown)
            for new in changes.new
        ]
        for mark in changes.marks:
            if mark.state == DONE:  # where a redirect led to nothing, the address is asked by itself if it is shown
                rows += [self._alias_row(mark, key, url) for key, url in mark.aliases.items()]
        if connection.dialect.name == "postgresql":
            rows.sort(
                key=lambda row: row["key"]
            )  # two workers with the same addresses wait for each other in one order
        later = [row for row in rows if row["state"] == KEPT]
        others = [row for row in rows if row["state"] != KEPT]
        key, columns = ("crawl_id", "key"), ("state", "request", "priority")
        upsert(connection, FrontierUrl, later, key=key)
        upsert(connection, FrontierUrl, others, key=key, update=columns, where=_WAS_KEPT)
        again = [{"row": new.key} for new in changes.new if new.again]
        if again:
            # not IN: its list of parameters cannot be expanded in a statement for many rows
            ended = or_(*(FrontierUrl.state == state for state in (DONE, FAILED)))
            values = {"state": PENDING, "reason": None, "ended_at": None, "outcome": None}
            connection.execute(self._each(values, ended), again)

    def _row(
        self, key: str, url: str, data: str, priority: int, *, state: str = PENDING, shown: str | None = None
    ) -> dict[str, Any]:
        ended = now() if state in (DONE, FAILED) else None
        row = {"crawl_id": self.crawl, "key": key, "url": url, "request": data, "priority": priority, "state": state}
        row |= {"worker": None, "leased_until": None, "lease": 0, "deaths": 0, "reason": None, "ended_at": ended}
        return row | {"shown": shown, "outcome": None, "rounds": 0, "digest": None, "listing": None}

    def _alias_row(self, mark: PageOutcome, key: str, url: str) -> dict[str, Any]:
        """The row of an address that a page redirected to: whoever shows it shows the same page."""
        outcome = mark.result.outcome if mark.result else None
        same = AccountState.SAME_PRODUCT if outcome is AccountState.OFFER else outcome
        return self._row(key, url, "{}", 0, state=mark.state) | {"outcome": same.value if same else None}

    def _mark(self, connection: Connection, marks: Sequence[PageOutcome]) -> int:
        """These pages are over; how many of the marks came too late."""
        rows = [
            {"row": mark.key, "number": self.leases.get(mark.key, 0), "new_state": mark.state}
            | _result_columns(mark.result)
            for mark in marks
        ]
        if not rows:
            return 0
        at = shared_time(connection)
        return len(rows) - connection.execute(self._marking, [row | {"at": at} for row in rows]).rowcount

    def _each(self, values: dict[str, Any], where: Any = None) -> Update:
        """An update of single rows, each told by its key."""
        own = (FrontierUrl.crawl_id == self.crawl) & (FrontierUrl.key == bindparam("row"))
        return update(FrontierUrl).where(own, true() if where is None else where).values(values)

    def _renew(self, connection: Connection) -> None:
        mine = self._of(LEASED, FrontierUrl.worker == self.worker)
        connection.execute(update(FrontierUrl).where(mine).values(leased_until=_end_of_lease(connection)))

    def _lease(self, connection: Connection, count: int, held: Set[str]) -> list[Lease]:
        """Lease up to `count` requests; of those that workers died of one, and only to a worker that has nothing else."""
        if self._suspect in held:
            return []
        until = _end_of_lease(connection)
        rows = connection.execute(self._leasing, {"count": count, "until": until}).all()
        if not rows and not held:
            rows = connection.execute(self._leasing_suspect, {"count": 1, "until": until}).all()
            self._suspect = rows[0].key if rows else None
        return sorted(Lease(*columns) for columns in rows)

    def _reclaim(self, connection: Connection) -> int:
        holders = select(FrontierUrl.worker).where(self._of(LEASED, FrontierUrl.worker != self.worker)).distinct()
        dead = [name for (name,) in connection.execute(holders) if name and is_dead(name)]
        over = (FrontierUrl.leased_until < shared_time(connection)) | FrontierUrl.worker.in_(dead)
        lost = select(FrontierUrl.id).where(self._of(LEASED, FrontierUrl.worker != self.worker, over))
        is_deadly = FrontierUrl.deaths + 1 >= MAX_DEATHS
        values = {
            "deaths": FrontierUrl.deaths + 1,
            "state": case((is_deadly, FAILED), else_=PENDING),
            "reason": case((is_deadly, GIVEN_UP), else_=None),
            "outcome": case((is_deadly, AccountState.FAILED.value), else_=None),
            "worker": None,
            "leased_until": None,
        }
        lost = lost.with_for_update(skip_locked=True)
        return connection.execute(update(FrontierUrl).where(FrontierUrl.id.in_(lost)).values(values)).rowcount

    def _others_work(self, connection: Connection) -> bool:
        """Whether there is anything that is neither over nor this worker's own."""
        unfinished = self._of(PENDING) | self._of(LEASED, FrontierUrl.worker != self.worker)
        return connection.execute(select(FrontierUrl.id).where(unfinished).limit(1)).first() is not None


def _result_columns(result: PageResult | None) -> dict[str, Any]:
    """What is written of a page that is over."""
    if result is None:
        return {"why": None, "came_to": None, "text": None, "lists": None}
    return {
        "why": result.reason,
        "came_to": result.outcome.value,
        "text": result.digest,
        "lists": dict(result.listing) if result.listing else None,
    }


def _end_of_lease(connection: Connection) -> datetime:
    return shared_time(connection) + timedelta(seconds=LEASE_SECONDS)


def shared_time(connection: Connection) -> datetime:
    """The time by a clock that all workers share: PostgreSQL's own, or that of the one machine."""
    if connection.dialect.name != "postgresql":
        return now()
    return connection.execute(select(func.clock_timestamp(type_=UtcDateTime()))).scalar_one()


_BOOT = Path("/proc/sys/kernel/random/boot_id")
_WAS_KEPT = FrontierUrl.state == KEPT
_LEASED_REQUEST = (FrontierUrl.key, FrontierUrl.url, FrontierUrl.request, FrontierUrl.priority)
_LEASE_COLUMNS = (*_LEASED_REQUEST, FrontierUrl.id, FrontierUrl.lease)


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
