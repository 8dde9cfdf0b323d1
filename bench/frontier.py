"""What the frontier costs: the same crawl with it and with Scrapy's in-memory scheduler, one after the other, as a ratio of CPU time.

    python -m bench.frontier [PRODUCTS]

CPU time of the crawling process, so that a busy machine does not decide; the bar is 0.9 of the in-memory pages per second.
"""

from __future__ import annotations

import resource
import sys
import tempfile
from pathlib import Path

from tests.crawl.serving import serving
from tests.reliability.killing import Crawling, stored
from tests.reliability.many_products import ManyProducts

BAR = 0.9
ROUNDS = 3  # in turns, the best of each: other work on the machine slows single ones down
LONGEST = 3_600


def _children() -> float:
    """CPU seconds of all processes that were started from here and have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def cpu_seconds(products: int, *, frontier: bool) -> float:
    """CPU seconds of a whole crawl, its start included in both."""
    with tempfile.TemporaryDirectory() as name, serving(ManyProducts(products)) as server:
        database = f"sqlite:///{name}/scout.db"
        crawling = Crawling(
            server.url, database, Path(name), "-s", f"SCOUT_FRONTIER={frontier}", "-s", "LOG_LEVEL=WARNING"
        )
        before = _children()
        code = crawling.ended(LONGEST)
        used = _children() - before
        assert code == 0, crawling.said()
        assert len(stored(database)) == products, crawling.said()
        return used


def main(products: int = 1_000) -> int:
    """Print the ratio; 3 where it is below the bar."""
    start = cpu_seconds(24, frontier=False)  # what a crawl costs before it has done anything
    rounds = [(cpu_seconds(products, frontier=False), cpu_seconds(products, frontier=True)) for _ in range(ROUNDS)]
    memory, durable = (min(used) - start for used in zip(*rounds, strict=True))
    ratio = memory / durable
    print(
        f"in memory {products / memory:.1f} pages/s of CPU, frontier {products / durable:.1f}: ratio {ratio:.3f} (bar {BAR})"
    )
    return 0 if ratio >= BAR else 3


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:2])))
