"""Reviews that a page shows without marking them up."""

from __future__ import annotations

from scout.induce.opinions import shown_reviews
from scout.page import Page

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
