"""Forms without a provider's word, over HTTP: each kind with 5,200 rows, detail pages, a POST."""

from collections import Counter

import pytest

from scout.offer import Offer
from scout.store import Store
from tests.crawl.commands import HASTY, scrapy
from tests.shops.provider import BRANDS, ROWS, build, minimal, providing
from tests.spiders.forms_crawls import crawled

ASKED = ("radio", "checkbox", "paged", "text")  # the others are in tests/spiders/test_forms.py


@pytest.fixture(scope="module")
def database(tmp_path_factory):
    path = tmp_path_factory.mktemp("provider") / "shop.db"
    build(path)
    return path


@pytest.mark.long
@pytest.mark.parametrize("kind", ASKED)
def test_each_kind_of_form_is_found_without_a_word(database, kind):
    with providing(database) as provider:
        (found,) = crawled(f"{provider.url}/none/{kind}")
        asked = sum("/answer" in path for _, path in provider.asked)
    print(f"{kind}: {len(found.offers) / ROWS:.1%} with {asked} requests")
    assert len(found.offers) >= 0.95 * ROWS
    assert asked <= 3 * minimal(database, kind)


@pytest.mark.long
def test_a_search_for_words_that_is_cut_off_is_found_with_three_times_the_pages_there_are(database, tmp_path):
    """104 answers of 50 would hold all rows: that is the minimum here, although nobody knows 104 queries that have no offer twice."""
    known = f"sqlite:///{tmp_path}/scout.db"
    with Store.open(known) as store:
        store.save_offers("other", [Offer(url="http://other.example/1", title="A red lamp", brand="Norlund")])
    budget = 3 * minimal(database, "cutwords")
    settings = {"SCOUT_DATABASE": known, "SCOUT_FRONTIER": False, "SCOUT_FORMS_MAX_QUERIES": budget}
    with providing(database) as provider:
        (found,) = crawled(f"{provider.url}/none/cutwords", **settings)
        asked = sum("/answer" in path for _, path in provider.asked)
    print(f"{len(found.offers) / ROWS:.1%} with {asked} requests")
    assert len(found.offers) >= 0.95 * ROWS
    assert asked <= budget


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
