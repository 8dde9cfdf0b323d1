"""`scrapy crawl` ends with one line that a person understands, and with an exit code that a script can use."""

import json
import re

import pytest

from tests.crawl.commands import HASTY, scrapy
from tests.crawl.serving import Answer, serving
from tests.crawl.tiny_shop import PRODUCTS, page, tiny_shop


@pytest.fixture
def crawl(tmp_path):
    """Crawl with a database of its own; returns exit code, last line and the whole log."""

    places = ("-s", f"SCOUT_DATABASE=sqlite:///{tmp_path}/scout.db", "-s", f"SCOUT_RULES_DIR={tmp_path}/rules")

    def run(*arguments: str, settings=HASTY):
        done = scrapy("crawl", *arguments, *places, *settings, "-s", "SCOUT_RENDER=never")
        return done.returncode, done.stderr.rstrip().rpartition("\n")[2], done.stderr

    return run


def test_a_shop_is_crawled_and_the_last_line_says_where_its_offers_are(crawl, tmp_path):
    items = tmp_path / "offers.jsonl"
    with serving(tiny_shop()) as shop:
        code, last, log = crawl("shop", "-a", f"url={shop.url}", "-o", str(items))
    assert code == 0, log
    offers = [json.loads(line) for line in items.read_text().splitlines()]
    assert {offer["price"] for offer in offers} == {price for _, price, _ in PRODUCTS.values()}
    assert last.startswith(f"scrapy crawl: done: {len(PRODUCTS)} offers of ")
    assert "scout.db" in last and f"{len(offers)} rows added to {items}" in last
    assert "Traceback" not in log


def test_a_feed_that_cannot_be_written_is_a_failure_that_the_last_line_names(crawl, tmp_path):
    """The disk of one feed is full; the other feed and the database have every offer, and the line says so."""
    items = tmp_path / "offers.jsonl"
    with serving(tiny_shop()) as shop:
        code, last, log = crawl("shop", "-a", f"url={shop.url}", "-O", "/dev/full:jsonlines", "-O", str(items))
    assert code == 1, log
    assert last.startswith("scrapy crawl: failed: /dev/full is incomplete: No space left on device")
    assert f"{len(PRODUCTS)} offers of " in last and f"{len(PRODUCTS)} rows in {items}" in last
    assert len(items.read_text().splitlines()) == len(PRODUCTS)
    assert "Traceback" not in log and log.count("No space left") == 2, "once in the log, once in the last line"


def test_without_a_database_the_last_line_says_what_is_in_the_file(crawl, tmp_path):
    items = tmp_path / "offers.csv"
    no_database = (*HASTY, "-s", "SCOUT_DATABASE=", "-s", "SCOUT_FRONTIER=False")
    with serving(tiny_shop()) as shop:
        code, last, log = crawl("shop", "-a", f"url={shop.url}", "-O", str(items), settings=no_database)
    assert (code, last) == (0, f"scrapy crawl: done: {len(PRODUCTS)} rows in {items}"), log


def test_a_list_of_all_products_is_no_category_of_theirs(crawl, tmp_path):
    """It says nothing of a product; an empty category is better than a wrong one."""
    cards = "".join(f'<li><a href="/product/{n}"><img src="/{n}.jpg">{PRODUCTS[n][0]}</a></li>' for n in PRODUCTS)
    details = {path: page for path, page in tiny_shop().items() if path.startswith("/product/")}
    bare = {
        path: re.sub('<header>.*</header>|<ol class="breadcrumb">.*</ol>', "", html) for path, html in details.items()
    }
    front = "<html><body><h1>Tiny Shop</h1><a href='/all'>All Products</a></body></html>"
    lists = {"/robots.txt": "", "/": front, "/all": f"<html><body><h1>All Products</h1><ul>{cards}</ul></body></html>"}
    items = tmp_path / "offers.jsonl"
    with serving({**lists, **bare}) as shop:
        code, _, log = crawl("shop", "-a", f"url={shop.url}", "-o", str(items))
    assert code == 0, log
    offers = [json.loads(line) for line in items.read_text().splitlines()]
    assert len(offers) == len(PRODUCTS) and not any(offer.get("category") for offer in offers)


