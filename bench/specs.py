"""Specifications: TSAE as published beside Scout's own, on pages that were annotated by reading them.

usage: python bench/specs.py FOLDER      (pages.jsonl.gz, truth.json, optional.json, as eval/specs.py reads them)
Prints precision, recall and F1 of the pairs and of the regions, as the paper does, and the cost as a ratio to the parse of the page.
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

import specs_tsae
from lxml.html import HtmlElement
from rich.console import Console
from rich.table import Table

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
    group_rows: Callable[[Page], list[HtmlElement]]
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


def fastest(work: Callable[[], Any]) -> float:
    """Seconds of processor time."""
    times = []
    for _ in range(RUNS):
        start = time.process_time()
        work()
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
    system.costs.append(fastest(lambda: system.pairs(page)) / parse)


def table(systems: list[System]) -> Table:
    """The figures for a person."""
    shown = Table(title="Specifications", show_edge=False)
    for column in ("system", "pairs P", "R", "F1", "regions P", "R", "F1", "cost / parse"):
        shown.add_column(column, justify="left" if column == "system" else "right")
    for system in systems:
        figures = [*system.pair_count.figures(), *system.region_count.figures()]
        shown.add_row(system.name, *(f"{figure:.3f}" for figure in figures), f"{median(system.costs):.2f}")
    return shown


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    systems = [
        System("TSAE as published", specs_tsae.specifications, specs_tsae.region_elements),
        System("Scout", specifications, own_regions),
    ]
    for page, wanted, may_be in pages(folder):
        parse = fastest(lambda page=page: Page(page.url, page.html).root)
        for system in systems:
            measure(system, page, wanted, may_be, parse)
    Console().print(table(systems))


if __name__ == "__main__":
    main()
