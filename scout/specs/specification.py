"""specifications: the pairs of a page, from its text tree to the list that the reader sees."""

from __future__ import annotations

from scout.page import Page
from scout.specs.pair import Pair
from scout.specs.regions import Region, regions
from scout.specs.rows import COLONS, Row, rows
from scout.specs.seed import seed_words
from scout.specs.signs import accepted, context_of
from scout.specs.tree import collector_paused, shown_text, text_tree


def specifications(page: Page) -> list[Pair]:
    """The attributes of the page's product as (name, value), in the order of the page; empty where it has no specification."""
    with collector_paused():
        return _pairs(page)


def _pairs(page: Page) -> list[Pair]:
    found: dict[tuple[str, str], Pair] = {}
    with text_tree(page.root) as nodes:
        candidates = regions(rows(nodes))
        context = context_of(seed_words(page), nodes[0].size, candidates)
        for region in accepted(candidates, context):
            for row in region.rows:
                if (pair := _pair(row, region)) is not None:
                    found.setdefault(pair, pair)
    return list(found.values())


def _pair(row: Row, region: Region) -> Pair | None:
    name, value = row.line or (shown_text(row.name), shown_text(row.value))
    name, value = name.rstrip(COLONS + " "), value.lstrip(COLONS + " ")
    return Pair(name, value, section=region.heading) if name and value else None
