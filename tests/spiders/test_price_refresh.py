"""A refresh finds the prices that changed with a few requests, and never calls a price fresh that it has not seen."""

from __future__ import annotations

import json
from datetime import datetime, timedelta, timezone
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

from sqlalchemy import select, update

from scout.store import Store
from scout.store.models import StoredOffer
from tests.crawl.changing_shop import ChangingShop
from tests.crawl.commands import HASTY, scrapy
from tests.crawl.serving import Answer, Server, serving

PRODUCTS = 144


def settings(folder: Path) -> tuple[str, ...]:
    own = {"SCOUT_DATABASE": f"sqlite:///{folder}/scout.db", "SCOUT_RULES_DIR": f"{folder}/rules"}
    own |= {"SCOUT_RETRY_ROUNDS": "0", "SCOUT_KEEP_PAGES": "none"}
    return (*HASTY, *(part for name, value in own.items() for part in ("-s", f"{name}={value}")))


def crawl(server: Server, folder: Path, *more: str) -> CompletedProcess[str]:
    server.asked.clear()
    return scrapy("crawl", "shop", "-a", f"url={server.url}", "-a", "shop=s", *settings(folder), *more)


def refresh(server: Server, folder: Path, *more: str) -> CompletedProcess[str]:
    return crawl(server, folder, "-a", "refresh=prices", *more)


def prices(folder: Path) -> dict[int, tuple[str, datetime]]:
    with Store.open(f"sqlite:///{folder}/scout.db") as store, store.reading() as connection:
        query = select(StoredOffer.url, StoredOffer.price, StoredOffer.price_seen_at)
        rows = connection.execute(query).all()
    return {int(row.url.rpartition("/")[2]): (str(row.price), row.price_seen_at) for row in rows}


def age(folder: Path, days: float) -> None:
    """All that is stored was seen so many days ago."""
    then = datetime.now(timezone.utc) - timedelta(days=days)
    with Store.open(f"sqlite:///{folder}/scout.db") as store, store.writing() as connection:
        connection.execute(update(StoredOffer).values(price_seen_at=then, first_seen=then - timedelta(days=3)))


def last_crawl(folder: Path) -> dict[str, Any]:
    found = scrapy("crawls", "s", "--last", "1", "--json", *settings(folder))
    crawls: list[dict[str, Any]] = json.loads(found.stdout)
    return crawls[0]


def test_changed_prices_are_found_with_a_seventh_of_the_requests_and_unseen_ones_keep_their_age(tmp_path: Path) -> None:
    shop = ChangingShop(PRODUCTS)
    with serving(shop) as server:  # type: ignore[arg-type]
        assert crawl(server, tmp_path).returncode == 0
        whole = len(server.asked)
        age(tmp_path, 3)
        before = prices(tmp_path)
        changed = set(list(shop.cents)[::30])
        for number in changed:
            shop.cents[number] += 111
        done = refresh(server, tmp_path, "-L", "INFO")
        assert done.returncode == 0, done.stderr
        assert len(server.asked) <= 0.15 * whole, server.asked
        after = prices(tmp_path)
        assert {n for n in after if after[n][0] != before[n][0]} == changed
        assert all(after[n][0] == shop.price(n) for n in changed)
        assert all(seen > before[n][1] for n, (_, seen) in after.items()), "lists show all the others"
        said = last_crawl(tmp_path)
        assert (said["scope"], said["state"]) == ("prices", "complete")
        assert f"of {PRODUCTS} known prices" in done.stderr and "0.0 % are expected to be stale" in done.stderr
        with Store.open(f"sqlite:///{tmp_path}/scout.db") as store:
            assert {change.kind for change in store.changes("s")} == {"price"} and len(store.changes("s")) == len(
                changed
            )
            assert store.shop("s").offers == PRODUCTS, "nothing is gone because a refresh did not read it"

        shop.shows_prices = False  # now lists say nothing of prices, and the budget allows six lists and two pages
        age(tmp_path, 3)
        before = prices(tmp_path)
        done = refresh(server, tmp_path, "-s", f"SCOUT_REFRESH_BUDGET={len(server.asked) + 6 + 2}", "-L", "INFO")
        asked = {int(path.rpartition("/")[2]) for path in server.asked if path.startswith("/product/")}
        after = prices(tmp_path)
        assert len(asked) == 2 and asked < changed, "what changed before is likeliest to have changed again"
        assert {n for n in after if after[n][1] > before[n][1]} == asked, "no other price is fresh"
        assert " 0.0 % are expected to be stale" not in done.stderr and "3 requests were over the budget" in done.stderr


def test_a_refresh_tells_what_is_gone_and_fails_where_lists_are_not_what_they_were(tmp_path: Path) -> None:
    shop = ChangingShop(PRODUCTS)
    with serving(shop) as server:  # type: ignore[arg-type]
        none = refresh(server, tmp_path)
        assert none.returncode == 2 and "cannot be refreshed" in none.stderr
        assert crawl(server, tmp_path).returncode == 0
        shop.gone = {5, 77}
        assert refresh(server, tmp_path).returncode == 0
        with Store.open(f"sqlite:///{tmp_path}/scout.db") as store:
            assert store.shop("s").offers == PRODUCTS - 2, "the shop says so of both"
        empty = Answer("<html><body><main><h1>Category</h1><p>Nothing here today.</p></main></body></html>")
        shop.failing = {path: empty for path in server.asked if path.startswith("/category")}
        before = prices(tmp_path)
        broken = refresh(server, tmp_path)
        assert broken.returncode == 1 and "crawl the whole shop" in broken.stderr
        assert len(server.asked) < 20 and prices(tmp_path) == before


def test_known_addresses_are_read_again_and_no_others(tmp_path: Path) -> None:
    shop = ChangingShop(48)
    shop.gone = {48}
    with serving(shop) as server:  # type: ignore[arg-type]
        assert crawl(server, tmp_path).returncode == 0
        shop.gone, shop.cents[3] = {7}, 123_45
        assert crawl(server, tmp_path, "-a", "discover=known").returncode == 0
        asked = [path for path in server.asked if path.startswith("/product/")]
        assert sorted(asked) == sorted(f"/product/{n}" for n in range(1, 48))
        assert not [path for path in server.asked if path.startswith("/category")]
        said = last_crawl(tmp_path)
        assert (said["scope"], said["state"], said["account"]["gone"]) == ("known", "complete", 1)
        with Store.open(f"sqlite:///{tmp_path}/scout.db") as store:
            assert store.shop("s").offers == 46
    assert prices(tmp_path)[3][0] == "123.45"
