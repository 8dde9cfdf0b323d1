"""Forms without a provider's word, over HTTP: each kind with 5,200 rows, detail pages, a POST."""

import math
import sqlite3
from collections import Counter
from itertools import product

import pytest

from scout.offer import Offer
from scout.store import Store
from tests.crawl.commands import HASTY, scrapy
from tests.shops.provider import A_PAGE, BRANDS, CATEGORIES, CONDITIONS, CUT, ROWS, build, providing
from tests.shops.provider_catalogues import fewest_queries
from tests.spiders.forms_crawls import crawled

# kind -> the columns that a complete set of queries asks about, and their domains
ASKED = {
    "radio": [("condition", CONDITIONS)],
    "checkbox": [("condition", CONDITIONS)],
    "paged": [("category", CATEGORIES)],
    "text": [("substr(title, 1, 1)", "ABCDEFGHIJKL")],
}


@pytest.fixture(scope="module")
def database(tmp_path_factory):
    path = tmp_path_factory.mktemp("provider") / "shop.db"
    build(path)
    return path


def minimal(database, kind):
    columns, domains = zip(*ASKED[kind], strict=True)
    connection = sqlite3.connect(database)
    counts = Counter(connection.execute(f"SELECT {', '.join(columns)} FROM offers").fetchall())
    connection.close()
    return sum(max(1, math.ceil(counts[values] / A_PAGE)) for values in product(*domains))


@pytest.mark.long
@pytest.mark.parametrize("kind", ASKED)
def test_each_kind_of_form_is_found_without_a_word(database, kind):
    with providing(database) as provider:
        (found,) = crawled(f"{provider.url}/none/{kind}")
        asked = sum("/answer" in path for _, path in provider.asked)
    assert len(found.offers) >= 0.95 * ROWS
    assert asked <= 3 * minimal(database, kind)


@pytest.mark.long
def test_a_search_for_words_that_is_cut_off_is_found(database, tmp_path):
    known = f"sqlite:///{tmp_path}/scout.db"
    with Store.open(known) as store:
        store.save_offers("other", [Offer(url="http://other.example/1", title="A red lamp", brand="Norlund")])
    with providing(database) as provider:
        (found,) = crawled(f"{provider.url}/none/cutwords", SCOUT_DATABASE=known, SCOUT_FRONTIER=False)
        asked = sum("/answer" in path for _, path in provider.asked)
    connection = sqlite3.connect(database)
    titles = [title for (title,) in connection.execute("SELECT title FROM offers ORDER BY id")]
    connection.close()
    assert len(found.offers) >= 0.95 * ROWS
    assert asked <= 3 * fewest_queries(titles, CUT, len(found.offers) / ROWS)


def test_a_form_that_is_sent_by_post_is_refused_without_the_providers_word(database):
    with providing(database) as provider:
        (found,) = crawled(f"{provider.url}/none/post")
        asked = [path for _, path in provider.asked]
    assert found.stats["scout/exit_code"] == 1 and "POST" in found.reason
    assert asked == ["/none/post"]


def test_details_fetch_the_page_of_every_offer(tmp_path):
    build(tmp_path / "shop.db", 60)
    stored = f"sqlite:///{tmp_path}/scout.db"
    with providing(tmp_path / "shop.db") as provider:
        arguments = ("-a", f"url={provider.url}/none/radio", "-a", "shop=house", "-a", "details=1", *HASTY)
        done = scrapy("crawl", "forms", *arguments, "-s", f"SCOUT_DATABASE={stored}", "-s", "SCOUT_RENDER=never")
        fetched = Counter(path for _, path in provider.asked if path.startswith("/item/"))
    assert done.returncode == 0, done.stderr
    with Store.open(stored) as store:
        offers = list(store.offers("house"))
    assert len(fetched) == 60 and set(fetched.values()) == {1}
    assert len(offers) == 60
    assert all(offer["brand"] in BRANDS and offer["sku"].startswith("S-") for offer in offers)
