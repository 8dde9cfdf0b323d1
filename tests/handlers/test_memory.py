"""A thousand rendered pages: the browser's memory does not grow with them."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from pathlib import Path
from statistics import median

import pytest

from tests.handlers.test_browser import render
from tests.shops.rendered import PRODUCTS, Shop, rendered_shop

PAGES = 1000
MAX_GROWTH = 0.2  # MB a page
SAMPLE_SECONDS = 2.0
WARM = 0.1  # of the pages, until which a browser fills its caches
PROC = Path("/proc")


def browser_memory() -> float:
    """MB that the browsers started by this process take; memory that several of their processes share counts once (PSS)."""
    parents = {int(entry.name): _parent(entry) for entry in PROC.iterdir() if entry.name.isdigit()}
    return sum(_pss(PROC / str(pid)) for pid in parents if _is_browser(PROC / str(pid)) and _is_ours(pid, parents))


def _parent(process: Path) -> int:
    fields = _read(process / "stat").rpartition(")")[2].split()  # its name, in brackets, may have spaces
    return int(fields[1]) if fields else 0


def _is_ours(pid: int, parents: dict[int, int]) -> bool:
    while pid in parents and pid != os.getpid():
        pid = parents[pid]
    return pid == os.getpid()


def _is_browser(process: Path) -> bool:
    return any(name in _read(process / "comm") for name in ("chrom", "headless"))


def _pss(process: Path) -> float:
    lines = _read(process / "smaps_rollup").splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024


def _read(file: Path) -> str:
    try:
        return file.read_text()
    except OSError:  # it ended meanwhile
        return ""


def samples(shop: Shop, is_over: threading.Event) -> Iterator[tuple[int, float]]:
    """(pages so far, MB) every now and then."""
    while not is_over.wait(SAMPLE_SECONDS):
        pages = sum(count for path, count in list(shop.requests.items()) if path.startswith("/p/"))
        if pages and (memory := browser_memory()):
            yield pages, memory


def growth(taken: list[tuple[int, float]], pages: int) -> float:
    """MB a page between the first and the last tenth of the pages after the caches are full."""
    warm, span = pages * WARM, pages * WARM
    early = [memory for page, memory in taken if warm <= page < warm + span]
    late = [memory for page, memory in taken if page >= pages - span]
    return (median(late) - median(early)) / (pages - warm - span)


@pytest.mark.long
def test_memory_does_not_grow_with_the_pages(tmp_path: Path) -> None:
    taken: list[tuple[int, float]] = []
    is_over = threading.Event()
    with rendered_shop("spa") as shop:
        names = list(PRODUCTS)
        urls = [f"{shop.url}p/{names[n % len(names)]}?n={n}" for n in range(PAGES)]
        watcher = threading.Thread(target=lambda: taken.extend(samples(shop, is_over)))
        watcher.start()
        rows = render(urls, tmp_path, patience=3 * PAGES)
        is_over.set()
        watcher.join()
    print(
        f"{len(rows)} pages, {taken[0][1]:.0f} MB at first, {taken[-1][1]:.0f} MB at last, {growth(taken, PAGES):.3f} MB a page"
    )
    assert sum("Model" in str(row.get("text")) for row in rows) == PAGES
    assert growth(taken, PAGES) < MAX_GROWTH
