"""All shops; one shop with its crawls, categories, rules and pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from starlette.responses import Response

from scout.fleet.overview import fleet_figures
from scout.frontier.progress import CrawlProgress, progress
from scout.store import browsing
from scout.studio.crawl_views import crawl_values
from scout.studio.workshop import Asked, Workshop

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


def _categories(crawls: Sequence[CrawlProgress]) -> Mapping[str, Mapping[str, int]]:
    """The figures of each category, by the newest crawl that has some."""
    return next((crawl.categories for crawl in crawls if crawl.categories), {})
