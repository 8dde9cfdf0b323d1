"""Templates: what the pages of one structure say together about each of them."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from itertools import count

import pytest
from lxml.html import fromstring

from scout.extraction.product_page import ProductPageEvidence
from scout.page import Page
from scout.walking.records import RecordList
from scout.walking.steps import PageVerdict, Step
from scout.walking.templates import PageSummary, TemplateGroup, Templates, address_words, title_place
from scout.walking.walk import Walk
from tests.walking.walking import HOST, Defaults, walked

FRAME = frozenset({"header", "menu", "footer", "content", "title"})
PRODUCT, ARTICLE, LIST = (FRAME | names for names in ({"gallery", "facts"}, {"text", "author"}, {"tiles", "pager"}))


NUMBERS = count()
SHOWN: dict[str, bool] = {}  # keys of pages that lists lead to: whether with a price


def page(
    names: frozenset[str], score: float, place: str = "h1/div", *, is_recorded: bool = False, is_priced: bool = False
) -> PageSummary:
    number = next(NUMBERS)
    if is_recorded:
        SHOWN[f"page {number}"] = is_priced
    return PageSummary(place, names, score, f"Title {number}", key=f"page {number}")


def added(templates: Templates, summary: PageSummary) -> TemplateGroup:
    """The template of a page, to which a list leads that was read before."""
    if summary.key in SHOWN:
        templates.show(summary.key, is_priced=SHOWN[summary.key])
    return templates.add(summary)


def shop(*pages: PageSummary) -> tuple[Templates, list[bool | None]]:
    """The templates of a shop with these pages, and which of them are products."""
    templates = Templates()
    met = [(summary, added(templates, summary)) for summary in pages]
    templates.decide_all()
    return templates, [group.is_product(summary.score) for summary, group in met]


def test_a_products_place_is_told_by_tags_and_ids_without_their_numbers():
    title = fromstring("<html><body><div id='product-31'><p><h2 id='t'>Lamp</h2></div></body></html>").find(".//h2")
    assert title_place(title) == "h2#t/div#product-"
    assert title_place(None) == ""


def test_pages_of_other_names_or_with_the_title_elsewhere_are_of_another_template():
    templates, _ = shop(page(PRODUCT, 5), page(PRODUCT | {"sale"}, 5), page(LIST, -5), page(PRODUCT, 5, "h2/div"))
    assert sorted(group.pages for group in templates) == [1, 1, 2]


def test_one_page_that_looks_like_a_product_does_not_make_its_template_one():
    lists = [page(LIST, -4.0) for _ in range(9)]
    products = [page(PRODUCT, 6.0, is_recorded=True) for _ in range(9)]
    _, verdicts = shop(*products, *lists, page(LIST, 1.5))
    assert verdicts == [True] * 9 + [False] * 10


def test_a_product_without_price_and_button_is_one_by_its_template():
    _, verdicts = shop(*[page(PRODUCT, 6.0, is_recorded=True) for _ in range(9)], page(PRODUCT, -2.0))
    assert verdicts[-1] is True


def test_where_nothing_shows_a_price_the_best_template_to_which_lists_lead_has_the_products():
    products = [page(PRODUCT, -1.0, is_recorded=True) for _ in range(9)]
    articles = [page(ARTICLE, -3.5, is_recorded=True) for _ in range(9)]
    _, verdicts = shop(*articles, *products, *[page(LIST, -4.0) for _ in range(9)])
    assert verdicts == [False] * 9 + [True] * 9 + [False] * 9


def test_articles_to_which_lists_lead_are_no_products_beside_a_better_template():
    products = [page(PRODUCT, 4.0, is_recorded=True) for _ in range(9)]
    _, verdicts = shop(*[page(ARTICLE, -0.5, is_recorded=True) for _ in range(9)], *products)
    assert verdicts == [False] * 9 + [True] * 9


def test_a_template_whose_records_show_no_price_is_no_products_where_those_of_products_do():
    products = [page(PRODUCT, 6.0, is_recorded=True, is_priced=True) for _ in range(9)]
    articles = [page(ARTICLE, 2.0, is_recorded=True) for _ in range(9)]
    assert shop(*products, *articles)[1] == [True] * 9 + [False] * 9
    others = [page(ARTICLE, 2.0, is_recorded=True, is_priced=True) for _ in range(9)]
    assert shop(*products, *others)[1] == [True] * 18


def test_a_template_with_addresses_of_another_form_needs_more_evidence():
    def at(summary: PageSummary, address: str) -> PageSummary:
        return replace(summary, address=address_words(f"http://shop.example/{address}"))

    products = [at(page(PRODUCT, 5.0, is_recorded=True), f"product/lamp-{n}") for n in range(9)]
    articles = [page(ARTICLE, 2.0, is_recorded=True) for _ in range(9)]
    assert shop(*products, *(at(article, "product/lamp-care") for article in articles))[1] == [True] * 18
    assert shop(*products, *(at(article, "post/lamp-care") for article in articles))[1] == [True] * 9 + [False] * 9


def test_a_list_may_lead_to_a_page_that_was_read_before():
    early, late = Templates(), Templates()
    summary = page(PRODUCT, 5.0)
    early.show(summary.key, is_priced=True)
    groups = [templates.add(summary) for templates in (early, late)]
    late.show(summary.key, is_priced=False)
    late.show(summary.key, is_priced=True)
    assert [(group.recorded, group.priced) for group in groups] == [(1, 1), (1, 1)]


def test_the_verdicts_do_not_depend_on_the_order_in_which_pages_come():
    pages = [
        *[page(PRODUCT, score, is_recorded=True) for score in (5, 6, 3, 6, 5, 4, 6)],
        *[page(ARTICLE, score, is_recorded=True) for score in (-1, 0, 1, -2, 0, -1)],
        *[page(LIST, score) for score in (-4, -5, -3, 0.5, -6, -4)],
    ]
    expected = dict(zip(pages, shop(*pages)[1], strict=True))
    for seed in range(20):
        shuffled = random.Random(seed).sample(pages, len(pages))
        assert dict(zip(shuffled, shop(*shuffled)[1], strict=True)) == expected


def test_a_template_with_one_title_for_all_its_pages_is_no_products():
    wall = [replace(page(FRAME, 1.0, is_recorded=True), title="Are you human?") for _ in range(6)]
    assert shop(*wall)[1] == [False] * 6
    products = [page(FRAME, 1.0, is_recorded=True) for _ in range(6)]
    assert shop(*products)[1] == [True] * 6


@pytest.mark.parametrize(
    ("title", "price", "is_other"),
    [("How to clean a lamp", None, True), ("Oops", None, False), ("How to clean a lamp", "9", False)],
)
def test_an_article_that_its_list_showed_by_its_name_and_without_a_price_was_not_promised_as_a_product(
    title, price, is_other
):
    templates = Templates()
    article = added(templates, page(ARTICLE, -3.0, is_recorded=True))
    [added(templates, page(PRODUCT, 6.0, is_recorded=True)) for _ in range(5)]
    templates.decide_all()
    verdict = PageVerdict("other", title=title, score=-3.0, template=article)
    came = Step("http://shop.example/a", "record", title="How to clean a lamp", price=price)
    assert verdict.is_other_subject(came) is is_other


def test_a_template_as_good_as_any_is_decided_after_a_few_pages_and_a_doubtful_one_waits():
    templates = Templates()
    doubtful = [added(templates, page(ARTICLE, 0.5)) for _ in range(5)][-1]
    assert doubtful.is_product(0.5) is None
    sure = [added(templates, page(PRODUCT, 6.0, is_recorded=True)) for _ in range(5)][-1]
    assert sure.is_product(6.0) is True


def test_lists_that_look_like_products_wait_for_the_products_that_they_lead_to():
    lists = [page(LIST, 0.9, is_recorded=True) for _ in range(9)]  # a front page shows its categories with pictures
    products = [page(PRODUCT, 6.0, is_recorded=True) for _ in range(9)]
    assert shop(*lists, *products)[1] == [False] * 9 + [True] * 9


def test_a_page_far_from_any_product_need_not_wait_for_its_template():
    assert TemplateGroup("h1").is_product(-8.0) is False


@pytest.mark.parametrize("score", [-2.0, 5.0])
def test_a_template_that_an_earlier_crawl_knew_decides_from_the_first_page(score):
    templates, _ = shop(
        *[page(PRODUCT, 6.0, is_recorded=True) for _ in range(9)], *[page(LIST, -6.0) for _ in range(9)]
    )
    known = Templates.known(templates.dump())
    assert known.add(page(PRODUCT, score)).is_product(score) is True
    assert known.add(page(LIST, score)).is_product(score) is None


def test_a_shop_that_never_shows_a_price_is_walked_by_its_templates():
    def html(body: str) -> str:
        return f"<html><head><title>Shop</title></head><body><div class='head'><a href='/'>Shop</a></div>{body}</body></html>"

    names = [f"Lamp {word}" for word in ("Anna", "Berta", "Clara", "Dora", "Emma", "Frieda", "Greta", "Hanna")]
    tiles = "".join(
        f"<li class='tile'><a href='/p/{i}'><img src='/{i}.jpg'><b>{n}</b></a></li>" for i, n in enumerate(names)
    )
    facts = (
        "<div class='gallery'><img src='/{0}.jpg' alt='{1}'></div><div class='facts'><h1>{1}</h1><p>Of steel.</p></div>"
    )
    pages = {"/": html(f"<ul class='tiles'>{tiles}</ul><p><a href='/about'>About us</a></p>")}
    pages |= {f"/p/{i}": html(facts.format(i, name)) for i, name in enumerate(names)}
    pages["/about"] = html("<div class='text'><h2>About us</h2><p>We sell lamps since 1987.</p></div>")
    assert walked(pages).products == {f"/p/{i}" for i in range(8)}


def test_what_is_a_product_does_not_depend_on_the_order_in_which_a_shop_is_read():
    def html(body: str) -> str:
        menu = "".join(f"<li><a href='/{name}'>{name}</a></li>" for name in ("desk", "floor", "news"))
        seller = (
            "<aside><a href='/lamp/1'><img src='/1.jpg'>Lamp 1</a><b>11,00 €</b><button>Add to cart</button></aside>"
        )
        return f"<html><body><nav><ul>{menu}</ul></nav>{body}{seller}</body></html>"

    def tiles(kind: str, numbers: Iterable[int], price: str = "") -> str:
        shown = (f"<li><a href='/{kind}/{n}'><img src='/{n}.jpg'>The {kind} {n}</a>{price}</li>" for n in numbers)
        return f"<h1>All of {kind}</h1><ul class='tiles'>{''.join(shown)}</ul>"

    lamp = (
        "<div class='facts'><h1>The lamp {0}</h1><img src='/{0}.jpg'><b>1{0},00 €</b><button>Add to cart</button></div>"
    )
    post = "<div class='text'><h1>The post {0}</h1><img src='/{0}.jpg'><p>We like lamps.</p></div>"
    pages = {"/": html("<h1>Lamps</h1>")} | {f"/lamp/{n}": html(lamp.format(n)) for n in range(12)}
    pages |= {f"/post/{n}": html(post.format(n)) for n in range(6)}
    pages |= {"/desk": html(tiles("lamp", range(8), "<b>12,00 €</b>")), "/news": html(tiles("post", range(6)))}
    pages["/floor"] = html(tiles("lamp", range(5, 12), "<b>12,00 €</b>"))
    for seed in range(5):
        assert walked(pages, seed).products == {f"/lamp/{n}" for n in range(12)}


def test_a_page_that_was_read_first_is_of_the_template_that_it_proves_to_be_most_like():
    templates = Templates()
    early = page(FRAME | {"gallery", "text"}, 1.0)
    verdict = PageVerdict("detail", template=templates.add(early), find_again=partial(templates.find, early))
    for names, score in ((PRODUCT, 5.0), (FRAME | {"gallery", "text", "author"}, -5.0)):
        for _ in range(9):
            added(templates, page(names, score, is_recorded=names is PRODUCT))
    templates.decide_all()
    assert [group.pages for group in templates] == [10, 9]
    assert verdict.is_product is False


def test_what_a_person_says_of_a_template_holds_for_all_its_pages_and_is_kept():
    marked = TemplateGroup("h1/div", ARTICLE - FRAME).marked_row(False)
    templates = Templates.known([marked])
    met = [
        (one, templates.add(one))
        for one in [*(page(ARTICLE, 6.0) for _ in range(9)), *(page(PRODUCT, 4.0) for _ in range(9))]
    ]
    templates.decide_all()
    assert [group.is_product(summary.score) for summary, group in met] == [False] * 9 + [True] * 9
    assert templates.dump()[0] == marked
    again = Templates.known(templates.dump())
    assert again.add(page(ARTICLE, 6.0)).is_product(6.0) is False


def lamp_page(number: int, title: str = "h1", names: str = "facts") -> Page:
    shown = (
        f"<{title}>Lamp {number}</{title}><img src='/{number}.jpg'><b>1{number},00 €</b><button>Add to cart</button>"
    )
    html = f"<body class='shop'><div class='head'>Shop</div><div class='{names}'>{shown}</div></body>"
    return Page(f"http://shop.example/lamp/{number}", html)


def lamp_walk(last: Page, listed_as: str | None) -> Page:
    """A page that is read after twelve lamps, to all of which lists lead."""
    decide = Defaults()
    walk = decide.walk = Walk(HOST, decide)
    for one in [lamp_page(number) for number in range(12)]:
        walk.read(one, Step(one.url, "record", hint=1.0, title=f"Lamp {one.url.rpartition('/')[2]}", price="10"))
        walk.templates.decide_all()
    verdict = walk.read(last, Step(last.url, "record", hint=1.0, title=listed_as, price="10"))
    assert verdict.is_product is not False
    return last


def test_a_page_of_a_well_known_template_with_the_name_that_its_list_gives_it_is_not_judged_anew():
    page = lamp_walk(lamp_page(40), listed_as="Lamp 40")
    assert page.known_title is page.root.find(".//h1")
    assert "_read" not in vars(ProductPageEvidence.of(page))


@pytest.mark.parametrize(
    ("last", "listed_as"),
    [
        (lamp_page(40), None),
        (lamp_page(40), "Chair 7"),
        (lamp_page(40, title="h2"), "Lamp 40"),
        (lamp_page(40, names="other make"), "Lamp 40"),
    ],
    ids=[
        "no list names it",
        "its list gives another name",
        "its title stands elsewhere",
        "its blocks have other names",
    ],
)
def test_a_page_that_may_be_of_another_template_is_judged_by_all_that_it_shows(last, listed_as):
    assert lamp_walk(last, listed_as).known_title is None


def test_a_template_that_also_has_other_pages_than_products_is_no_short_cut():
    templates = Templates()
    lamps = [lamp_page(number) for number in range(12)]
    for score in (6.0, -8.0):
        for one in lamps:
            templates.add(replace(PageSummary.of(ProductPageEvidence.of(one), one.url), score=score))
        templates.decide_all()
        assert (templates.known_title(lamp_page(40)) is None) is (score < 0)


def info_page(number: int, more: str = "") -> Page:
    menu = "".join(f"<li><a href='/c/{n}'>Section {n}</a></li>" for n in range(6))
    texts = "".join(f"<p>We {word} a lot.</p>" for word in ("read", "write", "walk", "sing"))
    body = f"<nav><ul class='menu'>{menu}</ul></nav><main class='text'><h1>About {number}</h1>{texts}{more}</main>"
    return Page(f"http://shop.example/info/{number}", f"<html><body>{body}</body></html>")


CARDS = "".join(f"<li><a href='/p/{n}'><img src='/{n}.jpg'>Lamp {n}</a> <b>1{n},00 €</b></li>" for n in range(8))


@pytest.mark.parametrize(
    ("more", "is_searched"),
    [("", False), ("<p class='new'>News</p>", True), ("<a href='/a'>More</a>", True), (f"<ul>{CARDS}</ul>", True)],
    ids=["nothing new", "another name", "one more link", "a list without names"],
)
def test_a_page_like_many_that_showed_no_list_is_not_searched_for_one(more: str, is_searched: bool):
    searched: list[Page] = []

    class Searching(Defaults):
        def records(self, page: Page) -> RecordList | None:
            searched.append(page)
            return self.walk.lists.records(page)

    decide = Searching()
    walk = decide.walk = Walk(HOST, decide)
    verdicts = [walk.read(one, Step(one.url)) for one in map(info_page, range(12))]
    last = info_page(40, more)
    verdict = walk.read(last, Step(last.url))
    assert (last in searched) is is_searched
    assert verdict.level == ("list" if CARDS in more else verdicts[0].level)
