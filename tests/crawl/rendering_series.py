"""The series of test_rendering.py as one table: `python -m tests.crawl.rendering_series [--runs 20] [--workers 4] [--only failing]`.

Every shop is crawled `runs` times, each run a crawl of its own with real Chromium and, where the shop fails, with other requests failing.
A line for each run says what was decided; the exit code is 1 where one of them was wrong.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.crawl.test_rendering import CASES, RUNS, Case, crawl
from tests.shops.rendered import PRODUCTS, rendered_shop


@dataclass(frozen=True)
class Run:
    """What one crawl decided, found and cost; `wrong` says what is not as it must be."""

    name: str
    seed: int
    marks: dict[str, str]
    right: int
    offers: int
    rendered: int
    seconds: float
    wrong: tuple[str, ...]

    def __str__(self) -> str:
        ways = ", ".join(f"{level} {way}" for level, way in sorted(self.marks.items()))
        found = f"{self.right} of {len(PRODUCTS)} products, {self.rendered} rendered, {self.seconds:.0f} s"
        return f"{self.name} #{self.seed}: {ways}; {found}{'; WRONG: ' if self.wrong else ''}{', '.join(self.wrong)}"


def run(name: str, seed: int) -> Run:
    """Crawl a shop of the table once."""
    case, began = CASES[name], time.monotonic()
    with TemporaryDirectory() as folder, rendered_shop(case.mode, seed=seed, **case.shop) as shop:
        done = crawl(shop, Path(folder), **case.settings)
    marks, right, offers, rendered = done.marks(), done.right(), len(done.offers), done.stat("rendered")
    wrong = tuple(_wrong(case, marks, right, offers, rendered))
    return Run(name, seed, marks, right, offers, rendered, time.monotonic() - began, wrong)


def _wrong(case: Case, marks: dict[str, str], right: int, offers: int, rendered: int) -> list[str]:
    checks = {
        "a level is marked wrong": case.is_right(marks),
        "products are missing": right == len(PRODUCTS),
        f"{offers} offers": offers == len(PRODUCTS),
        f"more than {case.most} pages rendered": rendered <= case.most,
    }
    return [what for what, holds in checks.items() if not holds]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--first", type=int, default=0, help="the seed of the first run")
    parser.add_argument("--workers", type=int, default=4, help="crawls at a time: they wait more than they work")
    parser.add_argument("--only", default="", help="shops whose name has this in it")
    given = parser.parse_args(arguments)
    names, seeds = [name for name in CASES if given.only in name], range(given.first, given.first + given.runs)
    began, runs, broken = time.monotonic(), [], 0
    with ThreadPoolExecutor(given.workers) as pool:  # each waits for a process of its own
        for waiting in as_completed([pool.submit(run, name, seed) for seed in seeds for name in names]):
            try:
                runs.append(waiting.result())
                print(runs[-1], flush=True)
            except AssertionError as error:  # the crawl itself failed
                broken += 1
                print(f"WRONG: {error}", flush=True)
    wrong = broken + sum(bool(done.wrong) for done in runs)
    print(
        f"{len(runs) + broken - wrong} of {len(runs) + broken} runs right in {(time.monotonic() - began) / 60:.1f} min"
    )
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
