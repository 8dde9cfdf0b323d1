"""Whole shops walked in memory, without requests, pipelines or a browser: what the walk makes of every page, beside what it is.

usage: python -m bench.walked_shops [SHOP ...] [--pages N] [--seed N] [--orders N] [--errors] [--templates]

SHOP is the name of a shop or crawl in the data; without one, all are walked. `--seed` lets pages of the same priority arrive in another
order; `--orders` does so N times and counts the products that not all walks have found, and those that they place otherwise. A found
product here is a page that was taken for a product's and is one; what extraction makes of it, `eval/walk.py` says.
"""

from __future__ import annotations

import argparse
import heapq
import json
import random
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urljoin, urlsplit

from w3lib.html import get_meta_refresh

from bench.labelled_pages import DATA, file_of, rows, unpacked
from scout.crawl.held_pages import MAX_UNDECIDED
from scout.extraction.breadcrumbs import CategoryPath
from scout.extraction.product_page import ProductPageEvidence
from scout.page import Page
from scout.walking.pagination import declared_next, next_url
from scout.walking.records import RecordList
from scout.walking.steps import PageVerdict, Step
from scout.walking.walk import Walk

MAX_PAGES = 100_000


def address_key(url: str) -> str:
    """The path and query of an address, as the truth of a shop names its products."""
    parts = urlsplit(url)
    query = f"?{parts.query}" if parts.query else ""
    return unquote(parts.path.rstrip("/") + query).removesuffix("/index.html") or "/"


@dataclass(frozen=True)
class LabelledShop:
    """A shop whose products are known: `products` has the number of the product for every address key of it."""

    name: str
    start: str
    html_at: Callable[[str], str | bytes | None]
    products: Mapping[str, int]


def shop_names(data: Path = DATA) -> list[str]:
    """The shops and crawls in the data."""
    mirrors = [file.name.removesuffix(".tar.xz") for file in sorted((data / "shops").glob("*.tar.xz"))]
    return [
        *mirrors,
        *(file.name.removesuffix(".jsonl.gz") for file in sorted((data / "shop-crawls").glob("*.jsonl.gz"))),
    ]


def labelled_shop(name: str, data: Path = DATA) -> LabelledShop:
    """The shop or crawl of this name."""
    archive = data / "shops" / f"{name}.tar.xz"
    return _mirror(name, archive) if archive.exists() else _crawl(name, data / "shop-crawls" / f"{name}.jsonl.gz")


def _mirror(name: str, archive: Path) -> LabelledShop:
    content = unpacked(archive)
    prefix = f"{name}/site"
    files = {file.removeprefix(prefix) for file in content if file.startswith(f"{prefix}/")}
    truth = [json.loads(line) for line in content[f"{name}/truth.jsonl"].decode("utf-8").splitlines()]
    keys = {
        address_key(path): n for n, offer in enumerate(truth) for path in (offer["path"], *(offer.get("paths") or ()))
    }

    def html_at(url: str) -> bytes | None:
        file = file_of(unquote(urlsplit(url).path), files)
        return None if file is None else content[prefix + file]

    start = json.loads(content[f"{name}/shop.json"])["start"]
    return LabelledShop(name, urljoin(f"http://{name}.example/", start), html_at, keys)


def _crawl(name: str, file: Path) -> LabelledShop:
    truth = json.loads(file.with_name(f"{name}.json").read_text(encoding="utf-8"))
    keys = {address_key(url): n for n, offer in enumerate(truth) for url in (offer["url"], *(offer.get("urls") or ()))}
    recorded = [row for row in rows(file) if row["html"]]
    pages = {address_key(row["url"]): row["html"] for row in recorded if int(row["status"] or 200) == 200}
    return LabelledShop(name, recorded[0]["url"], lambda url: pages.get(address_key(url)), keys)


@dataclass(frozen=True)
class WalkedPage:
    """A page that the walk has read, and what it made of it."""

    url: str
    came: Step
    verdict: PageVerdict