def test_the_front_page_is_fetched_once_also_where_the_address_ends_without_a_slash(crawl):
    front = page("Tiny Shop", '<p><a href="/">Welcome</a> to our little shop for the house.</p>')
    with serving({**tiny_shop(), "/": front}) as shop:
        code, _, log = crawl("shop", "-a", f"url={shop.url.rstrip('/')}")
    assert code == 0, log
    assert shop.asked.count("/") == 1


def test_a_crawl_that_goes_on_counts_what_it_has_found_before(crawl):
    with serving(tiny_shop()) as shop:
        crawl("shop", "-a", f"url={shop.url}", settings=(*HASTY, "-s", "CLOSESPIDER_ITEMCOUNT=4"))
        code, last, log = crawl("shop", "-a", f"url={shop.url}")
    assert code == 0, log
    assert last.startswith(f"scrapy crawl: done: {len(PRODUCTS)} offers of ")


def test_a_site_that_is_down_is_one_clear_line(crawl):
    with serving({}) as gone:
        url = gone.url
    code, last, log = crawl("shop", "-a", f"url={url}")
    assert code == 1
    assert last.startswith("scrapy crawl: failed: ") and url in last and "refused" in last.lower()
    assert "Traceback" not in log


def test_a_site_without_products_is_one_clear_line(crawl):
    with serving({"/robots.txt": "", "/": page("A diary", "<h1>My diary</h1><p>It rained today.</p>")}) as site:
        code, last, log = crawl("shop", "-a", f"url={site.url}")
    assert code == 1
    assert last.startswith("scrapy crawl: failed: ") and "Is it a shop?" in last
    assert "Traceback" not in log


def test_a_shop_none_of_whose_products_gives_an_offer_is_one_clear_line(crawl):
    """Products without a name, say because a script would write it, were a crawl that is done, with nothing to show for it."""
    cards = "".join(f'<li><a href="/p/{n}"><img src="/{n}.jpg"></a><b>$ {n}.50</b></li>' for n in range(1, 6))
    nameless = "<html><body><p>$ 3.50</p><button>Add to cart</button></body></html>"
    pages = {"/robots.txt": "", "/": page("Shop", f"<ul>{cards}</ul>"), **{f"/p/{n}": nameless for n in range(1, 6)}}
    with serving(pages) as site:
        code, last, log = crawl("shop", "-a", f"url={site.url}")
    assert code == 1, log
    assert last.startswith("scrapy crawl: failed: No offer of 5 products") and "5 × NoTitle" in last
    assert f"scout explain {site.url}p/1" in last


def test_a_site_that_redirects_elsewhere_is_one_clear_line(crawl):
    with serving(tiny_shop()) as other:
        elsewhere = other.url.replace("127.0.0.1", "localhost")
        with serving({"/robots.txt": "", "/": Answer(status=301, headers={"Location": elsewhere})}) as site:
            allowed = (*HASTY, "-s", f"SCOUT_ALLOWED_TARGETS={elsewhere}")
            code, last, log = crawl("shop", "-a", f"url={site.url}", settings=allowed)
    assert code == 1
    assert last.startswith("scrapy crawl: failed: ") and elsewhere in last
    assert "Traceback" not in log


def test_a_site_that_forbids_everything_is_one_clear_line(crawl):
    with serving({**tiny_shop(), "/robots.txt": "User-agent: *\nDisallow: /\n"}) as shop:
        code, last, _ = crawl("shop", "-a", f"url={shop.url}")
    assert code == 1
    assert "robots.txt" in last
    assert shop.asked == ["/robots.txt"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("shop",), "-a url="),
        (("shop", "-a", "urll=http://shop.example"), "There are: url, shop"),
        (("shop", "-a", "url=http://shop.example", "-a", "crawl=99"), "has no crawl 99"),
        (("nosuch",), "there is no spider 'nosuch'"),
        (("shop", "offers"), "more than one spider"),
    ],
)
def test_a_mistake_of_the_user_is_exit_code_2_and_one_line(crawl, arguments, said):
    code, last, log = crawl(*arguments)
    assert code == 2
    assert said in last
    assert "Traceback" not in log


def test_arguments_of_scrapyd_are_no_mistake(crawl):
    with serving({"/robots.txt": "", "/": Answer("gone", 410)}) as site:
        code, last, _ = crawl("shop", "-a", f"url={site.url}", "-a", "_job=1f2e")
    assert code == 1
    assert "410" in last
