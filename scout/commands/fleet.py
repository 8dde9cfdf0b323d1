"""fleet: crawl all shops that are due, several at a time, on one machine or on many."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from scout.command_line import DONE
from scout.command_line.base import AddArgument, ScoutCommand
from scout.command_line.files import write_file
from scout.errors import UsageError

if TYPE_CHECKING:
    from rich.table import Table

    from scout.fleet import EndedCrawl, FleetRunner
    from scout.fleet.run import FleetRun
    from scout.store import Store


class Command(ScoutCommand):
    """Many shops: their list, their crawls, and one page about them."""

    usage = (
        "run [SHOP ...] [--at-once N] [--memory MB] [--keep-running] [--json]\n"
        "work [--at-once N] [--memory MB] [--keep-running] [--json]\n"
        "add --from FILE.csv [--interval 1d] [--refresh 6h]\n"
        "pause SHOP ...\nresume SHOP ...\n"
        "report [--out DIR]"
    )
    description = (
        "run: crawl every shop that is due, the longest waiting first, or the named shops, due or not. Each crawl is a process of "
        "its own, and what it says is in a file in SCOUT_FLEET_DIR. A shop whose crawl was not complete is due again when as much time "
        "has passed as was spent trying. Kill it when you like: crawls that are running go on, and the next run continues what was "
        "interrupted.\n"
        "work: the same on any number of machines that share one PostgreSQL: each runs this command, and each shop that is due is "
        "crawled by one of them.\n"
        "add: add or change the shops of a CSV file with the columns name, url and, optionally, interval (12h, 1d), refresh (6h: refresh "
        "prices as often between two crawls), quiet (08:00-20:00: no crawl then), delay (seconds between two requests), minutes (that a "
        "crawl may take at a time) and memory (MB).\n"
        "pause, resume: leave shops alone until they are resumed.\n"
        "report: write one page about all shops, the worst first, and fleet.json beside it.\n\n"
        "`shops list --due` shows what a run would crawl.\n\n"
        "Exit codes of run: 0 all crawls are complete, 1 a crawl failed, 3 a crawl is incomplete, or the run was interrupted."
    )

    def add_arguments(self, add: AddArgument) -> None:
        add("action", nargs="?", choices=sorted(self._actions), help="what to do")
        add(
            "shops",
            nargs="*",
            default=[],
            metavar="SHOP",
            help="these shops; run crawls them whether they are due or not",
        )
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
        add("--from", dest="file", metavar="FILE", help="the CSV file with the shops to add")
        add("--interval", metavar="TIME", help="how often to crawl shops that the file gives no interval: 12h, 7d")
        add(
            "--refresh",
            metavar="TIME",
            help="how often to refresh the prices of shops that the file does not say it of",
        )
        add("--out", metavar="DIR", default="reports", help="where to write the report (default: %(default)s)")

    @property
    def _actions(self) -> Mapping[str, Callable[[Store, argparse.Namespace], int]]:
        return {
            "run": self._run,
            "work": self._work,
            "add": self._add,
            "pause": partial(self._pause, is_paused=True),
            "resume": partial(self._pause, is_paused=False),
            "report": self._report,
        }

    def work(self, opts: argparse.Namespace) -> int:
        if opts.action is None:
            raise UsageError(f"say what to do: {', '.join(sorted(self._actions))}")
        with self.open_store() as store:
            for name in opts.shops:
                store.shop(name)  # raises for an unknown one
            return self._actions[opts.action](store, opts)

    # --- the list of shops ----------------------------------------------------------------------------------------------------

    def _add(self, store: Store, opts: argparse.Namespace) -> int:
        from scout.command_line.shop_lists import import_shops

        if not opts.file or opts.shops:
            raise UsageError("say which file has the shops: fleet add --from FILE.csv")
        return import_shops(store, Path(opts.file), opts.interval, opts.refresh)

    def _pause(self, store: Store, opts: argparse.Namespace, *, is_paused: bool) -> int:
        if not opts.shops:
            raise UsageError(f"say which shops to {opts.action}")
        store.pause_shops(opts.shops, is_paused=is_paused)
        print(f"{', '.join(opts.shops)}: {'paused' if is_paused else 'no longer paused'}")
        return DONE

    # --- crawling -------------------------------------------------------------------------------------------------------------

    def _run(self, store: Store, opts: argparse.Namespace) -> int:
        from scout.fleet.run import FleetRun

        runner = self._runner(store, opts)
        show_end = partial(_print_ended, runner=runner, as_json=opts.json)
        run = FleetRun(store, runner, show_end, named=opts.shops, keep_running=opts.keep_running)
        with _display(store, run, opts) as show:
            is_interrupted = run.to_its_end(show)
        return _conclude(run.ended, run.summary(), is_interrupted=is_interrupted)

    def _work(self, store: Store, opts: argparse.Namespace) -> int:
        from scout.fleet.machines import FleetWorker
        from scout.fleet.run import describe_ended

        if opts.shops:
            raise UsageError("work takes what is due: it needs no names of shops")
        runner = self._runner(store, opts)
        show_end = partial(_print_ended, runner=runner, as_json=opts.json)
        worker = FleetWorker(store, self.setting("SCOUT_DATABASE"), runner, opts.at_once, show_end)
        is_interrupted = worker.work(keep_running=opts.keep_running)
        return _conclude(worker.ended, describe_ended(worker.ended), is_interrupted=is_interrupted)

    def _runner(self, store: Store, opts: argparse.Namespace) -> FleetRunner:
        from scout.fleet.runner import FleetRunner

        if opts.at_once < 1:
            raise UsageError("--at-once needs a number of shops, 1 or more")
        return FleetRunner(self._crawl_command(store, opts), Path(self.setting("SCOUT_FLEET_DIR")), opts.at_once)

    def _crawl_command(self, store: Store, opts: argparse.Namespace) -> Callable[[str], Sequence[str]]:
        """What crawls a shop or refreshes its prices, with this command's settings, its share of the memory, and the shop's own limits."""
        from scout.fleet.runner import crawl_command

        share = max(1, opts.memory // opts.at_once) if opts.memory else None

        def command(shop: str) -> Sequence[str]:
            status = store.shop(shop)
            scope = ["-a", "refresh=prices"] if status.needs_only_prices() and shop not in opts.shops else []
            own = {**status.limits, "SCOUT_DATABASE": self.setting("SCOUT_DATABASE")}
            if bounds := [bound for bound in (share, own.get("MEMUSAGE_LIMIT_MB")) if bound]:
                own |= {"MEMUSAGE_ENABLED": 1, "MEMUSAGE_LIMIT_MB": min(bounds)}
            return crawl_command(shop, [*opts.set, *(f"{name}={value}" for name, value in own.items())], scope)

        return command

    # --- the page -------------------------------------------------------------------------------------------------------------

    def _report(self, store: Store, opts: argparse.Namespace) -> int:
        from scout.fleet.overview import fleet_figures
        from scout.reporting.fleet_page import fleet_page
        from scout.rules.files import shop_slug

        figures, folder = fleet_figures(store), Path(opts.out)
        links = {shop.name: f"{shop_slug(shop.name)}/report.html" for shop in figures.shops}
        there = {name: link for name, link in links.items() if (folder / link).exists()}
        data = json.dumps(figures.as_dict(), ensure_ascii=False, indent=1)
        write_file(folder / "fleet.json", data.encode())
        write_file(folder / "fleet.html", fleet_page(figures, there).encode("utf-8", "replace"))
        print(f"{figures.headline}; see {folder / 'fleet.html'}")
        return DONE


# --- showing ------------------------------------------------------------------------------------------------------------------


def _conclude(ended: Sequence[EndedCrawl], summary: str, *, is_interrupted: bool) -> int:
    """Print how the crawls ended, and return the exit code."""
    from scout.fleet.runner import INCOMPLETE, fleet_exit_code

    print(summary, file=sys.stderr)
    return max(fleet_exit_code(ended), INCOMPLETE if is_interrupted else DONE)


def _print_ended(crawl: EndedCrawl, *, runner: FleetRunner, as_json: bool) -> None:
    from scout.fleet.run import crawl_state

    state = crawl_state(crawl)
    if as_json:
        row = {"shop": crawl.shop, "state": state, "exit_code": crawl.exit_code, "seconds": round(crawl.seconds, 1)}
        print(json.dumps({**row, "said": crawl.last_line}, ensure_ascii=False), flush=True)
        return
    print(f"{crawl.shop}: {crawl.last_line or state}", flush=True)
    if state == "failed":
        print(f"  see {runner.log_of(crawl.shop)}", flush=True)


@contextmanager
def _display(store: Store, run: FleetRun, opts: argparse.Namespace) -> Iterator[Callable[[], None]]:
    """A live table of the running crawls on a terminal; lines that are printed scroll above it."""
    from rich.live import Live

    from scout.command_line.tables import output_console

    if not sys.stdout.isatty() or opts.json:
        yield lambda: None
        return
    with Live(console=output_console(), transient=True, auto_refresh=False) as live:
        yield lambda: live.update(_table(store, run), refresh=True)


def _table(store: Store, run: FleetRun) -> Table:
    from scout.command_line.tables import text_table
    from scout.frontier.progress import progress

    numbers = ("pages", "left", "offers", "pages/min", "minutes")
    rows: list[Sequence[str]] = []
    for crawl in run.runner.running.values():
        figures = ["", "", "", ""]
        for now in progress(store, crawl.shop, 1):
            figures = [f"{n:,.0f}" for n in (now.pages, now.left, now.offers, now.pages_per_minute or 0)]
        rows.append([crawl.shop, *figures, f"{crawl.seconds / 60:.1f}"])
    table = text_table(("shop", *numbers), rows, numbers=numbers)
    waiting = len(set(run.waiting) - set(run.runner.running) - run.runner.busy)
    table.caption = f"{len(run.ended)} done, {len(rows)} running, {waiting} waiting"
    return table
