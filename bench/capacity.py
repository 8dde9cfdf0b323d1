"""What a fleet takes: machines, memory, database and hours, from a handful of measured costs.

    python -m bench.capacity [--shops 500] [--pages 1200] [--hours 6] [--delay 1] [--rendered 0.05]

`bench.fleet` checks the model of processor time against a real run.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from math import ceil

USABLE = 0.7  # share of a core that a fleet should plan with: nights are uneven
HOUR = 3600


@dataclass(frozen=True)
class CrawlCosts:
    """What one crawl and one page cost, as measured."""

    start: float  # seconds of CPU, whatever the size of the shop
    page: float  # ... for each page
    rendering: float = 0.145  # ... more for a page that is rendered (Debian's chromium-headless-shell)
    memory: float = 190.0  # MB of a running crawl
    offer: float = 6.0  # KB of database for an offer with its page's rows, without the texts of pages

    @classmethod
    def from_runs(cls, small: tuple[int, float], large: tuple[int, float]) -> CrawlCosts:
        """From two crawls: pages and seconds of CPU of each."""
        page = (large[1] - small[1]) / (large[0] - small[0])
        return cls(small[1] - page * small[0], page)

    def cpu(self, pages: int, rendered: float = 0.0) -> float:
        """Seconds of CPU that a crawl takes."""
        return self.start + pages * (self.page + rendered * self.rendering)


@dataclass(frozen=True)
class FleetNeeds:
    """What so many shops take in one night."""

    cores: float
    at_once: int
    memory: float  # GB
    database: float  # GB
    longest: float  # hours: the pages of one shop at its delay


def fleet_needs(costs: CrawlCosts, shops: int, pages: int, hours: float, delay: float, rendered: float) -> FleetNeeds:
    """The model: politeness decides how many crawls run at once, pages how many cores they need."""
    seconds = max(pages * delay, costs.cpu(pages, rendered))  # of one crawl: a shop is asked once in a delay
    at_once = ceil(shops * seconds / (hours * HOUR))
    cores = shops * costs.cpu(pages, rendered) / (hours * HOUR) / USABLE
    return FleetNeeds(cores, at_once, at_once * costs.memory / 1000, shops * pages * costs.offer / 1e6, seconds / HOUR)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--shops", type=int, nargs="*", default=[500, 5_000, 100_000])
    parser.add_argument("--pages", type=int, default=1_200)
    parser.add_argument("--hours", type=float, default=6.0)
    parser.add_argument("--delay", type=float, default=1.0)
    parser.add_argument("--rendered", type=float, default=0.05)
    parser.add_argument("--start", type=float, default=2.0)
    parser.add_argument("--page", type=float, default=0.05)
    opts = parser.parse_args(arguments)
    costs = CrawlCosts(opts.start, opts.page)
    print(
        f"{opts.pages:,} pages a shop, {opts.delay} s between two, {opts.rendered:.0%} rendered, all in {opts.hours:g} hours:"
    )
    for shops in opts.shops:
        needs = fleet_needs(costs, shops, opts.pages, opts.hours, opts.delay, opts.rendered)
        print(
            f"{shops:>8,} shops: {needs.cores:,.1f} cores, {needs.at_once:,} crawls at once, {needs.memory:,.0f} GB of memory, "
            f"{needs.database:,.0f} GB of database; one shop takes {needs.longest:.2f} hours"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
