"""Specifications: TSAE as published beside Scout's own, on pages that were annotated by reading them.

usage: python -m bench.specs FOLDER      (pages.jsonl.gz, truth.json, optional.json, as eval/specs.py reads them)
Prints the paper's table 2 (regions alone: is this block the specification?) and table 3 (pairs) with its own figures beside them, and
the cost of the first call on a fresh page as a ratio to its parse.
A region of the truth is a container that holds annotated pairs. A found one is right where it is that container, lies in it, or holds it
with little else.
"""

from __future__ import annotations

import argparse
import gzip
import html
import json
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from lxml.html import HtmlElement
from rich.console import Console
from rich.table import Table

from bench import specs_tsae
from scout.page import Page
from scout.specs import specifications
from scout.specs.regions import group_rows
from scout.specs.rows import candidate_rows
from scout.specs.seed import seed_words
from scout.specs.signs import accepted_regions, page_context
from scout.specs.specification import pairs_of
from scout.specs.tree import text_tree

LITTLE_ELSE = 3  # times the text of the true region
RUNS = 3  # the fastest counts: the rest is the machine's noise

Pairs = set[tuple[str, str]]


def plain(text: str) -> str:
    """As eval/specs.py compares: no case, white space, colon at the end, brackets around."""
    text = re.sub(r"\s+", " ", html.unescape(str(text)).replace("\xa0", " ").replace("\u200b", "")).strip().casefold()
    return text.rstrip(":： ").strip("[]【】 ")


@dataclass
class Count:
    """Found, wanted and right ones of one system."""

    found: int = 0
    wanted: int = 0
    right: int = 0
    hit: int = 0  # wanted ones that something found is right for: differs from `right` for regions

    def add(self, found: int, wanted: int, right: int, hit: int) -> None:
        self.found, self.wanted, self.right, self.hit = (
            self.found + found,
            self.wanted + wanted,
            self.right + right,
            self.hit + hit,
        )

    def figures(self) -> tuple[float, float, float]:
        precision, recall = self.right / max(1, self.found), self.hit / max(1, self.wanted)
        return precision, recall, 2 * precision * recall / (precision + recall) if precision + recall else 0.0


@dataclass
class System:
    """One way to find specifications."""

    name: str
    pairs: Callable[[Page], list[Any]]
    regions: Callable[[Page], list[HtmlElement]]
    pair_count: Count = field(default_factory=Count)
    region_count: Count = field(default_factory=Count)
    costs: list[float] = field(default_factory=list)


def own_regions(page: Page) -> list[HtmlElement]:
    """The elements of the regions that Scout accepts."""
    with text_tree(page.root) as tree:
        candidates = group_rows(candidate_rows(tree.candidates))
        context = page_context(seed_words(page), tree.root.size, candidates)
        return [region.container.element for region in accepted_regions(candidates, context)]


def true_regions(page: Page, truth: Pairs) -> list[HtmlElement]:
    """Containers whose candidate pairs are mostly annotated ones."""
    with text_tree(page.root) as tree:
        found = []
        for region in group_rows(candidate_rows(tree.candidates)):
            given = {(plain(name), plain(value)) for name, value in pairs_of(region)}
            if given and len(given & truth) * 2 > len(given):
                found.append(region.container.element)
        return found


def is_right(found: HtmlElement, true: HtmlElement) -> bool:
    """True where two elements are the same region."""
    if found is true or true in found.iterancestors():
        return True
    return found in true.iterancestors() and len(found.text_content()) <= LITTLE_ELSE * len(true.text_content())


def pages(folder: Path) -> Iterator[tuple[Page, Pairs, set[tuple[str, str | None]]]]:
    """Each page with its pairs, and those that may be given or not."""
    truth = json.loads((folder / "truth.json").read_text(encoding="utf-8"))
    optional = folder / "optional.json"
    free = json.loads(optional.read_text(encoding="utf-8")) if optional.exists() else {}
    with gzip.open(folder / "pages.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in map(json.loads, lines):
            wanted = {(plain(name), plain(value)) for name, value in truth[line["id"]]}
            may_be = {(plain(name), value and plain(value)) for name, value in free.get(line["id"], [])}
            yield Page(line["url"], line["html"]), wanted, may_be


def fastest(work: Callable[[Page], Any], page: Page) -> float:
    """Seconds of processor time, on a page of which nothing is known yet."""
    times = []
    for _ in range(RUNS):
        fresh = Page(page.url, page.html)
        assert fresh.root is not None
        start = time.process_time()
        work(fresh)
        times.append(time.process_time() - start)
    return min(times)


def parse_time(page: Page) -> float:
    """Seconds of processor time for the parse alone."""
    times = []
    for _ in range(RUNS):
        start = time.process_time()
        assert Page(page.url, page.html).root is not None
        times.append(time.process_time() - start)
    return min(times)


def measure(system: System, page: Page, wanted: Pairs, may_be: set[tuple[str, str | None]], parse: float) -> None:
    """Add one page to a system's figures."""
    given = {(plain(name), plain(value)) for name, value in system.pairs(page)}
    given -= {pair for pair in given - wanted if pair in may_be or (pair[0], None) in may_be}
    right = len(given & wanted)
    system.pair_count.add(len(given), len(wanted), right, right)
    found, true = system.regions(page), true_regions(page, wanted)
    right = sum(any(is_right(element, other) for other in true) for element in found)
    hit = sum(any(is_right(element, other) for element in found) for other in true)
    system.region_count.add(len(found), len(true), right, hit)
    system.costs.append(fastest(system.pairs, page) / parse)


PUBLISHED = {
    "regions": {
        "DEXTER": (0.721, 0.746, 0.733),
        "Petrovski, Bizer": (0.764, 0.752, 0.758),
        "TSAE, gold standard": (0.824, 0.843, 0.833),
        "TSAE, Chinese": (0.912, 0.864, 0.887),
    },
    "pairs": {
        "DEXTER": (0.619, 0.701, 0.658),
        "Petrovski, Bizer": (0.751, 0.691, 0.719),
        "TSAE, gold standard": (0.817, 0.789, 0.803),
        "TSAE, Chinese": (0.901, 0.827, 0.862),
    },
}


def table(systems: list[System], what: str, number: int) -> Table:
    """One of the paper's tables: its own figures, on its own pages, then ours on these."""
    shown = Table(title=f"Table {number}: {what}", show_edge=False)
    for column in ("system", "pages", "precision", "recall", "F1", "cost / parse"):
        shown.add_column(column, justify="left" if column in ("system", "pages") else "right")
    for name, figures in PUBLISHED[what].items():
        shown.add_row(name, "the paper's", *(f"{figure:.3f}" for figure in figures), "")
    for system in systems:
        count = system.pair_count if what == "pairs" else system.region_count
        cost = f"{median(system.costs):.2f}" if what == "pairs" else ""
        shown.add_row(system.name, "these", *(f"{figure:.3f}" for figure in count.figures()), cost)
    return shown


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    systems = [
        System("TSAE, read literally", specs_tsae.specifications, specs_tsae.region_elements),
        System("Scout", specifications, own_regions),
    ]
    for page, wanted, may_be in pages(folder):
        parse = parse_time(page)
        for system in systems:
            measure(system, page, wanted, may_be, parse)
    for what, number in (("regions", 2), ("pairs", 3)):
        Console().print(table(systems, what, number))


if __name__ == "__main__":
    main()
