"""Five traps without an end cost a crawl a bounded number of requests, and none of its products."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from tests.crawl.serving import serving
from tests.reliability.killing import Crawling, stored
from tests.shops.hostile.traps import Traps

LONGEST = 240


def test_two_hundred_products_beside_five_traps_are_found_for_three_times_the_minimal_fetches(tmp_path: Path) -> None:
    shop, database = Traps(200), f"sqlite:///{tmp_path}/scout.db"
    with serving(shop) as server:
        crawling = Crawling(server.url, database, tmp_path)
        assert crawling.ended(LONGEST) == 0, crawling.said()
    found = {url.partition("?")[0] for url in stored(database)}
    assert found == {f"{server.url}product/{number}" for number in range(1, 201)}
    kinds = Counter(path.strip("/").partition("/")[0].partition("?")[0] for path in server.asked)
    assert len(server.asked) <= 3 * shop.pages, kinds
    assert len(stored(database)) == 200, "no product twice, whatever its session"
