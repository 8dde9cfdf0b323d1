"""One run of a fleet: what is due is crawled, several shops at a time, until nothing is left or somebody stops it."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timezone
from time import monotonic, sleep

from scout.fleet.quiet_hours import is_quiet
from scout.fleet.runner import EndedCrawl, FleetRunner
from scout.frontier.progress import progress
from scout.store import ShopStatus, Store

PAUSE = 0.5  # seconds between two looks at the crawls
LOOKING = (
    0.1  # share of the time that a run may spend on asking the database what is due: it counts the offers of all shops
)
STATES = {0: "complete", 3: "incomplete"}  # exit codes of a crawl; all others are failures


class FleetRun:
    """What is waiting, running and over. The `named` shops are crawled whether they are due or not; without any, all that are due."""

    def __init__(
        self,
        store: Store,
        runner: FleetRunner,
        on_end: Callable[[EndedCrawl], None],
        *,
        named: Sequence[str] = (),
        keep_running: bool = False,
    ) -> None:
        self._store, self.runner, self._on_end = store, runner, on_end
        self._named, self._keep_running = named, keep_running
        self.ended: list[EndedCrawl] = []
        self.waiting: list[str] = []
        self._quiet: list[str] = []  # due, but in their quiet hours
        self._look_at = 0.0

    def to_its_end(self, show: Callable[[], None]) -> bool:
        """Crawl until nothing is due, and `show` how it goes; True if it was interrupted."""
        with termination_as_interrupt():
            try:
                while self._step() or self._keep_running:
                    show()
                    sleep(PAUSE)
                return False
            except KeyboardInterrupt:
                self._stop()
                return True

    def summary(self) -> str:
        """How the crawls ended, in one line, and which shops were left alone and why."""
        alone = {"already being crawled": sorted(self.runner.busy), "in quiet hours": self._quiet}
        return "; ".join(
            [describe_ended(self.ended), *(f"{', '.join(shops)}: {why}" for why, shops in alone.items() if shops)]
        )

    def _step(self) -> bool:
        """Collect and start crawls; False if there is nothing left to do."""
        if (began := monotonic()) >= self._look_at:
            self.waiting = self._due()
            self._look_at = monotonic() + (monotonic() - began) / LOOKING
        for crawl in self.runner.step(self.waiting):
            self.ended.append(crawl)
            self._on_end(crawl)
            self._look_at = 0.0
        self.waiting = [shop for shop in self.waiting if shop not in self.runner.running]
        return bool(self.runner.running) or not set(self.waiting) <= self.runner.busy

    def _due(self) -> list[str]:
        """The shops to crawl, the longest waiting first; each once, unless the run does not end."""
        now = datetime.now(timezone.utc)
        statuses = [self._store.shop(name) for name in self._named] or self._store.shops()
        if not self._named:
            stop_in_quiet_hours(self.runner, statuses)
        self._quiet = [one.name for one in statuses if one.is_due(now) and is_quiet(one.quiet_hours)]
        over = {crawl.shop for crawl in self.ended}
        waiting = [one for one in statuses if self._wants(one, now, is_over=one.name in over)]
        waiting = [one for one in waiting if one.name not in self.runner.running and not is_crawled(self._store, one)]
        return [status.name for status in sorted(waiting, key=lambda status: status.due_at or now)]

    def _wants(self, status: ShopStatus, at: datetime, *, is_over: bool) -> bool:
        """Whether to crawl this shop, which was crawled in this run before if it `is_over`."""
        if not is_over and self._named:
            return True
        is_free = not is_quiet(status.quiet_hours) and not self.runner.is_resting(status.name)
        return (self._keep_running or not is_over) and status.is_due(at) and is_free

    def _stop(self) -> None:
        """Let every crawl stop cleanly; at once, if the user insists."""
        sys.stderr.write("Stopping the crawls; once more to stop at once.\n")
        sys.stderr.flush()
        try:
            self.runner.interrupt()
            self._wait()
        except KeyboardInterrupt:
            self.runner.interrupt(signal.SIGKILL)
            self._wait()

    def _wait(self) -> None:
        while self.runner.running:
            self.ended += self.runner.step(())
            sleep(PAUSE / 5)


def describe_ended(ended: Sequence[EndedCrawl]) -> str:
    """How crawls ended, in one line."""
    states = [crawl_state(crawl) for crawl in ended]
    counts = ", ".join(f"{states.count(s)} {s}" for s in ("complete", "incomplete", "failed") if s in states)
    crawls = "1 crawl" if len(ended) == 1 else f"{len(ended):,} crawls"
    return f"fleet: {crawls}{f': {counts}' if counts else ', nothing to do'}"


def crawl_state(crawl: EndedCrawl) -> str:
    """complete, incomplete or failed."""
    return STATES.get(crawl.exit_code, "failed")


def stop_in_quiet_hours(runner: FleetRunner, statuses: Sequence[ShopStatus]) -> None:
    """Let crawls of shops whose quiet hours have begun stop cleanly: they go on afterwards."""
    for status in statuses:
        if status.name in runner.running and is_quiet(status.quiet_hours):
            runner.interrupt_shop(status.name)


def is_crawled(store: Store, status: ShopStatus) -> bool:
    """Whether somebody is crawling the shop already, on whichever machine."""
    return status.is_open and any(crawl.workers for crawl in progress(store, status.name, 1))


@contextmanager
def termination_as_interrupt() -> Iterator[None]:
    """`systemctl stop` ends a run as Ctrl-C does."""
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
