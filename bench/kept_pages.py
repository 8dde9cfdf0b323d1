"""What it costs to keep a page, in bytes and CPU time: `python -m bench.kept_pages [FILE ...]`.

Reads JSON lines with an `html` each, gzipped, one file per shop; without files, the crawled shops of ../shared/data.
"""

from __future__ import annotations

import gzip
import json
import sys
import tempfile
import time
import zlib
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import brotli

from scout.items import Visit
from scout.store import Store
from scout.store.identity import digest
from scout.store.pages import zstd

MAX_PAGES = 150  # of one shop
DATA = Path(__file__).resolve().parent.parent.parent / "shared" / "data" / "shop-crawls"
CODECS: dict[str, Callable[[bytes], bytes]] = {
    "zlib 1": lambda data: zlib.compress(data, 1),
    "zlib 6": zlib.compress,
    "zstd 3": zstd.compress,
    "zstd 6": lambda data: zstd.compress(data, 6),
    "brotli 4": lambda data: brotli.compress(data, quality=4),
    "brotli 6": lambda data: brotli.compress(data, quality=6),
}


def main() -> None:
    """Print bytes and milliseconds a page for each codec, and for the database as it is."""
    files = [Path(name) for name in sys.argv[1:]] or sorted(DATA.glob("*.jsonl.gz"))
    shops = {path.stem: read_texts(path) for path in files}
    texts = [text.encode() for shop in shops.values() for text in shop]
    if not texts:
        print("no pages: name files of them")
        return
    print(f"{len(texts):,} pages of {len(shops)} shops, {sum(map(len, texts)) / len(texts):,.0f} bytes each")
    for name, compress in CODECS.items():
        began = time.process_time()
        size = sum(len(compress(text)) for text in texts)
        print_row(name, size, time.process_time() - began, len(texts))
    for turn in ("stored", "stored again, unchanged"):
        with tempfile.TemporaryDirectory() as directory, Store.open(f"sqlite:///{directory}/scout.db") as store:
            visits = {shop: [page_visit(number, text) for number, text in enumerate(shops[shop])] for shop in shops}
            if turn != "stored":
                save_all(store, visits)
            began = time.process_time()
            save_all(store, visits)
            took = time.process_time() - began
            print_row(turn, (Path(directory) / "scout.db").stat().st_size, took, len(texts))


def read_texts(path: Path) -> list[str]:
    """The first pages of a file."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line)["html"] for line in islice(file, MAX_PAGES)]


def page_visit(number: int, text: str) -> Visit:
    """A visit that keeps the text."""
    return Visit(f"http://shop.example/{number}", "detail", status=200, digest=digest(text), html=text)


def save_all(store: Store, visits: dict[str, list[Visit]]) -> None:
    """Store the pages as a crawl does, many at once."""
    for shop, pages in visits.items():
        store.save_visits(shop, pages)


def print_row(name: str, size: int, seconds: float, pages: int) -> None:
    """One line of the table."""
    print(f"{name:25} {size / pages:9,.0f} bytes {1000 * seconds / pages:6.2f} ms a page")


if __name__ == "__main__":
    main()
