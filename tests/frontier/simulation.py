"""A random shop with faults, and workers that lease, read, stall, die and come back: everything real but the pages."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import timedelta
from random import Random

from sqlalchemy import select, update

from scout.crawl.account import AccountState, CrawlOutcome
from scout.crawl.pages_in_progress import PageResult, PagesInProgress
from scout.frontier.ledger import MOVED, ask_again, count_retries, crawl_outcome
from scout.frontier.resuming import entered_crawl, leave_crawl
from scout.frontier.table import MAX_DEATHS, Changes, Frontier, Lease, NewRequest
from scout.store import Store
from scout.store.columns import now
from scout.store.models import FrontierUrl
from scout.url_rules import address_digest, page_key

START = "http://s.example/"
ROUNDS = 3
FOREVER = 99
FAULTS = ("http_503", "captcha", "cut_off", "http_429")
FINAL = {"gone": AccountState.GONE, "forbidden": AccountState.FORBIDDEN, "none": AccountState.NO_PRODUCT}
REASONS = {"gone": "http_404", "forbidden": "robots"}


@dataclass
class RandomShop:
    """Lists that show lists and products, texts that link to products, redirects; some pages fail a few times, some for ever."""

    random: Random
    shows: dict[str, list[str]] = field(default_factory=dict)  # address of a list -> addresses that it shows
    links: dict[str, list[str]] = field(default_factory=dict)  # address of a list -> addresses that its text links to
    kinds: dict[str, str] = field(default_factory=dict)  # address -> list, product, twin, gone, forbidden, none, moved
    moved: dict[str, str] = field(default_factory=dict)  # address -> where it redirects to
    faults: dict[str, int] = field(default_factory=dict)  # address -> how often it fails before it is read
    asked: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        choose = self.random
        lists = [f"list-{n}" for n in range(choose.randint(2, 8))]
        products = [f"product-{n}" for n in range(choose.randint(5, 40))]
        kinds = ["product"] * 12 + ["twin", "gone", "forbidden", "none", "moved"]
        self.kinds = dict.fromkeys(lists, "list") | {name: choose.choice(kinds) for name in products}
        for number, name in enumerate(lists):
            shown = choose.sample(products, choose.randint(1, len(products)))
            self.shows[name] = [*lists[number + 1 : number + 3], *shown]
            self.links[name] = choose.sample(products, choose.randint(0, 3))
        for name in (name for name, kind in self.kinds.items() if kind == "moved"):
            self.moved[name] = choose.choice(self.shows["list-0"])  # which is known before anything can redirect to it
        for name in choose.sample([*lists[1:], *products], len(self.kinds) // 4):
            self.faults[name] = choose.choice([1, 1, 2, FOREVER])

    def heal(self) -> None:
        """From now on every page is served."""
        self.faults.clear()

    def fault(self, name: str) -> str | None:
        self.asked[name] += 1
        return FAULTS[self.asked[name] % len(FAULTS)] if self.asked[name] <= self.faults.get(name, 0) else None

    def is_lost(self, name: str) -> bool:
        return self.faults.get(name) == FOREVER

    def reachable(self) -> tuple[set[str], set[str]]:
        """All that is shown by lists that can be read, and what these merely link to."""
        known, left, linked = {"list-0"}, ["list-0"], set()
        while left:
            name = left.pop()
            if self.is_lost(name):
                continue
            linked.update(self.links.get(name, ()))
            for shown in self.shows.get(name, ()):
                if shown not in known:
                    known.add(shown)
                    left.append(shown)
        return known, linked - known

    def true_state(self, name: str, *, is_linked: bool = False) -> AccountState:
        """What the address comes to in the end; `is_linked` where no list shows it as a product: then it may well be a list."""
        kind = self.kinds[name]
        if self.is_lost(name):
            return AccountState.FAILED
        if kind == "moved":
            return self._state_of_target(name, is_linked=is_linked)
        states = {"list": AccountState.LIST_READ, "product": AccountState.OFFER, "twin": AccountState.SAME_PRODUCT}
        return states.get(kind) or FINAL[kind]

    def _state_of_target(self, name: str, *, is_linked: bool) -> AccountState:
        """Where a redirect leads, perhaps by others; one that leads in a circle leads nowhere."""
        passed = {name}
        while (name := self.moved[name]) in self.moved and name not in passed and not self.is_lost(name):
            passed.add(name)
        kind = "lost" if self.is_lost(name) else self.kinds[name]
        if kind == "list" and is_linked:
            return AccountState.LIST_READ
        return AccountState.SAME_PRODUCT if kind in ("product", "twin") else AccountState.FAILED


class Worker:
    """One worker: what it has not written yet dies with it."""

    def __init__(self, crawl: Simulation, name: str) -> None:
        self.crawl, self.shop = crawl, crawl.shop
        self.frontier = Frontier(crawl.store, crawl.id, name)
        self.frontier.reclaim()
        self.pages = PagesInProgress()
        self.ready: list[Lease] = []
        self.new: list[NewRequest] = []
        self.listed: dict[str, list[str]] = {}  # list -> its records

    def exchange(self, wanted: int) -> bool:
        """Write and lease; whether there was anything to lease, or others work."""
        marks, new = self.pages.taken_marks(), self.new
        listed, self.new, self.listed = self.listed, [], {}
        known = self.crawl.rows() if new else {}
        result = self.frontier.exchange(Changes(new, marks, wanted))
        self.crawl.shown.update(request.key for request in new if request.shown and request.key not in known)
        rows = self.crawl.rows() if listed else {}
        for name, records in listed.items():  # unless it was another worker's list by now, which reads it again
            self.crawl.shown.update(records if rows[name][1] == AccountState.LIST_READ.value else ())
        for lease in result.leases:
            self.pages.opened(lease.key, lease.url)
        self.ready += result.leases
        return bool(result.leases or result.others_work)

    def read(self) -> None:
        """Ask the shop for one of the leased pages."""
        lease = self.ready.pop(self.crawl.random.randrange(len(self.ready)))
        name = lease.key
        if reason := self.shop.fault(name):
            self.pages.failed(name, reason)
        elif self.shop.kinds[name] in REASONS:
            self.pages.failed(name, REASONS[self.shop.kinds[name]])
        else:
            self.pages.judge(name, self._result(name))
            self.pages.read(name)

    def _result(self, name: str) -> PageResult:
        if name in self.shop.moved:
            return PageResult(AccountState.SAME_PRODUCT, MOVED, digest=self.shop.moved[name])
        if name not in self.shop.shows:
            return PageResult(self.shop.true_state(name))
        links, shown = self.shop.links[name], self.shop.shows[name]
        self._request(name, links, None)
        self._request(name, [one for one in shown if one.startswith("list")], "list")
        records = [one for one in shown if not one.startswith("list")]
        self._request(name, [one for one in records if one not in links], "product")
        self.listed[name] = records
        digests = [address_digest(page_key(START + one)) for one in records]
        return PageResult(AccountState.LIST_READ, listing={"category": [name], "shown": digests, "stated": None})

    def _request(self, page: str, names: list[str], shown: str | None) -> None:
        for name in names:
            self.pages.begun(page)
            self.new.append(NewRequest(name, START + name, "{}", 0, shown=shown))
            self.pages.ended(page)


class Simulation:
    """A crawl by several workers, one step at a time."""

    def __init__(self, store: Store, seed: int, workers: int) -> None:
        self.store, self.random = store, Random(seed)
        self.shop = RandomShop(self.random)
        self.shown: set[str] = {"list-0"}  # what the table was told
        self.workers: list[Worker] = []
        self.misfortunes = self.random.randint(0, MAX_DEATHS - 1)
        self._names = 0
        self.enter(workers)
        self.workers[0].new.append(NewRequest("list-0", START + "list-0", "{}", 0, shown="list"))
        self.workers[0].exchange(0)

    def enter(self, workers: int) -> None:
        """Start workers: on a new crawl, or on one that goes on."""
        self.id = entered_crawl(self.store, "s", "shop", START).crawl
        for _ in range(workers):
            self._join()

    def _join(self) -> None:
        self._names += 1
        self.workers.append(Worker(self, f"worker-{self._names}"))

    def step(self) -> None:
        """Something happens to one of the workers."""
        worker = self.random.choice(self.workers)
        what = self.random.random()
        if what < 0.05 and self.misfortunes:
            self.misfortunes -= 1
            self._strike(worker)
        elif what < 0.75 and worker.ready:
            worker.read()
        else:
            worker.exchange(self.random.randint(0, 6))

    def _strike(self, worker: Worker) -> None:
        """The worker is killed and another one started, or it stalls until its leases are over, and comes back late."""
        with self.store.writing() as connection:
            mine = update(FrontierUrl).where(FrontierUrl.worker == worker.frontier.worker)
            connection.execute(mine.values(leased_until=now() - timedelta(seconds=1)))
        if self.random.random() < 0.5:
            self.workers.remove(worker)
            self._join()
        else:
            for other in self.workers:
                other.frontier.reclaim()

    def run(self) -> None:
        """Until nothing is left to do, rounds of retries included."""
        while True:
            while self._is_busy():
                self.step()
            if not (count_retries(self.store, self.id, ROUNDS)[0] and ask_again(self.store, self.id, ROUNDS)):
                return

    def _is_busy(self) -> bool:
        states = {state for state, _ in self.rows().values()}
        has_unwritten = any(worker.pages.marks or worker.new for worker in self.workers)
        return bool(states & {"pending", "leased"}) or has_unwritten

    def rows(self) -> dict[str, tuple[str, str | None]]:
        """State and outcome of each row."""
        query = select(FrontierUrl.key, FrontierUrl.state, FrontierUrl.outcome)
        with self.store.reading() as connection:
            return {
                key: (state, outcome)
                for key, state, outcome in connection.execute(query.where(FrontierUrl.crawl_id == self.id))
            }

    def outcome(self) -> CrawlOutcome:
        """What may be said now."""
        return crawl_outcome(self.store, self.id, "finished")

    def leave(self, reason: str) -> CrawlOutcome:
        """All workers close, one after the other; what the last one says."""
        for worker in self.workers:
            worker.exchange(0)
            worker.frontier.release()
            outcome = leave_crawl(self.store, self.id, reason, {})
        self.workers.clear()
        return outcome
