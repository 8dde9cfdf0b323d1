"""The texts of pages: each is stored once in its shop, the oldest go when there are too many, and names of reviewers go in time."""

from __future__ import annotations

import zlib
from dataclasses import replace
from datetime import datetime, timedelta, timezone

import pytest
from sqlalchemy import select, update

from scout.items import CrawledOffer, Visit
from scout.offer import Offer
from scout.store import Store, pages
from scout.store.identity import digest
from scout.store.models import VisitedPage

ROOT = "https://shop.example/"
NOW = datetime.now(timezone.utc)


def visit(path: str, text: str, days_ago: int = 0) -> Visit:
    at = NOW - timedelta(days=days_ago)
    return Visit(ROOT + path, "detail", status=200, digest=digest(text), html=text, headers={}, at=at)


def texts(store: Store) -> dict[str, str]:
    found = {path: store.stored_page("lamps", ROOT + path) for path in "abcdef"}
    return {path: page.html for path, page in found.items() if page}


def test_a_text_that_two_pages_share_is_stored_once(store: Store) -> None:
    store.save_visits("lamps", [visit("a", "one")])
    store.save_visits("lamps", [visit("b", "one"), visit("c", "two"), visit("d", "two")])
    assert sorted(texts(store).values()) == ["one", "two"]


def test_another_shops_text_is_its_own(store: Store) -> None:
    store.save_visits("chairs", [visit("a", "one")])
    store.save_visits("lamps", [visit("a", "one")])
    assert texts(store) == {"a": "one"}


def test_an_unchanged_page_is_not_compressed_again_and_a_changed_one_is(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    compressed: list[str] = []
    usual = pages._compressed
    monkeypatch.setattr(pages, "_compressed", lambda text: compressed.append(text) or usual(text))
    for text in ("one", "one", "two"):
        store.save_visits("lamps", [visit("a", text)])
    assert compressed == ["one", "two"] and texts(store) == {"a": "two"}


def test_pages_without_validators_replace_responses_of_their_own_crawl_only(store: Store) -> None:
    crawl = store.begin_crawl("lamps", "shop")
    store.save_visits("lamps", [visit("a", "one")], crawl)
    assert store.has_replacements("lamps", crawl) and not store.has_replacements("lamps", crawl + 1)
    store.save_visits("lamps", [replace(visit("b", "two"), headers={"ETag": "x"})], crawl)
    assert store.has_replacements("lamps", crawl + 1)


def test_texts_that_were_kept_before_zstandard_are_read(store: Store) -> None:
    store.save_visits("lamps", [visit("a", "one")])
    with store.writing() as connection:
        connection.execute(update(VisitedPage).values(body=zlib.compress(b"old")))
    assert texts(store) == {"a": "old"}


def test_the_oldest_texts_beyond_the_budget_are_deleted_and_their_pages_stay(store: Store) -> None:
    store.save_visits("lamps", [visit(path, f"{path} {'x' * age}", age) for age, path in enumerate("abcd")])
    with store.reading() as connection:
        sizes = [len(row.body) for row in connection.execute(select(VisitedPage.body))]
    budget = (sum(sizes) - max(sizes) - 1) / pages.MEGABYTE
    assert store.prune_pages(budget, tolerance=1.0) == 0
    assert store.prune_pages(budget) == 2
    assert set(texts(store)) == {"a", "b"} and store.prune_pages(budget) == 0
    with store.reading() as connection:
        assert len(connection.execute(select(VisitedPage.id)).all()) == 4


def test_a_text_that_shows_reviewers_goes_when_their_names_do(store: Store) -> None:
    reviews = {
        "a": [{"author": "Ann", "text": "Bright."}],
        "b": [{"text": "Bright."}],
        "c": [{"author": "Bob", "text": "Dim."}],
    }
    days = {"a": 40, "b": 40, "c": 5}
    for path, said in reviews.items():
        offer = Offer(title=path, url=ROOT + path, urls=[ROOT + path], price="3.00", reviews=said)
        store.save_offers("lamps", [CrawledOffer.of(offer, visit=visit(path, f"text {path}", days[path]))])
    store.forget_review_authors(30)
    assert set(texts(store)) == {"b", "c"}
