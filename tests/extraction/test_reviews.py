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


SHORT = (
    "很好",
    "挺好的",
    "好啊好啊",
    "照片清晰，对焦迅速",
    "相机不错！长焦拍摄很清晰，像素很高",
    "感觉是二手翻新机器，包装盒被拆过",
)
GERMAN = (
    "Super!",
    "Passt genau und sieht gut aus.",
    "Nach zwei Wochen kaputt, der Händler antwortet nicht.",
    "Gerne wieder",
)
RUSSIAN = ("Отлично", "Хороший фотоаппарат за свои деньги, снимает чётко.", "Не понравилось, шумит", "Быстрая доставка")
SIDEBAR = "<div class='sidebar'><h4>Latest comments</h4><ul>" + "".join(
    f"<li><b>Eve {n}</b> <span>2020-01-0{n}</span><p>Nice article about lamps and more</p></li>" for n in range(1, 8)
)
LAYOUTS = {  # as in figure 9; as JD glues the date to the text; a table
    "gome": (
        "<h3>商品评价</h3><div>{items}</div>",
        "<dl><dt><span>{who}</span></dt><dd><p>{text}</p><em>{date}</em><a>有用(0)</a></dd></dl>",
        SHORT,
        "2016-09-{day:02} 15:21",
    ),
    "jd": (
        "<div id='comment'>{items}</div>",
        "<div class='mc'><div class='u-name'>{who}</div><div class='p-comment'>{text} {date}</div></div>",
        SHORT,
        "2017-01-{day:02} 14:51",
    ),
    "german table": (
        "<h2>Kundenbewertungen</h2><table>{items}</table>",
        "<tr><td>{who}</td><td>★★★★☆</td><td>{text}</td><td>{date}</td></tr>",
        GERMAN,
        "{day}. Mai 2024",
    ),
    "russian": (
        "<section><h2>Отзывы покупателей</h2><ul>{items}</ul></section>",
        "<li><div><b>{who}</b>, {date}</div><div>{text}</div><button>Ответить</button></li>",
        RUSSIAN,
        "{day} мая 2024",
    ),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_figure_9_reviews_of_shops_in_three_languages_are_found_by_structure(layout: str) -> None:
    around, item, texts, date = LAYOUTS[layout]
    wanted = found = 0
    for page in range(10):
        reviews = [
            {"author": f"ga***{page}{n}", "text": f"{texts[(page + n) % len(texts)]}", "date": date.format(day=n + 10)}
            for n in range(10)
        ]
        items = "".join(item.format(who=r["author"], text=r["text"], date=r["date"]) for r in reviews)
        html = f"<html><body><h1>Camera</h1>{around.format(items=items)}{SIDEBAR}</body></html>"
        given = shown_reviews(Page("https://shop.example/p/1", html))
        assert len(given) <= len(reviews), "comments at the side are no reviews"
        wanted += len(reviews)
        found += sum({key: value for key, value in one.items() if key != "rating"} in reviews for one in given)
        assert layout != "german table" or {one["rating"] for one in given} == {"4"}
    assert found >= 0.95 * wanted


def test_dated_lists_of_other_things_are_no_reviews() -> None:
    news = "".join(
        f"<li><b>Fair {n}</b><span>2024-05-0{n}</span><p>We show our new lamps there</p></li>" for n in range(1, 6)
    )
    assert shown_reviews(Page("https://shop.example/", f"<h2>Dates</h2><ul>{news}</ul>{SIDEBAR}")) == []
