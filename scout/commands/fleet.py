"""fleet: crawl all shops that are due, several at a time."""

from __future__ import annotations

import argparse
import json
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timezone
from pathlib import Path
from time import sleep
from typing import TYPE_CHECKING, Any

from scout.command_line.base import AddArgument, ScoutCommand
from scout.errors import UsageError

if TYPE_CHECKING:
    from rich.table import Table

    from scout.fleet import EndedCrawl, FleetRunner
    from scout.store import ShopStatus, Store

PAUSE = 0.5  # seconds between two looks at the crawls
START = "from scout.command_line.main import main; main()"  # `scout`, wherever it is installed
STATES = {0: "complete", 3: "incomplete"}  # exit codes of a crawl; all others are failures


class Command(ScoutCommand):
    """Runs the crawls of many shops."""

    usage = "run [SHOP ...] [--at-once N] [--memory MB] [--keep-running] [--json]"
    description = (
        "Crawl every shop that is due, the longest waiting first, or the named shops, due or not. Each crawl is a process of its own, and "
        "what it says is in a file in SCOUT_FLEET_DIR. A shop whose crawl was not complete is due again when as much time has passed as "
        "was spent trying. Kill it when you like: crawls that are running go on, and the next run continues what was interrupted.\n\n"
        "`shops import FILE.csv` adds many shops; `shops list --due` shows what a run would crawl.\n\n"
        "Exit codes: 0 all crawls are complete, 1 a crawl failed, 3 a crawl is incomplete, or the run was interrupted."
    )

    def add_arguments(self, add: AddArgument) -> None:
        add("action", choices=["run"], help="run: crawl what is due")
        add("shops", nargs="*", metavar="SHOP", help="crawl these shops, whether they are due or not")
        add(
            "--at-once", type=int, default=2, metavar="N", help="crawl this many shops at a time (default: %(default)s)"
        )
        add(
            "--memory",
            type=int,
            metavar="MB",
            help="memory for all crawls together; one above its share stops and goes on later",
        )
        add("--keep-running", action="store_true", help="do not end: wait for shops to become due")
        add("--json", action="store_true", help="print each crawl that ended as a line of JSON")

    def work(self, opts: argparse.Namespace) -> int:
        from scout.fleet.runner import INCOMPLETE, FleetRunner, fleet_exit_code

        if opts.at_once < 1:
            raise UsageError("--at-once needs a number of shops, 1 or more")
        with self.open_store() as store:
            for name in opts.shops:
                store.shop(name)  # raises for an unknown one
            run = FleetRun(
                store, FleetRunner(self._command(opts), Path(self.setting("SCOUT_FLEET_DIR")), opts.at_once), opts
            )
            is_interrupted = run.to_its_end()
        print(run.summary(), file=sys.stderr)
        return max(fleet_exit_code(run.ended), INCOMPLETE) if is_interrupted else fleet_exit_code(run.ended)

    def _command(self, opts: argparse.Namespace) -> Any:
        """What crawls a shop: with the settings that this command was given, and its share of the memory."""
        settings = [*opts.set, f"SCOUT_DATABASE={self.setting('SCOUT_DATABASE')}"]
        if opts.memory:
            settings += ["MEMUSAGE_ENABLED=1", f"MEMUSAGE_LIMIT_MB={max(1, opts.memory // opts.at_once)}"]
        options = [part for setting in settings for part in ("-s", setting)]
        return lambda shop: [sys.executable, "-c", START, "crawl", "shop", "-a", f"shop={shop}", *options]


