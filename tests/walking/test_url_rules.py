"""What is never requested, and what only so often."""

from __future__ import annotations

import pytest

from scout.url_rules import (
    is_action,
    is_calendar,
    is_endless,
    is_forbidden,
    is_rearranged_list,
    is_refined_list,
    is_session_switch,
    page_key,
    url_pattern,
)
from scout.walking.crawl_budget import (
    DEAD_RUN,
    PATIENCE,
    PROBES,
    THIN,
    Facets,
    SkippedUrls,
    UrlPatternBudget,
    not_asked,
)

SHOP = "http://shop.example"


@pytest.mark.parametrize(
    "path",
    ["/cart", "/cart/add?id=3", "/en/checkout/", "/index.php?route=account/login", "/my_account", "/wishlist/add/7",
     "/shoes?add-to-cart=12",     "/index.php@route=checkout%2Fcart", "/product_compare.html", "/customer/account/create"],
)  # fmt: skip
def test_carts_logins_and_the_like_are_forbidden(path):
    assert is_forbidden(SHOP + path)


@pytest.mark.parametrize(
    "path",
    [
        "/carts-top-200",
        "/sorting-and-searching",
        "/golf-cart-covers",
        "/products/cart",
        "/category/register",
        "/books/the-login-murders",
        "/",
    ],
)
def test_products_that_are_called_so_are_not_forbidden(path):
    assert not is_forbidden(SHOP + path)


def test_a_facet_is_the_same_list_with_more_parameters():
    assert is_refined_list(f"{SHOP}/shoes?colour=red", f"{SHOP}/shoes")
    assert is_refined_list(f"{SHOP}/shoes?colour=red&size=9", f"{SHOP}/shoes?colour=red")
    assert not is_refined_list(f"{SHOP}/shoes?page=2", f"{SHOP}/shoes")
    assert not is_refined_list(f"{SHOP}/index.php?cat=3", f"{SHOP}/index.php")
    assert not is_refined_list(f"{SHOP}/boots?colour=red", f"{SHOP}/shoes")


def test_sort_orders_and_page_sizes_arrange_a_list_anew():
    assert is_rearranged_list(f"{SHOP}/shoes?sort_by=price") and is_rearranged_list(f"{SHOP}/shoes?per_page=96")
    assert is_rearranged_list(f"{SHOP}/shoes?sort%5Bprice%5D=DESC&cat_id=sale")
    assert not is_rearranged_list(f"{SHOP}/shoes?page=2")


def test_paths_without_end_and_calendars_are_recognised():
    assert is_endless(f"{SHOP}/a/b/a/b/a/b")
    assert is_endless(SHOP + "/x" * 30)
    assert is_calendar(f"{SHOP}/events/2031/05")
    assert not is_calendar(f"{SHOP}/diary-2031-large")
    assert not is_endless(f"{SHOP}/shop/shoes/men/shoes")


def test_an_index_page_is_its_folder():
    assert page_key(f"{SHOP}/shoes/index.html") == page_key(f"{SHOP}/shoes/")


def test_a_session_does_not_make_another_page():
    assert page_key(f"{SHOP}/p?sid=1a2b&id=3") == page_key(f"{SHOP}/p?id=3&sid=77aa") == f"{SHOP}/p?id=3"
    assert page_key(f"{SHOP}/p;jsessionid=1A2B") == f"{SHOP}/p"
    assert page_key(f"{SHOP}/p?side=left&id=3") == f"{SHOP}/p?side=left&id=3"


def test_facets_are_given_up_when_they_show_nothing_new():
    facets = Facets()
    for i in range(90):
        facets.keep(f"list {i % 3}", f"{SHOP}/?f={i}")
    tried = 0
    while due := facets.due():
        for group, _ in due:
            facets.tried(group, 0)
            tried += 1
    assert tried <= 12


def test_a_list_whose_facets_show_something_new_is_tried_to_the_end():
    facets = Facets()
    for i in range(40):
        facets.keep("rich", f"{SHOP}/?f={i}")
    tried = 0
    while due := facets.due():
        for group, _ in due:
            facets.tried(group, 1)
            tried += 1
    assert tried == 40


def test_a_list_keeps_only_so_many_facets():
    facets = Facets()
    assert sum(facets.keep("list", f"{SHOP}/?f={i}") for i in range(1_000)) == 100


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/lamp-3/reviews/add/", True),
        ("/lamp-3/Write_Review", True),
        ("/lamp-3/reviews/", False),
        ("/lamp-3/red-shade", False),
        ("/lamp-30/new", False),
        ("/new", False),
    ],
)
def test_only_a_product_s_own_address_extended_by_a_word_for_doing_is_an_action(path, expected):
    assert is_action(SHOP + path, SHOP + "/lamp-3/") is expected


REVIEWS = [f"http://a.example/index.php?main_page=write_review&products_id={number}" for number in range(200)]


def admitted(shapes: UrlPatternBudget[str], urls: list[str]) -> list[str]:
    return [url for url in urls if shapes.admits(url, url)]


def test_numbers_names_and_the_order_of_parameters_do_not_change_a_shape():
    assert len({url_pattern(url) for url in REVIEWS}) == 1
    assert (
        url_pattern("http://a.example/tag/red")
        == url_pattern("http://a.example/tag/blue-3/")
        != url_pattern("http://a.example/blog/red")
    )
    assert url_pattern("http://a.example/a?x=1&y=2") == url_pattern("http://a.example/b?y=3&x=4")
    assert url_pattern("http://a.example/i/red.html") != url_pattern("http://a.example/i/red.php")


