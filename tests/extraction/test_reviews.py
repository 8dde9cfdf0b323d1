"""Reviews that a page shows without marking them up."""

from __future__ import annotations

import pytest

from scout.extraction.reviews import marked_reviews, shown_reviews
from scout.extraction.structured_data import things
from scout.page import Page
from scout.walking.review_pages import review_pages

ITEM = (
    "<li class='review-item'><span class='review-author'>{who}</span><span class='review-date'>2024-05-0{n}</span>"
    "<i class='stars' title='{n} out of 5'></i><p class='review-text'>{text}</p></li>"
)


def test_each_part_is_told_by_the_names_of_its_elements():
    items = ITEM.format(who="Ann", n=4, text="Sits very well indeed") + ITEM.format(
        who="Bob", n=2, text="Came late and broken"
    )
    assert shown_reviews(Page("https://shop.example/", f"<ul class='reviews'>{items}</ul>")) == [
        {"author": "Ann", "date": "2024-05-04", "rating": "4", "text": "Sits very well indeed"},
        {"author": "Bob", "date": "2024-05-02", "rating": "2", "text": "Came late and broken"},
    ]


def test_a_form_to_write_one_is_no_review():
    form = "<div class='review-box'><p class='review-text'>Write the first review of this chair</p></div>"
    assert shown_reviews(Page("https://shop.example/", form)) == []


def test_one_review_is_one_where_it_says_more_than_its_text() -> None:
    block = (
        "<article class='review'><span class='reviewer'>by Ann</span><time class='date' datetime='2024-05-04'>4 May</time>"
        "<span class='rating' style='width: 80%'></span><div class='body'>Sits very well indeed</div></article>"
    )
    assert shown_reviews(Page("https://shop.example/", block)) == [
        {"author": "Ann", "date": "2024-05-04", "rating": "4", "text": "Sits very well indeed"}
    ]


def test_reviews_in_microdata_are_read_with_all_their_parts() -> None:
    block = (
        "<div itemscope itemtype='https://schema.org/Review'><b itemprop='author'>Ann</b>"
        "<meta itemprop='datePublished' content='2024-05-04'>"
        "<p itemprop='reviewBody'>Sits very well indeed</p><div itemprop='reviewRating' itemscope itemtype='https://schema.org/Rating'>"
        "<span itemprop='ratingValue'>4</span></div></div>"
    )
    assert marked_reviews(things(Page("https://shop.example/", block))) == [
        {"author": "Ann", "date": "2024-05-04", "rating": "4", "text": "Sits very well indeed"}
    ]


@pytest.mark.parametrize(
    ("link", "is_followed"),
    [
        ("/p/red-chair/reviews", True),
        ("/bewertungen/red-chair", True),
        ("/p/red-chair/reviews/write", False),
        ("/p/blue-lamp/reviews", False),
        ("/reviews", False),
        ("https://elsewhere.example/p/red-chair/reviews", False),
        ("#reviews", False),
    ],
)
def test_only_pages_with_reviews_of_this_product_are_its_review_pages(link: str, is_followed: bool) -> None:
    page = Page("https://shop.example/p/red-chair", f"<a href='{link}'>All 12 reviews</a>")
    assert bool(review_pages(page)) is is_followed
