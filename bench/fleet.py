"""A fleet for real: made-up shops of various sizes on this machine, six of which fail in different ways, and kills.

    python -m bench.fleet [SHOPS] [--at-once 2] [--memory 1500]

The runner and crawls are killed with SIGKILL amid their work; then the fleet is run until nothing is due. It ends with 1 unless every
healthy shop is complete with all its offers at their prices, every failing one is told with its reason, and the crawls stayed within the
memory.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from pathlib import Path
from time import monotonic, sleep

from bench.capacity import CrawlCosts
from scout.fleet.overview import fleet_figures
from scout.store import Store
from tests.crawl.changing_shop import ChangingShop
from tests.crawl.commands import HASTY
from tests.crawl.serving import Answer, serving

ROOT = Path(__file__).parents[1]
START = "from scout.command_line.main import main; main()"
CLOSED = "http://127.0.0.1:9/"
WALL = Answer(
    "<html><title>Attention</title><body><h1>Are you a robot?</h1><form class='captcha'></form></body></html>", 403
)
MAX_RUNS = 8
SAMPLE = 0.5  # seconds between two looks at the memory
KILOBYTE, MEGABYTE = 1024, 1_000_000


class Everything:
    """A table with one answer for every address."""

    def __init__(self, answer: Answer) -> None:
        self.answer = answer

    def get(self, path: str, _default: object = None) -> Answer:
        return self.answer


def failing_shops() -> dict[str, tuple[object | None, str]]:
    """Six ways to fail: what answers (None: nothing does), and a word that the reason has to hold."""
    half = ChangingShop(60)
    half.failing = {f"/product/{n}": Answer("", 503) for n in range(1, 60, 4)}
    cut = ChangingShop(60)
    cut.failing = {"/category/1?page=2": Answer("", 500)}
    return {
        "closed": (None, "refused"),
        "down": (Everything(Answer("", 503)), "503"),
        "wall": (Everything(WALL), "403"),
        "empty": (Everything(Answer("<html><body><h1>Nothing here</h1></body></html>")), "No product"),
        "some-pages-fail": (half, "http_503"),
        "a-list-fails": (cut, "http_500"),
    }


class Fleet:
    """The database, the command, and what was measured."""

    def __init__(self, folder: Path, at_once: int, memory: int) -> None:
        self.folder, self.database = folder, f"sqlite:///{folder}/scout.db"
        own = {
            "SCOUT_DATABASE": self.database,
            "SCOUT_RULES_DIR": f"{folder}/rules",
            "SCOUT_FLEET_DIR": f"{folder}/fleet",
        }
        own |= {"SCOUT_RETRY_ROUNDS": "0", "MEMUSAGE_CHECK_INTERVAL_SECONDS": "1"}
        settings = [part for name, value in own.items() for part in ("-s", f"{name}={value}")]
        run = ["fleet", "run", "--json", "--at-once", str(at_once), "--memory", str(memory)]
        self.command = [sys.executable, "-c", START, *run, *HASTY, *settings]
        self.peak = 0  # bytes, of all crawls together
        self.killed = 0

    def start(self) -> subprocess.Popen[str]:
        return subprocess.Popen(self.command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)

    def crawls(self) -> list[int]:
        """The processes that crawl, whoever has started them."""
        found = []
        for entry in Path("/proc").iterdir():
            if entry.name.isdecimal():
                try:
                    line = (entry / "cmdline").read_bytes().decode(errors="replace")
                except OSError:
                    continue
                if self.database in line and "\0crawl\0" in line:
                    found.append(int(entry.name))
        return found

    def kill_crawl(self) -> None:
        """End a crawl, amid whatever it does."""
        for process in self.crawls()[:1]:
            os.kill(process, signal.SIGKILL)
            self.killed += 1

    @contextmanager
    def measured_memory(self) -> Iterator[None]:
        is_over = threading.Event()

        def watch() -> None:
            while not is_over.wait(SAMPLE):
                self.peak = max(self.peak, sum(map(_resident, self.crawls())))

        thread = threading.Thread(target=watch, daemon=True)
        thread.start()
        yield
        is_over.set()
        thread.join()


def _resident(process: int) -> int:
    try:
        found = re.search(r"VmRSS:\s+(\d+) kB", Path(f"/proc/{process}/status").read_text())
    except OSError:
        return 0
    return int(found[1]) * KILOBYTE if found else 0


def run_with_kills(fleet: Fleet, shops: int) -> list[dict[str, object]]:
    """The first runner is killed after a fifth of the shops, and a crawl in the first two runs; then until nothing is due.

    What the last crawl of every shop said.
    """
    said: dict[str, dict[str, object]] = {}
    runs = 0
    while runs < MAX_RUNS:
        runner, ended = fleet.start(), 0
        assert runner.stdout is not None
        for line in runner.stdout:
            row = json.loads(line)
            said[row["shop"]] = row
            ended += 1
            if runs < 2 and ended == shops // 5:
                fleet.kill_crawl()
            if runs == 0 and ended == shops // 5 + 2:
                runner.kill()
                break
        runner.wait()
        runs += 1
        while runs > 1 and fleet.crawls():
            sleep(SAMPLE)
        if runs > 2 and not ended:
            break
    return list(said.values())


def calibrated_costs() -> CrawlCosts:
    """What a crawl and a page cost here and now: from a small and a large shop, one after the other."""
    runs = []
    for products in (6, 120):
        with tempfile.TemporaryDirectory(prefix="scout-fleet-") as name, serving(ChangingShop(products)) as server:  # type: ignore[arg-type]
            fleet = Fleet(Path(name), 1, 4_000)
            with Store.open(fleet.database) as store:
                store.add_shop("lamps", server.url, timedelta(days=1))
            cpu = _children_cpu()
            fleet.start().communicate()
            runs.append((len(server.asked), _children_cpu() - cpu))
    return CrawlCosts.from_runs(*runs)


def is_right(store: Store, name: str, shop: ChangingShop) -> bool:
    """Whether the last crawl is complete, and every product is stored at its price."""
    offers = {int(offer["url"].rpartition("/")[2]): offer.get("price") for offer in store.offers(name)}
    is_complete = store.shop(name).last_reason == "finished"
    return is_complete and offers == {number: shop.price(number) for number in shop.cents}


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("shops", type=int, nargs="?", default=50)
    parser.add_argument("--at-once", type=int, default=2)
    parser.add_argument("--memory", type=int, default=1500)
    opts = parser.parse_args(arguments)
    costs, failing = calibrated_costs(), failing_shops()
    healthy = {f"shop{n:02d}": ChangingShop(6 + 97 * n % 113, seed=n) for n in range(opts.shops - len(failing))}
    with tempfile.TemporaryDirectory(prefix="scout-fleet-") as name, ExitStack() as stack:
        fleet = Fleet(Path(name), opts.at_once, opts.memory)
        asked = []
        with Store.open(fleet.database) as store:
            for shop, table in (*healthy.items(), *((shop, table) for shop, (table, _) in failing.items())):
                server = stack.enter_context(serving(table)) if table is not None else None  # type: ignore[arg-type]
                asked.append(server.asked if server else [])
                store.add_shop(shop, server.url if server else CLOSED, timedelta(days=1))
        began, cpu = monotonic(), _children_cpu()
        with fleet.measured_memory():
            run_with_kills(fleet, opts.shops)
        seconds, cpu = monotonic() - began, _children_cpu() - cpu
        with Store.open(fleet.database) as store:
            wrong = [shop for shop, table in healthy.items() if not is_right(store, shop, table)]
            reasons = {shop.name: (shop.state, shop.reason) for shop in fleet_figures(store).shops}
            offers = sum(status.offers for status in store.shops())
        untold = [shop for shop, (_, word) in failing.items() if word not in reasons[shop][1]]
        pages = sum(map(len, asked))
        size = (Path(name) / "scout.db").stat().st_size
    print(
        f"{len(healthy) - len(wrong)} of {len(healthy)} healthy shops complete, every offer at its price"
        + f"; wrong: {wrong}" * bool(wrong)
    )
    for shop in (*wrong, *failing):
        print(f"  {shop}: {reasons[shop][0]}: {reasons[shop][1][:120]}")
    print(
        f"{len(failing) - len(untold)} of {len(failing)} failing shops told with their reason"
        + f"; not: {untold}" * bool(untold)
    )
    print(
        f"killed: the runner once, {fleet.killed} crawls; {pages:,} pages, {offers:,} offers in {seconds:.0f} s, {cpu:.0f} s of CPU"
    )
    per_crawl = f"{cpu / opts.shops:.1f} s of CPU a crawl, {pages / cpu:.1f} pages a CPU second (start-up included)"
    print(f"{per_crawl}, {size / max(offers, 1) / 1000:.1f} KB of database an offer")
    predicted = sum(costs.cpu(len(one)) for one in asked)
    print(
        f"model: {costs.start:.2f} s of CPU a crawl and {1000 * costs.page:.0f} ms a page predict {predicted:.0f} s, "
        f"{cpu / predicted:.2f} of which were used (crawls of killed runners are not counted)"
    )
    print(f"memory: {fleet.peak / MEGABYTE:,.0f} MB at most of {opts.memory:,} MB")
    return int(bool(wrong or untold or fleet.peak > opts.memory * MEGABYTE))


def _children_cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    sys.exit(main())
