"""What the frontier costs: the same crawl with it and with Scrapy's in-memory scheduler, and two workers of one crawl against two crawls.

    python -m bench.frontier [PRODUCTS]               with SQLite, against the in-memory scheduler: at least 0.9 of its pages per second
    python -m bench.frontier --postgres [PRODUCTS]    two workers that share a crawl in PostgreSQL, against two crawls of half the size

Counted is the processor time (user and system, all threads) of the crawling processes, because other work on the machine makes wall
time meaningless; the start of a process is taken off. The processor's own speed changes by a fifth within a minute: so the two variants
with SQLite crawl at the same time, and all rounds count; of those with PostgreSQL, which need both cores, the best of each. Two workers
may also wait for each other, which takes no processor time: so their wall time is printed too.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from bench.lamp_shop import PER_PAGE, Shop, serving
from tests.crawl.commands import environment
from tests.reliability.killing import Crawling, stored
from tests.store.postgres import running_postgres

MEMORY_BAR = 0.9  # of the in-memory scheduler's pages per second
SHARED_BAR = 0.85  # of the pages per second of two crawls that know nothing of each other
ROUNDS = 3
MANY_ROUNDS = 5
LONGEST = 3_600
QUICKLY = (
    "-s",
    "LOG_LEVEL=WARNING",
    "-s",
    "SCOUT_RENDER=never",
    "-s",
    "DOWNLOAD_DELAY=0",
    "-s",
    "SCOUT_RETRY_PAUSE=0.1",
)


class ChildCrawl(Crawling):
    """A crawl that is a child of this process, which alone is told what a process took."""

    def start(self, command: list[str], log: IO[str]) -> subprocess.Popen[bytes]:
        return subprocess.Popen([sys.executable, "-m", "scrapy", *command], env=environment(), stdout=log, stderr=log)


@dataclass
class Used:
    """What a crawl took."""

    cpu: float = 0.0
    wall: float = 0.0


@contextmanager
def measured() -> Iterator[Used]:
    """Processor and wall time of all processes that are started in the block and end in it."""
    used, began = Used(), time.monotonic()
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    yield used
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used.cpu = (after.ru_utime - before.ru_utime) + (after.ru_stime - before.ru_stime)
    used.wall = time.monotonic() - began


def crawled(shops: list[tuple[str, str]], *settings: str) -> Used:
    """One crawl for each (address of a shop, database), all at the same time."""
    with tempfile.TemporaryDirectory() as name, measured() as used:
        crawls = [ChildCrawl(url, database, Path(name), *QUICKLY, *settings) for url, database in shops]
        for crawl in crawls:
            code = crawl.ended(LONGEST)
            assert code == 0, crawl.said()
    return used


def complete(database: str, products: int) -> None:
    """An error where the database lacks an offer."""
    found = len(stored(database))
    assert found == products, f"{found} of {products} products were stored"


# --- SQLite against memory --------------------------------------------------------------------------------------------


def against_memory(products: int) -> float:
    """The frontier's pages per second as a share of the in-memory scheduler's: both crawl at the same time, a core for each."""

    def side_by_side(count: int) -> tuple[float, float]:
        with tempfile.TemporaryDirectory() as name, serving(count) as one, serving(count) as other:
            databases = [f"sqlite:///{name}/{own}.db" for own in ("memory", "frontier")]
            folders = [Path(name, own) for own in ("one", "other")]
            crawls = []
            for url, database, folder, own in zip((one, other), databases, folders, (False, True), strict=True):
                folder.mkdir()
                crawls.append(ChildCrawl(url, database, folder, *QUICKLY, "-s", f"SCOUT_FRONTIER={own}"))
            memory, durable = (processor_time(crawl) for crawl in crawls)
            for database in databases:
                complete(database, count)
            return memory, durable

    rounds = []
    for _ in range(MANY_ROUNDS):
        few, many = side_by_side(PER_PAGE), side_by_side(products)
        rounds.append(tuple(seconds - start for seconds, start in zip(many, few, strict=True)))
    print("rounds:", *sorted(f"{memory / durable:.2f}" for memory, durable in rounds))
    return sum(memory for memory, _ in rounds) / sum(durable for _, durable in rounds)


def processor_time(crawl: ChildCrawl) -> float:
    """Seconds, of user and system, that the crawl took until its end."""
    _, status, used = os.wait4(crawl.process.pid, 0)
    crawl.process.returncode = os.waitstatus_to_exitcode(status)
    assert crawl.process.returncode == 0, crawl.said()
    return used.ru_utime + used.ru_stime


# --- workers that share a crawl ---------------------------------------------------------------------------------------


def shared_against_apart(products: int) -> float:
    """The pages per second of two workers of one crawl as a share of those of two crawls."""
    half = products // 2
    with running_postgres() as server:

        def apart(count: int) -> Used:
            with serving(count) as one, serving(count) as other:
                database = server.empty_database()
                used = crawled([(one, database), (other, database)])
            complete(database, 2 * count)
            return used

        def shared(count: int) -> Used:
            with serving(count) as url:
                database = server.empty_database()
                used = crawled([(url, database)] * 2)
            complete(database, count)
            return used

        rounds = [(apart(PER_PAGE), apart(half), shared(2 * half)) for _ in range(ROUNDS)]
    start, two, one = (min(each, key=lambda used: used.cpu) for each in zip(*rounds, strict=True))
    few, many, all_ = 2 * Shop(PER_PAGE).all_pages, 2 * Shop(half).all_pages, Shop(2 * half).all_pages
    page = (two.cpu - start.cpu) / (many - few)
    shared_page = (one.cpu - (start.cpu - few * page)) / all_  # less the start of two processes
    print(f"pages per second of CPU: {1 / page:.1f} apart, {1 / shared_page:.1f} shared; ", end="")
    print(f"wall time {two.wall:.1f} s apart ({many} pages), {one.wall:.1f} s shared ({all_} pages)")
    return page / shared_page


def main(arguments: list[str]) -> int:
    """Print the ratio; 3 where it is below the bar."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("products", nargs="?", type=int, default=480, help="of the shop (default: %(default)s)")
    parser.add_argument("--postgres", action="store_true", help="two workers of one crawl instead")
    given = parser.parse_args(arguments)
    if given.postgres:
        ratio, bar = shared_against_apart(given.products), SHARED_BAR
    else:
        ratio, bar = against_memory(given.products), MEMORY_BAR
    print(f"ratio {ratio:.3f} (bar {bar})")
    return 0 if ratio >= bar else 3


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
