"""A crawl that begins anew fetches only what has changed, and finds the same; a killed one does not fetch again what it has stored."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from sqlalchemy import select

from scout.store import Store
from scout.store.models import VisitedPage
from tests.crawl.commands import HASTY, scrapy
from tests.crawl.serving import Answer, Server, serving
from tests.crawl.tiny_shop import PRODUCTS, tiny_shop
from tests.reliability.killing import Crawling

HTML_PAGES = 1 + 4 + len(PRODUCTS)  # home, lists, products
DATE = "Mon, 02 Nov 2026 10:00:00 GMT"

NOT_KEPT = ("-s", "SCOUT_KEEP_PAGES=none")


def validated_shop() -> dict[str, str | Answer]:
    """The tiny shop with an ETag on every page; one page has a date only."""
    pages = {path: page for path, page in tiny_shop().items() if isinstance(page, str)}
    tagged = {path: Answer(page, headers={"ETag": f'"{_tag(page)}"'}) for path, page in pages.items()}
    return {**tiny_shop(), **tagged, "/product/4": Answer(pages["/product/4"], headers={"Last-Modified": DATE})}


def _tag(page: str) -> str:
    return hashlib.sha256(page.encode()).hexdigest()[:16]


class Shop:
    """Crawls of one shop into one database."""

    def __init__(self, server: Server, directory: Path) -> None:
        self.server, self.database = server, f"sqlite:///{directory}/scout.db"
        self.settings = ("-s", f"SCOUT_DATABASE={self.database}", "-s", f"SCOUT_RULES_DIR={directory}/rules")

    def crawl(self, *arguments: str) -> dict[str, int]:
        """Crawl; path -> status of each answer that this crawl got, robots.txt and the question for a manifest left out."""
        before = len(self.server.asked)
        keep = ("-s", "SCOUT_KEEP_PAGES=True")
        done = scrapy("crawl", "shop", "-a", f"url={self.server.url}", *HASTY, *self.settings, *keep, *arguments)
        assert done.returncode == 0, done.stderr
        answers = zip(self.server.asked[before:], self.server.statuses[before:], strict=True)
        return {path: status for path, status in answers if path not in ("/robots.txt", "/.well-known/ucp")}

    def offers(self) -> list[dict]:
        with Store.open(self.database) as store:
            return [{**offer} for offer in store.offers()]

    def last_seen(self) -> list:
        with Store.open(self.database) as store:
            return [offer.last_seen for offer in store.offers()]

    def stats(self) -> dict:
        with Store.open(self.database) as store:
            (status,) = store.shops()
            return dict(store.crawls(status.name)[0].stats)


def test_a_second_crawl_fetches_nothing_that_has_not_changed_and_finds_the_same(tmp_path: Path) -> None:
    with serving(validated_shop()) as server:
        shop = Shop(server, tmp_path)
        assert set(shop.crawl().values()) == {200}
        before, seen = shop.offers(), shop.last_seen()
        assert len(before) == len(PRODUCTS)
        answers = shop.crawl()
        assert set(answers.values()) == {304} and len(answers) == HTML_PAGES
        assert shop.offers() == before, "none is gone, none has changed"
        assert max(seen) < min(shop.last_seen())
        assert shop.stats()["scout/unchanged"] == HTML_PAGES
        assert shop.stats()["scout/walk/level/detail"] == len(PRODUCTS)


def test_what_has_changed_is_fetched_and_the_setting_turns_it_off(tmp_path: Path) -> None:
    table = validated_shop()
    with serving(table) as server:
        shop = Shop(server, tmp_path)
        shop.crawl()
        page = tiny_shop()["/product/3"]
        assert isinstance(page, str)
        dearer = page.replace("48.50", "52.00")
        table["/product/3"] = Answer(dearer, headers={"ETag": f'"{_tag(dearer)}"'})
        answers = shop.crawl()
        assert {path for path, status in answers.items() if status == 200} == {"/product/3"}
        assert {offer["price"] for offer in shop.offers() if offer["url"].endswith("/3")} == {"52.00"}
        assert set(shop.crawl("-s", "SCOUT_CONDITIONAL_REQUESTS=False").values()) == {200}


def test_pages_that_were_rejected_ask_not_to_be_kept_or_have_moved_are_fetched(tmp_path: Path) -> None:
    table = validated_shop()
    home = str(tiny_shop()["/"]).replace("<p>Welcome", '<p><a href="/gone">Sale</a> <a href="/hidden">New</a> Welcome')
    table["/"] = Answer(home, headers={"ETag": '"home"'})
    lost = "<html><head><title>Page not found</title></head><body><h1>404 - Page not found</h1></body></html>"
    table["/gone"] = Answer(lost, headers={"ETag": '"gone"'})
    hidden = str(tiny_shop()["/product/1"]).replace("No. 1", "No. 77")
    table["/hidden"] = Answer(hidden, headers={"ETag": '"hidden"', "X-Robots-Tag": "noindex"})
    with serving(table) as server:
        shop = Shop(server, tmp_path)
        shop.crawl()
        table["/product/9"] = Answer(status=302, headers={"Location": "/product/109"})
        moved = str(tiny_shop()["/product/9"]).replace("Pendant", "Pendulum")
        table["/product/109"] = Answer(moved, headers={"ETag": '"moved"'})
        again = shop.crawl()
    assert (again["/gone"], again["/hidden"], again["/product/1"]) == (200, 200, 304)
    assert (again["/product/9"], again["/product/109"]) == (302, 200), (
        "the conditions of one page are never sent to another"
    )


def texts(database: str) -> set[str]:
    with Store.open(database) as store, store.reading() as connection:
        query = select(VisitedPage.url).where(VisitedPage.body.is_not(None))
        return set(connection.execute(query).scalars())


@pytest.mark.timeout(300)
def test_a_crawl_that_is_killed_while_it_learns_reads_its_pages_from_the_store(tmp_path: Path) -> None:
    """The shop has known offers and no rules: pages that are fetched before the rules are learned wait in the database."""
    table, database = dict(tiny_shop()), f"sqlite:///{tmp_path}/scout.db"
    slow = Answer(str(table["/product/1"]), delay=60)
    with serving({**table, "/product/1": slow}) as server:
        with Store.open(database) as store:
            rows = [
                {"url": f"{server.url}product/{n}", "title": PRODUCTS[n][0], "price": PRODUCTS[n][1]}
                for n in (1, 2, 3, 4, 6)
            ]
            store.import_catalogue("tiny", rows)
        crawling = Crawling(
            server.url, database, tmp_path, "-a", "shop=tiny", *NOT_KEPT, "-s", "CONCURRENT_REQUESTS=16"
        )
        crawling.wait_until(lambda: sum("/product/" in url for url in texts(database)) >= 5)
        crawling.kill()
        waiting = texts(database)  # lists that look like products too
        assert sum("/product/" in url for url in waiting) >= 5, crawling.said()
        server.table = table
        server.asked.clear()
        crawling = Crawling(server.url, database, tmp_path, "-a", "shop=tiny", *NOT_KEPT)
        assert crawling.ended(120) == 0, crawling.said()
        fetched = {server.url.rstrip("/") + path for path in server.asked}
        assert not fetched & waiting, "they were stored"
    with Store.open(database) as store:
        assert len(list(store.offers("tiny"))) == len(PRODUCTS)
        stats = store.crawls("tiny")[0].stats
        assert stats["scout/walk/rules/learned"] == 1 and stats["scout/read_from_store"] == len(waiting)
    assert texts(database) == set(), "pages are not kept once they have been read"
