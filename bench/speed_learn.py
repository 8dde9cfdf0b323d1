"""Speed of learning and of extracting by learned rules, as ratios to the time lxml needs to parse the same pages.

usage: python -m bench.speed_learn
"""

from __future__ import annotations

import gc
import logging
import resource
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import lxml.html

from bench.known_offers import DATA, Shop, shops, values
from scout import ShopRules, extract, learn
from scout.page import Page

MAX_LEARN = 12.0  # times the parse of the sample pages
MAX_EXTRACT = 2.0  # parse and extract, times the parse
MAX_GROWTH = 5.0  # megabytes over MANY pages
MANY = 10_000
MIN_EXTRUCT = 10.0  # extruct with its default syntaxes, times parse and extract
EXTRUCT_PAGES = 10  # per shop: extruct takes a tenth of a second a page
ROUNDS = 3  # the least of some rounds: other work on the machine only ever adds


def seconds(work: Callable[[], Any]) -> float:
    """CPU time of `work`, without the collector's pauses."""
    gc.collect()
    gc.disable()
    start = time.process_time()
    work()
    taken = time.process_time() - start
    gc.enable()
    return taken


def fastest(work: Callable[[], Any]) -> float:
    """The least CPU time of some rounds."""
    return min(seconds(work) for _ in range(ROUNDS))


def parse(pages: Sequence[Page]) -> None:
    """What lxml alone needs."""
    for page in pages:
        lxml.html.document_fromstring(page.html.encode("utf-8", "replace"))


def extracted(pages: Sequence[tuple[str, str]], rules: ShopRules) -> None:
    """Parse and extract, as a crawl does."""
    for url, html in pages:
        extract(Page(url, html), rules)


def by_extruct(pages: Sequence[Page]) -> None:
    """What the usual library needs with its default syntaxes."""
    import extruct

    for page in pages:
        extruct.extract(page.html, base_url=page.url, errors="ignore")


def memory() -> float:
    """Megabytes that this process holds; 0 where the system does not say."""
    status = Path("/proc/self/statm")
    return int(status.read_text().split()[1]) * resource.getpagesize() / 1e6 if status.exists() else 0.0


def growth(shop: Shop) -> float:
    """Megabytes that extracting MANY pages adds, after the first tenth of them."""
    rules = learn((shop.page(offer), values(offer)) for offer in shop.training())
    raw = list(shop.html.values())
    early = 0.0
    for number in range(MANY):
        extracted([raw[number % len(raw)]], rules)
        if number == MANY // 10:
            early = memory()
    return memory() - early


def measured(shop: Shop) -> dict[str, float]:
    """Seconds of each step, for one shop."""
    offers = shop.training()
    sample = [shop.page(offer) for offer in offers]
    tests = [shop.page(offer) for offer in shop.testing()]
    taken = {"parse sample": fastest(lambda: parse(sample)), "parse": fastest(lambda: parse(tests))}
    known = [values(offer) for offer in offers]
    fresh = [[shop.page(offer) for offer in offers] for _ in range(ROUNDS)]
    taken["learn"] = fastest(lambda: learn(zip(fresh.pop(), known, strict=True)))
    rules = learn(zip(sample, known, strict=True))
    raw = [(page.url, page.html) for page in tests]
    taken["extract"] = fastest(lambda: extracted(raw, rules))
    few = tests[:EXTRUCT_PAGES]
    taken["extruct"] = seconds(lambda: by_extruct(few))
    taken["extract few"] = fastest(lambda: extracted(raw[:EXTRUCT_PAGES], rules))
    taken["pages"] = len(tests)
    return taken


def main() -> int:
    """Print the ratios; 1 where one misses its bar."""
    if not DATA.exists():
        print(f"{DATA} is not there: nothing measured")
        return 0
    logging.disable(logging.WARNING)  # extruct complains about every page
    total: dict[str, float] = {}
    for shop in shops():
        taken = measured(shop)
        total = {name: total.get(name, 0.0) + value for name, value in taken.items()}
        learning, reading = taken["learn"] / taken["parse sample"], taken["extract"] / taken["parse"]
        print(
            f"{shop.folder.name:22s} learn {learning:5.1f} x parse   parse + extract {reading:4.2f} x parse", flush=True
        )
    ratios = (
        ("learn from 50 pages, times their parse", total["learn"] / total["parse sample"], MAX_LEARN),
        ("parse and extract, times the parse", total["extract"] / total["parse"], MAX_EXTRACT),
        (f"megabytes that {MANY:,} pages add", growth(next(shops())), MAX_GROWTH),
        ("extruct, times parse and extract", total["extruct"] / total["extract few"], -MIN_EXTRUCT),
    )
    for name, ratio, bar in ratios:
        print(f"{name}: {ratio:.2f} (bar: {'at least' if bar < 0 else 'at most'} {abs(bar):g})")
    print(
        f"pages per second, parsed and extracted on one core: {total['pages'] / total['extract']:.0f} (published system: 70)"
    )
    return int(any((ratio < -bar) if bar < 0 else (ratio > bar) for _, ratio, bar in ratios))


if __name__ == "__main__":
    raise SystemExit(main())