def test_of_a_shape_that_comes_to_nothing_only_so_many_are_asked_for_and_a_few_more_at_the_end():
    shapes: UrlPatternBudget[str] = UrlPatternBudget()
    assert admitted(shapes, REVIEWS) == REVIEWS[: int(PATIENCE)]
    probes = shapes.probes()
    assert len(probes) == PROBES and probes[-1] == REVIEWS[-1]
    assert shapes.probes() == []
    assert [left.count for left in shapes.bounded().values()] == [len(REVIEWS) - int(PATIENCE) - PROBES]


def test_a_shape_that_leads_to_something_once_is_followed_without_end():
    shapes: UrlPatternBudget[str] = UrlPatternBudget()
    waiting = REVIEWS[len(admitted(shapes, REVIEWS)) :]
    assert shapes.paid(REVIEWS[3]) == waiting
    assert admitted(shapes, REVIEWS) == REVIEWS
    assert shapes.probes() == [] and shapes.bounded() == {}


def test_pages_that_are_there_but_show_nothing_new_wear_patience_out_more_slowly():
    shapes: UrlPatternBudget[str] = UrlPatternBudget()
    asked = admitted(shapes, REVIEWS)
    for url in asked:  # grows while it is read
        asked += shapes.barren(url)
    assert len(asked) == pytest.approx(5 * PATIENCE, abs=5)


CATEGORIES = [f"{SHOP}/list/{n}.html" for n in range(2_000)]


def dead_shape() -> UrlPatternBudget[str]:
    """A shape of which two were there, and all the others that were asked for were not."""
    shapes: UrlPatternBudget[str] = UrlPatternBudget()
    shapes.paid(CATEGORIES[0])
    for url in CATEGORIES[1:DEAD_RUN]:
        shapes.gone(url)
    assert shapes.admits(CATEGORIES[0], CATEGORIES[0])
    shapes.barren(CATEGORIES[0])
    for url in CATEGORIES[1 : DEAD_RUN + 1]:
        shapes.gone(url)
    return shapes


def test_of_links_that_may_be_categories_so_many_are_under_way_until_one_is_known_to_be_there():
    shapes: UrlPatternBudget[str] = UrlPatternBudget()
    asked = [url for url in CATEGORIES if shapes.admits(url, url, is_paced=False)]
    assert asked == CATEGORIES[:DEAD_RUN]
    assert shapes.barren(asked[7]) == CATEGORIES[DEAD_RUN:]
    assert all(shapes.admits(url, url, is_paced=False) for url in CATEGORIES)


def test_a_shape_of_which_so_many_in_a_row_are_not_there_waits_and_is_tried_thinly_at_the_end():
    shapes = dead_shape()
    assert admitted(shapes, CATEGORIES) == []
    probes = shapes.probes()
    assert len(probes) == len(CATEGORIES) // THIN and {CATEGORIES[0], CATEGORIES[-1]} < set(probes)
    for url in probes:
        shapes.gone(url)
    (left,) = shapes.bounded().values()
    dead = 2 * DEAD_RUN - 1 + len(probes)
    assert left.is_dead and str(left) == f"{2_000 - len(probes)} of one shape of which {dead} of {dead + 2} were dead"


def test_a_statement_names_the_largest_dead_shapes_and_counts_the_others():
    said = not_asked([SkippedUrls(count, 60, 61) for count in (7, 100, 30, 9, 8)] + [SkippedUrls(500, 20, 20)])
    assert said.startswith("; not asked: 100 of one shape of which 60 of 61 were dead; not asked: 30 of one shape")
    assert said.endswith("; and 15 of 2 other such shapes") and "500" not in said
    assert not_asked([]) == ""


@pytest.mark.parametrize("is_worth", [True, False])
def test_one_that_is_there_after_all_lets_its_whole_shape_go(is_worth):
    """Whether or not it shows anything new: a shape that is alive is followed to its end."""
    shapes = dead_shape()
    assert admitted(shapes, CATEGORIES) == []
    probes = shapes.probes()
    released = (shapes.paid if is_worth else shapes.barren)(probes[3])
    assert len(released) == len(CATEGORIES) - len(probes) and shapes.bounded() == {}
    assert shapes.admits(CATEGORIES[5], CATEGORIES[5])


def test_only_what_was_charged_is_given_back():
    """Pages of a menu or a list are asked for without asking the shape: that they are barren buys nothing."""
    shapes: UrlPatternBudget[str] = UrlPatternBudget()
    asked = admitted(shapes, REVIEWS[:1])
    for i in range(100):
        assert shapes.barren(f"{REVIEWS[0]}{i}") == []
    assert len(asked + admitted(shapes, REVIEWS[1:])) == PATIENCE
    assert len(shapes.barren(REVIEWS[0])) == 0  # four fifths of one: less than a dead one costs
    assert len(shapes.barren(REVIEWS[1])) == 1
    assert shapes.barren(REVIEWS[1]) == []


@pytest.mark.parametrize(
    "link",
    [
        "/lamps?c=3&set_currency=EUR",
        "/lamps?c=3&cur=USD",
        "/set-currency/EUR?back=/lamps",
        "/lamps?lang=fr&c=3",
        "/index.php?id_currency=2",
    ],
)
def test_a_session_stays_in_the_currency_and_language_in_which_it_began(link):
    url, page_url = (f"http://shop.example{path}" for path in (link, "/lamps?c=3"))
    assert is_forbidden(url) or is_session_switch(url, page_url)


@pytest.mark.parametrize(
    "link", ["/lamps?c=3&page=2", "/lamps?c=4", "/fr/lamps?c=3", "/chairs?lang=en", "/lamps?c=3&colour=red"]
)
def test_another_page_is_no_switch_of_the_session(link):
    url, page_url = (f"http://shop.example{path}" for path in (link, "/lamps?c=3"))
    assert not is_forbidden(url) and not is_session_switch(url, page_url)