@dataclass
class ShopWalk:
    """One walk through a shop, as the spider does it; implements `Decisions` as a spider does that decides nothing itself."""

    shop: LabelledShop
    seed: int | None = None
    pages: list[WalkedPage] = field(default_factory=list)
    products: list[WalkedPage] = field(
        default_factory=list
    )  # taken for a product's, in the order in which that was known
    missing: int = 0  # addresses at which there is no page

    def __post_init__(self) -> None:
        self.walk = Walk(self.shop.start, self)
        self._numbers, self._random = count(), None if self.seed is None else random.Random(self.seed)
        self._queue: list[tuple[int, float, Step]] = []
        self._undecided: list[WalkedPage] = []

    def is_detail(self, page: Page, witness: ProductPageEvidence, hint: float) -> bool | None:
        return None

    def records(self, page: Page) -> RecordList | None:
        return self.walk.lists.records(page)

    def next_page(self, page: Page, records: RecordList | None) -> str | None:
        return (next_url(page) if records is None else records.next_url) or declared_next(page)

    def _push(self, steps: Iterator[Step] | list[Step]) -> None:
        for step in steps:
            number = next(self._numbers)
            arrival = (
                -float(number) if self._random is None else self._random.random()
            )  # the newer first, as in the frontier
            heapq.heappush(self._queue, (-step.priority, arrival + number * 1e-9, step))

    def run(self, max_pages: int = MAX_PAGES) -> ShopWalk:
        """Read the shop to its end, or so many pages."""
        self._push([Step(self.shop.start, "menu")])
        while len(self.pages) < max_pages and (self._queue or self._go_on()):
            if self._queue:
                self._visit(heapq.heappop(self._queue)[2])
        self._decide()
        return self

    def _visit(self, step: Step) -> None:
        url, html = step.url, self.shop.html_at(step.url)
        if html is None:
            self.missing += 1
            self.walk.failed(step, is_gone=True)
            return
        page = Page(url, html)
        target = get_meta_refresh(page.html, url)[1]
        if target not in (None, url):
            self._push([replace(step, url=target)])
            return
        visited = WalkedPage(url, step, self.walk.read(page, step))
        self.pages.append(visited)
        self._undecided.append(visited)
        self._push(visited.verdict.steps)
        self._decide() if len(self._undecided) >= MAX_UNDECIDED else self._release()

    def _go_on(self) -> bool:
        """Nothing is left to read: what was put off, then what pages lead on to that are no products after all."""
        self._push(self.walk.due_steps())
        if not self._queue:
            self._decide()
        return bool(self._queue)

    def _decide(self) -> None:
        self.walk.templates.decide_all()
        self._release()

    def _release(self) -> None:
        waiting, self._undecided = self._undecided, []
        for visited in waiting:
            if visited.verdict.is_product is None:
                self._undecided.append(visited)
            elif visited.verdict.is_product:
                self.products.append(visited)
            elif visited.verdict.level == "detail":
                html = self.shop.html_at(visited.url) or ""
                self._push(self.walk.read_again(Page(visited.url, html), visited.verdict, visited.came).steps)

    # --- what came of it ----------------------------------------------------------------------------------------------
    def is_of_product(self, visited: WalkedPage) -> bool:
        """Whether the page is a product's by the truth."""
        return address_key(visited.url) in self.shop.products

    def figures(self) -> dict[str, Any]:
        """How many products were found, and how many other pages were taken for products."""
        taken = self.products
        found = {self.shop.products[key] for page in taken if (key := address_key(page.url)) in self.shop.products}
        wanted = len(set(self.shop.products.values()))
        wrong = sum(not self.is_of_product(page) for page in taken)
        return {
            "products": wanted,
            "found": len(found),
            "wrong": wrong,
            "read": len(self.pages),
            "missing": self.missing,
        }

    def categories(self) -> dict[str, CategoryPath]:
        """Where the walk places its products."""
        return {address_key(page.url): page.verdict.category for page in self.products}

    def differences(self, orders: int, max_pages: int) -> dict[str, int]:
        """How many products walks in other orders lose or find besides, and how many they place otherwise."""
        own, lost, moved = self.categories(), set(), set()
        for seed in range(1, orders + 1):
            other = ShopWalk(self.shop, seed).run(max_pages).categories()
            lost |= own.keys() ^ other.keys()
            moved |= {key for key in own.keys() & other.keys() if own[key] != other[key]}
        return {"not_always": len(lost), "moved": len(moved)}

    def mistakes(self) -> Iterator[str]:
        """A line for every page that was taken for what it is not, and for every product that was not found."""
        met = set()
        for page in self.pages:
            if (is_own := self.is_of_product(page)) != bool(page.verdict.is_product):
                kind = "missed" if is_own else "wrong"
                yield f"{kind}\t{page.url}\t{page.came.role}\t{page.verdict.score:.1f}\t{page.verdict.title!r}"
            met.add(address_key(page.url))
        numbers = {self.shop.products[key] for key in met & self.shop.products.keys()}
        for key, number in self.shop.products.items():
            if number not in numbers:
                yield f"never read\t{key}"
                numbers.add(number)

    def templates(self) -> Iterator[str]:
        """A line for every template: how many of its pages are products, and what speaks for and against it."""
        best = self.walk.templates.best()
        for group in self.walk.templates:
            own = [self.is_of_product(page) for page in self.pages if page.verdict.template is group]
            said = {name: round(value, 2) for name, value in group.features(best).items()}
            yield f"{sum(own)} of {len(own)}\tprior {group.prior:.1f}\tbelief {group.belief:.1f}\t{said}\t{group.place[:60]}"


def main() -> int:
    """Walk the shops and say what came of it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shops", nargs="*")
    parser.add_argument("--data", type=Path, default=DATA, metavar="DIR")
    parser.add_argument("--pages", type=int, default=MAX_PAGES, metavar="N", help="read no more pages of one shop")
    parser.add_argument("--seed", type=int, metavar="N", help="pages of one priority arrive in another order")
    parser.add_argument(
        "--orders", type=int, default=0, metavar="N", help="compare it with walks in so many other orders"
    )
    parser.add_argument("--errors", action="store_true", help="list what was missed and what was taken wrongly")
    parser.add_argument("--templates", action="store_true", help="list the shop's templates")
    options = parser.parse_args()
    for name in options.shops or shop_names(options.data):
        walked = ShopWalk(labelled_shop(name, options.data), options.seed).run(options.pages)
        figures = walked.figures() | (walked.differences(options.orders, options.pages) if options.orders else {})
        print(name, json.dumps(figures), flush=True)
        lines = [*(walked.templates() if options.templates else ()), *(walked.mistakes() if options.errors else ())]
        print("\n".join(lines), file=sys.stderr)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
