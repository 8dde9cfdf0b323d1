"""The shop spider against shops on loopback: what it finds, what it leaves alone, and what it remembers."""

from __future__ import annotations

import json
import re
import threading
from collections import Counter
from pathlib import Path

import pytest

from scout.store import Store
from tests.crawl.commands import HASTY, ROOT, scrapy
from tests.crawl.serving import Answer, serving
from tests.crawl.tiny_shop import PRODUCTS, tiny_shop
from tests.shops.tricky import NUMBERS, ON_REQUEST, ORPHANS, TrickyShop, price_of


def crawl(folder: Path, *arguments: str) -> tuple[list[dict], str]:
    """The offers of a crawl with database and rules of its own, and its log."""
    out = folder / "offers.jsonl"
    settings = (f"SCOUT_DATABASE=sqlite:///{folder}/scout.db", f"SCOUT_RULES_DIR={folder}/rules", "SCOUT_RENDER=never")
    given = [part for setting in settings for part in ("-s", setting)]
    done = scrapy("crawl", "shop", *arguments, "-O", str(out), *HASTY, *given, cwd=ROOT)
    assert "Traceback" not in done.stderr, done.stderr
    return [json.loads(line) for line in out.read_text().splitlines()], done.stderr


@pytest.fixture(scope="module")
def tricky(tmp_path_factory):
    """One crawl of the tricky shop: what it was asked for, what came out, what was said."""
    shop = TrickyShop()
    thread = threading.Thread(target=shop.httpd.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        folder = tmp_path_factory.mktemp("tricky")
        offers, log = crawl(folder, "-a", f"url={shop.url}", "-a", "discover=walk,sitemap")
        yield shop, offers, log, folder
    finally:
        shop.httpd.shutdown()
        shop.httpd.server_close()
        thread.join()


def numbers_of(offers):
    return Counter(offer["url"].rpartition("/")[2] for offer in offers)


def test_every_product_comes_out_once_though_some_have_two_addresses(tricky):
    _, offers, _, _ = tricky
    assert numbers_of(offers) == Counter([*NUMBERS, *ORPHANS])


def test_a_product_without_price_and_button_is_told_by_its_template_and_gets_no_price(tricky):
    _, offers, _, _ = tricky
    on_request = next(offer for offer in offers if offer["url"].endswith(ON_REQUEST))
    assert "price" not in on_request
    assert all(o["price"] == price_of(o["url"].rpartition("/")[2]) for o in offers if o is not on_request)


def test_carts_logins_wish_lists_and_endless_paths_are_not_requested(tricky):
    shop, _, _, _ = tricky
    asked = " ".join(shop.asked)
    assert not any(word in asked for word in ("/cart", "/account", "/wishlist"))
    assert "/loop/loop/loop" not in asked and "/2031/" not in asked


def test_facets_and_pages_beyond_the_last_are_bounded(tricky):
    shop, _, _, _ = tricky
    facets = [path for path in shop.asked if "colour=" in path or "size=" in path or "sort=" in path]
    pages = [path for path in shop.asked if path.startswith("/c/") and "page=" in path]
    assert len(facets) <= 12
    assert len(pages) <= 12
    assert max(Counter(shop.asked).values()) == 1 or Counter(shop.asked).most_common(1)[0][0] == "/robots.txt"


def test_offers_know_their_category(tricky):
    _, offers, _, _ = tricky
    lamp = next(offer for offer in offers if offer["url"].endswith("lamps-12"))
    assert lamp["category"] == "Lamps"


def test_the_crawl_ends_with_a_statement_of_completeness(tricky):
    _, _, log, _ = tricky
    every = len(NUMBERS) + len(ORPHANS)
    assert f"{every} products found; complete: all " in log


def test_what_was_found_out_is_kept_and_used_by_the_next_crawl(tricky):
    shop, _, _, folder = tricky
    rules = next((folder / "rules").glob("*.yaml")).read_text()
    assert "lists:" in rules and "templates:" in rules
    again, log = crawl(folder, "-a", f"url={shop.url}")
    assert "scout/walk/rules/stored" in log
    assert numbers_of(again) == Counter(NUMBERS)


def test_a_shop_with_fewer_products_than_the_sample_gives_all_of_them(tmp_path):
    with serving(tiny_shop()) as shop:
        offers, _ = crawl(tmp_path, "-a", f"url={shop.url}")
    assert {offer["title"] for offer in offers} == {title for title, _, _ in PRODUCTS.values()}


def test_a_product_page_given_as_the_shop_is_crawled_from_there(tmp_path):
    with serving(tiny_shop()) as shop:
        offers, _ = crawl(tmp_path, "-a", f"url={shop.url}product/3")
    assert len(offers) == len(PRODUCTS)


def test_a_shop_named_without_a_scheme_is_remembered_by_the_one_that_answers(tmp_path):
    with serving(tiny_shop()) as shop:
        offers, _ = crawl(tmp_path, "-a", f"url=127.0.0.1:{shop.port}", "-a", "shop=tiny")
    assert len(offers) == len(PRODUCTS)
    with Store.open(f"sqlite:///{tmp_path}/scout.db") as store:
        assert store.shop("tiny").url == shop.url


def test_a_shop_without_an_address_is_crawled_where_its_known_offers_are(tmp_path):
    with serving(tiny_shop()) as shop:
        with Store.open(f"sqlite:///{tmp_path}/scout.db") as store:
            store.import_catalogue("tiny", [{"url": f"{shop.url}product/{n}?utm_source=x"} for n in (1, 2)])
        offers, _ = crawl(tmp_path, "-a", "shop=tiny")
    assert len(offers) == len(PRODUCTS)


def test_a_category_is_all_that_is_crawled_where_only_a_part_is_wanted(tmp_path):
    shop_pages = tiny_shop()
    with serving(shop_pages) as shop:
        whole, _ = crawl(tmp_path, "-a", f"url={shop.url}", "-a", "shop=tiny")
        del shop.asked[:]
        chairs, _ = crawl(tmp_path, "-a", f"url={shop.url}chairs", "-a", "part=1", "-a", "shop=tiny")
    assert len(whole) == len(PRODUCTS)
    assert {offer["title"] for offer in chairs} == {title for title, _, name in PRODUCTS.values() if name == "chairs"}
    assert not [path for path in shop.asked if path.startswith("/lamps") or path == "/"]
    listed = scrapy("crawls", "tiny", "--json", "-s", f"SCOUT_DATABASE=sqlite:///{tmp_path}/scout.db")
    part, shop_crawl = json.loads(listed.stdout)
    assert (part["scope"], part["state"], part["offers"], part["gone"]) == ("part", "complete", 5, 0)
    assert (shop_crawl["scope"], shop_crawl["state"]) == ("shop", "complete")
    with Store.open(f"sqlite:///{tmp_path}/scout.db") as store:
        assert {offer.state for offer in store.offers("tiny", gone=True)} == {"current"}, "what is outside is not gone"


def test_max_pages_ends_the_crawl_and_lets_out_what_was_found(tmp_path):
    with serving(tiny_shop()) as shop:
        offers, _ = crawl(tmp_path, "-a", f"url={shop.url}", "-a", "max_pages=6")
    assert 0 < len(offers) < len(PRODUCTS)


@pytest.fixture
def taught(tmp_path):
    """The tiny shop with a catalogue that has a field of the user's own, and what its first crawl said."""
    with serving(tiny_shop()) as shop:
        rows = [
            {"url": f"{shop.url}product/{number}", "title": title, "price": price, "article": f"TS-{number:04d}"}
            for number, (title, price, _) in PRODUCTS.items()
            if number % 2
        ]
        with Store.open(f"sqlite:///{tmp_path}/scout.db") as store:
            store.add_shop("tiny", shop.url)
            store.import_catalogue("tiny", rows)
        yield shop, *crawl(tmp_path, "-a", "shop=tiny")


def test_a_shop_with_known_offers_and_no_rules_learns_first(taught):
    _, offers, log = taught
    assert "scout/walk/rules/learned" in log
    assert {offer["title"] for offer in offers} == {title for title, _, _ in PRODUCTS.values()}
    assert {offer.get("article") for offer in offers} == {f"TS-{number:04d}" for number in PRODUCTS}
    assert {offer["shop"] for offer in offers} == {"tiny"}


def test_a_crawl_after_a_redesign_heals_its_rules_by_the_offers_of_the_last_one(taught, tmp_path):
    shop, _, _ = taught
    shop.table = {path: redesigned(answer) for path, answer in tiny_shop().items()}
    offers, log = crawl(tmp_path, "-a", "shop=tiny")
    assert "scout/walk/rules/healed" in log and "tiny has a new design" in log
    assert "'scout/heal/state': 'redesign'" in log and "'scout/heal/fields': {" in log
    assert {offer.get("article") for offer in offers} == {f"TS-{number:04d}" for number in PRODUCTS}


def redesigned(answer: str | Answer) -> str | Answer:
    """A page with the article number at another place, under no name that was there before."""
    if not isinstance(answer, str):
        return answer
    rows = r"<table><tr><th>Article number</th><td>(TS-\d+)</td></tr><tr><th>Brand</th><td>Tiny</td></tr></table>"
    return re.sub(rows, r"<div class=meta><i>\1</i></div>", answer)


def test_the_shop_s_own_counts_are_kept_by_category(tricky):
    _, _, _, folder = tricky
    with Store.open(f"sqlite:///{folder}/scout.db") as store:
        first = store.crawls(store.shops()[0].name)[-1]
    assert first.stats["scout/walk/categories"]["Lamps"] == {
        "crawled": 20,
        "seen": 20,
        "stated": 20,
        "unread": 0,
        "complete": 1,
    }
