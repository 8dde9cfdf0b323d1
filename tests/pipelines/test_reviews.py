"""Reviews on pages of their own, and how long the names of those who wrote them are kept."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest
from scrapy.http import HtmlResponse, Request
from sqlalchemy import select

from scout.items import PageItem
from scout.offer import Offer
from scout.page import Page
from scout.pipelines.offers import OfferPipeline
from scout.store import Store
from scout.store.models import Review, StoredOffer, VisitedPage
from tests.pipelines.crawlers import crawler, stats

URL = "https://shop.example/p/red-chair"


def review(author: str, text: str) -> str:
    return f"<li class='review-item'><b class='author'>{author}</b><p class='review-text'>{text}</p></li>"


PAGES = {
    f"{URL}/reviews": f"<ul>{review('Ann', 'Sits very well indeed')}{review('Bob', 'Came late and broken')}</ul>"
    f"<a rel='next' href='{URL}/reviews?page=2'>next</a>",
    f"{URL}/reviews?page=2": f"<ul>{review('Cem', 'Would buy it once more')}</ul>",
}
PRODUCT = f"<h1>Red chair</h1>{review('Ann', 'Sits very well indeed')}<a href='{URL}/reviews'>All 3 reviews</a>"


class Engine:
    """Answers from PAGES, and fails for everything else."""

    async def download_async(self, request: Request) -> HtmlResponse:
        if request.url not in PAGES:
            raise OSError("no route to it")
        return HtmlResponse(request.url, body=PAGES[request.url], encoding="utf-8", request=request)


def through(html: str, *, reads_pages: bool = True) -> tuple[list[str], dict[str, Any]]:
    """The authors of the reviews that the offer has, and what was counted."""
    made = crawler()
    made.spider.args = SimpleNamespace(reviews=reads_pages)
    made.engine = Engine()
    item = PageItem(page=Page(URL, html), shop="chairs", values={"price": "12.90"})
    found = asyncio.run(OfferPipeline.from_crawler(made).process_item(item))
    counted = {name: count for name, count in stats(made).items() if name.startswith("reviews/")}
    return [review["author"] for review in found["reviews"]], counted


def test_a_products_reviews_are_gathered_from_all_their_pages_and_each_once() -> None:
    assert through(PRODUCT) == (["Ann", "Bob", "Cem"], {"reviews/pages": 2})


def test_a_product_whose_review_page_fails_goes_on_with_what_it_shows_itself() -> None:
    assert through(PRODUCT.replace("/reviews'", "/reviews-gone'")) == (["Ann"], {"reviews/failed": 1})


def test_one_review_page_that_fails_does_not_cost_the_others() -> None:
    gone = PRODUCT.replace("<a ", f"<a href='{URL}/reviews-gone'>All reviews</a><a ")
    assert through(gone) == (["Ann", "Bob", "Cem"], {"reviews/failed": 1, "reviews/pages": 2})


def test_without_the_argument_nothing_is_fetched() -> None:
    assert through(PRODUCT, reads_pages=False) == (["Ann"], {})


def offer() -> Offer:
    return Offer({"url": URL, "title": "Red chair", "reviews": [{"author": "Ann", "text": "Sits very well indeed"}]})


def test_names_go_from_the_database_when_they_were_not_read_again_for_so_long(tmp_path: Any) -> None:
    database = f"sqlite:///{tmp_path}/scout.db"
    with Store.open(database) as store:
        store.add_shop("chairs")
        store.save_offers("chairs", [offer()])
        kept = store.forget_review_authors(30)
        assert (kept, next(store.offers("chairs"))["reviews"][0]["author"]) == (0, "Ann")
        assert store.forget_review_authors(0) == 1
        assert next(store.offers("chairs"))["reviews"] == [{"text": "Sits very well indeed"}]


def kept_offer(days: int) -> Offer:
    """What goes into the database for a product whose reviews have pages of their own, where pages are kept."""
    made = crawler(SCOUT_KEEP_PAGES=True, SCOUT_REVIEW_AUTHOR_DAYS=days)
    values = {"reviews": offer()["reviews"], "price": "12.90"}
    item = PageItem(page=Page(URL, "<h1>Red chair</h1>"), shop="chairs", values=values)
    found = asyncio.run(OfferPipeline.from_crawler(made).process_item(item))
    assert isinstance(found, Offer)
    return found


def rows(database: str) -> str:
    """Everything that the database says of offers and pages."""
    with Store.open(database) as store, store.reading() as connection:
        tables = [connection.execute(select(model.__table__)).all() for model in (StoredOffer, VisitedPage, Review)]
    return repr(tables)


def forget_authors(database: str, days: int) -> None:
    with Store.open(database) as store:
        store.forget_review_authors(days)


@pytest.mark.parametrize("days", [30, 0])
def test_no_row_names_a_reviewer_whose_time_is_over(database_url: str, days: int) -> None:
    """Neither the review, nor the evidence, nor what is remembered of the kept page."""
    with Store.open(database_url) as store:
        store.save_offers("chairs", [kept_offer(days)])
    assert ("Ann" in rows(database_url)) == (days > 0)
    with Store.open(database_url) as store:
        authors = [page.known["values"]["reviews"][0].get("author") for page in store.pages("chairs")]
        assert authors == (["Ann"] if days else [])  # a page that shows names is not kept for 0 days
    forget_authors(database_url, 30)
    assert ("Ann" in rows(database_url)) == (days > 0), "their time is not over yet"
    forget_authors(database_url, 0)
    assert "Ann" not in rows(database_url) and "Sits very well indeed" in rows(database_url)