class FleetRun:
    """One run: what is waiting, running and over."""

    def __init__(self, store: Store, runner: FleetRunner, opts: argparse.Namespace) -> None:
        self._store, self._runner, self._opts = store, runner, opts
        self.ended: list[EndedCrawl] = []
        self._waiting: list[str] = []

    def to_its_end(self) -> bool:
        """Crawl until nothing is due; True if it was interrupted."""
        with _termination_as_interrupt(), self._display() as show:
            try:
                while self._step() or self._opts.keep_running:
                    show()
                    sleep(PAUSE)
                return False
            except KeyboardInterrupt:
                self._stop()
                return True

    def summary(self) -> str:
        """How the crawls ended, in one line, and which shops others are crawling."""
        states = [_state(crawl) for crawl in self.ended]
        counts = ", ".join(f"{states.count(s)} {s}" for s in ("complete", "incomplete", "failed") if s in states)
        busy = f"; {', '.join(sorted(self._runner.busy))}: already being crawled" if self._runner.busy else ""
        return f"fleet: {len(self.ended)} crawls{f': {counts}' if counts else ', nothing is due'}{busy}"

    def _step(self) -> bool:
        """Collect and start crawls; False if there is nothing left to do."""
        self._waiting = self._due()
        for crawl in self._runner.step(self._waiting):
            self.ended.append(crawl)
            self._print_ended(crawl)
        return bool(self._runner.running) or not set(self._waiting) <= self._runner.busy

    def _due(self) -> list[str]:
        """The shops to crawl, the longest waiting first; each once, unless the run does not end."""
        now = datetime.now(timezone.utc)
        statuses = [self._store.shop(name) for name in self._opts.shops] or self._store.shops()
        due = [status for status in statuses if self._opts.shops or status.is_due(now)]
        over = set() if self._opts.keep_running else {crawl.shop for crawl in self.ended}
        waiting = [one for one in due if one.name not in over | set(self._runner.running) and not self._is_crawled(one)]
        return [status.name for status in sorted(waiting, key=lambda status: status.due_at or now)]

    def _is_crawled(self, status: ShopStatus) -> bool:
        """Whether somebody is crawling the shop already, on whichever machine."""
        from scout.frontier.progress import progress

        is_open = status.last_started is not None and status.last_finished is None
        return is_open and any(crawl.workers for crawl in progress(self._store, status.name, 1))

    def _stop(self) -> None:
        """Let every crawl stop cleanly; at once, if the user insists."""
        print("Stopping the crawls; once more to stop at once.", file=sys.stderr)
        try:
            self._runner.interrupt()
            self._wait()
        except KeyboardInterrupt:
            self._runner.interrupt(signal.SIGKILL)
            self._wait()

    def _wait(self) -> None:
        while self._runner.running:
            self.ended += self._runner.step(())
            sleep(PAUSE / 5)

    def _print_ended(self, crawl: EndedCrawl) -> None:
        if self._opts.json:
            row = {
                "shop": crawl.shop,
                "state": _state(crawl),
                "exit_code": crawl.exit_code,
                "seconds": round(crawl.seconds, 1),
            }
            print(json.dumps({**row, "said": crawl.last_line}, ensure_ascii=False), flush=True)
            return
        print(f"{crawl.shop}: {crawl.last_line or _state(crawl)}", flush=True)
        if _state(crawl) == "failed":
            print(f"  see {self._runner.log_of(crawl.shop)}", flush=True)

    @contextmanager
    def _display(self) -> Iterator[Any]:
        """A live table of the running crawls on a terminal; lines that are printed scroll above it."""
        from rich.live import Live

        from scout.command_line.tables import output_console

        if not sys.stdout.isatty() or self._opts.json:
            yield lambda: None
            return
        with Live(console=output_console(), transient=True, auto_refresh=False) as live:
            yield lambda: live.update(self._table(), refresh=True)

    def _table(self) -> Table:
        from scout.command_line.tables import text_table
        from scout.frontier.progress import progress

        numbers = ("pages", "left", "offers", "pages/min", "minutes")
        rows: list[Sequence[str]] = []
        for crawl in self._runner.running.values():
            figures = ["", "", "", ""]
            for now in progress(self._store, crawl.shop, 1):
                figures = [f"{n:,.0f}" for n in (now.pages, now.left, now.offers, now.pages_per_minute or 0)]
            rows.append([crawl.shop, *figures, f"{crawl.seconds / 60:.1f}"])
        table = text_table(("shop", *numbers), rows, numbers=numbers)
        waiting = len(set(self._waiting) - set(self._runner.running) - self._runner.busy)
        table.caption = f"{len(self.ended)} done, {len(rows)} running, {waiting} waiting"
        return table


def _state(crawl: EndedCrawl) -> str:
    return STATES.get(crawl.exit_code, "failed")


@contextmanager
def _termination_as_interrupt() -> Iterator[None]:
    """`systemctl stop` ends a run as Ctrl-C does."""
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
