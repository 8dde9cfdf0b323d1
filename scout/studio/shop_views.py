"""All shops; one shop with its crawls, categories, rules and pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from starlette.responses import Response

from scout.fleet.overview import fleet_figures
from scout.frontier.progress import CrawlProgress, progress
from scout.store import browsing
from scout.studio.crawl_views import crawl_values
from scout.studio.workshop import Asked, Workshop

SEPARATOR = " > "  # between the steps of a category's path
SHOWN_CRAWLS = 10
SHOWN_PAGES = 50


def list_shops(workshop: Workshop, asked: Asked) -> Response:
    """Every shop with its last crawl."""
    statuses = workshop.store.shops()
    known = {status.name: status for status in statuses}
    return workshop.show("shops.html", asked, fleet=fleet_figures(workshop.store), statuses=statuses, known=known)


def show_shop(workshop: Workshop, asked: Asked) -> Response:
    """One shop: what is known of it."""
    name = asked.shop
    status = workshop.store.shop(name)
    with workshop.store.reading() as connection:
        after = asked.number("after") or 0
        pages = browsing.listed_pages(connection, name, after, SHOWN_PAGES)
    shown = progress(workshop.store, name, SHOWN_CRAWLS)
    return workshop.show(
        "shop.html",
        asked,
        shop=status,
        crawls=shown,
        kept=workshop.store.page_counts().get(name, (0, 0)),
        pages=pages,
        is_more=len(pages) == SHOWN_PAGES,
        categories=_categories(shown),
        **crawl_values(workshop, name),
    )


@dataclass(frozen=True)
class CategoryTreeRow:
    """A category of the tree: its name, how deep it is, its path, and its figures, which are empty where only those below it have some."""

    name: str
    depth: int
    path: str
    figures: Mapping[str, int]


def category_tree(figures: Mapping[str, Mapping[str, int]]) -> list[CategoryTreeRow]:
    """The categories in the order of the tree, with those that lead to them.

    >>> [(row.depth, row.name, dict(row.figures)) for row in category_tree({"Lamps > Desk": {"seen": 3}, "Beds": {"seen": 1}})]
    [(0, 'Beds', {'seen': 1}), (0, 'Lamps', {}), (1, 'Desk', {'seen': 3})]
    """
    paths = {tuple(path.split(SEPARATOR)): found for path, found in figures.items()}
    every = {path[:depth] for path in paths for depth in range(1, len(path) + 1)}
    return [
        CategoryTreeRow(path[-1], len(path) - 1, SEPARATOR.join(path), paths.get(path, {})) for path in sorted(every)
    ]


def _categories(crawls: Sequence[CrawlProgress]) -> list[CategoryTreeRow]:
    """The categories of the newest crawl that has figures of some."""
    return category_tree(next((crawl.categories for crawl in crawls if crawl.categories), {}))
