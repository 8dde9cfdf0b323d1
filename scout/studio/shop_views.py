"""All shops; one shop with its crawls, categories, rules and pages."""

from __future__ import annotations

from starlette.responses import Response

from scout.frontier.progress import progress
from scout.store import browsing
from scout.studio.workshop import Asked, Refused, Workshop

SHOWN_CRAWLS = 10
SHOWN_PAGES = 50


def list_shops(workshop: Workshop, asked: Asked) -> Response:
    """Every shop with its last crawl."""
    shops = workshop.store.shops()
    return workshop.show("shops.html", asked, shops=shops, kept=workshop.store.page_counts())


def show_shop(workshop: Workshop, asked: Asked) -> Response:
    """One shop: what is known of it."""
    name = shop_name(asked)
    status = workshop.store.shop(name)
    with workshop.store.reading() as connection:
        after = asked.number("after") or 0
        pages = browsing.listed_pages(connection, name, after, SHOWN_PAGES)
    return workshop.show(
        "shop.html",
        asked,
        shop=status,
        crawls=progress(workshop.store, name, SHOWN_CRAWLS),
        kept=workshop.store.page_counts().get(name, (0, 0)),
        pages=pages,
        is_more=len(pages) == SHOWN_PAGES,
    )


def shop_name(asked: Asked) -> str:
    """The shop that the address names."""
    name = asked.query.get("shop") or asked.form.get("shop") or ""
    if not name:
        raise Refused(404, "Which shop?")
    return name
