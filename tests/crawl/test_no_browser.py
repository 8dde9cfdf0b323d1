"""A shop that its pages only build in a browser, crawled on a machine without one: the last line says what is missing."""

from __future__ import annotations

from pathlib import Path

from tests.crawl.commands import HASTY, scrapy
from tests.shops.rendered import rendered_shop


def test_where_no_product_is_found_for_want_of_a_browser_the_user_is_told_so_and_how_to_get_one(tmp_path: Path) -> None:
    own = {"SCOUT_DATABASE": f"sqlite:///{tmp_path}/scout.db", "SCOUT_RULES_DIR": tmp_path, "SCOUT_BROWSER": "/nowhere"}
    settings = [part for name, value in own.items() for part in ("-s", f"{name}={value}")]
    with rendered_shop("spa") as shop:
        done = scrapy("crawl", "shop", "-a", f"url={shop.url}", *HASTY, *settings)
    last = done.stderr.strip().splitlines()[-1]
    assert done.returncode == 1 and last.startswith("scrapy crawl: failed: No product found")
    assert "need a browser" in last and "`make browser` installs one" in last and "Is it a shop?" not in last
