"""What a walk keeps in memory, and what working a shop out costs: 20,000 pages without fetching, and the analysis of a sample.

    python -m bench.walk_scale [PAGES]

Pages are made, read and forgotten; what stays is the memory of the walk (addresses, categories, templates) and of products met.
Measured is that of the process (RSS) at the end and after a fifth of the pages, when caches are full: the difference is what each page
leaves behind. The analysis is what a crawl does once for a shop: rules induced from the first product pages.
"""

from __future__ import annotations

import argparse
import gc
import os
import sys
import time
from collections import deque
from pathlib import Path

from bench.lamp_shop import Shop
from scout.extraction.induction import induce
from scout.page import Page
from scout.walking.identity import Products
from scout.walking.steps import Step
from scout.walking.walk import Walk
from tests.walking.walking import HOST, Defaults

PAGES = 20_000
SAMPLE = 12  # product pages, as in a crawl
MAX_KEPT = 5_000  # bytes that a page may leave behind: its addresses and what tells its product, a hundredth of the page itself
MAX_ANALYSIS = 5.0  # seconds of processor time
KIB = 1024


def memory() -> int:
    """Bytes that this process holds."""
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def walked(shop: Shop, pages: int) -> tuple[int, int, int]:
    """Walk through the shop; products met, and the memory after a fifth of the pages and at the end."""
    decide = Defaults()
    walk = decide.walk = Walk(f"{HOST}/", decide)
    met, early, read = Products(), 0, 0
    products: set[str] = set()
    waiting = deque([Step(f"{HOST}/", "menu")])
    while waiting and read < pages:
        step = waiting.pop()
        html = shop.page(step.url.removeprefix(HOST))
        if html is None:
            continue
        page = Page(step.url, html)
        reading = walk.read(page, step)
        if reading.level == "detail":
            products.add(step.url)
            title = page.root.findtext(".//h1")
            met.met(
                {"url": step.url, "title": title, "sku": step.url[-6:], "price": "1.00", "images": [f"{title}.jpg"]}
            )
        waiting.extend(reading.steps)
        read += 1
        if read == pages // 5:
            early = memory()
    return len(products), early, memory()


def main(pages: int) -> int:
    """Measure and say; 1 where a bound is not held."""
    shop = Shop(pages)
    sample = [Page(f"{HOST}/p/{number}", str(shop.page(f"/p/{number}"))) for number in range(SAMPLE)]
    began = time.process_time()
    induce(sample)
    analysis = time.process_time() - began
    began = time.process_time()
    products, early, late = walked(shop, pages)
    kept = (late - early) / (pages * 4 / 5)
    print(f"analysis of {SAMPLE} product pages: {analysis:.2f} s of processor time (at most {MAX_ANALYSIS:g})")
    print(
        f"{pages} pages, {products} products: {early / KIB**2:.0f} MB after a fifth, {late / KIB**2:.0f} MB at the end, "
        f"{kept / KIB:.1f} KB a page (at most {MAX_KEPT / KIB:.1f}); {(time.process_time() - began) / pages * 1000:.1f} ms a page"
    )
    return int(kept > MAX_KEPT or analysis > MAX_ANALYSIS)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pages", nargs="?", type=int, default=PAGES, help="of the shop (default: %(default)s)")
    sys.exit(main(parser.parse_args().pages))
