"""Facets that were kept back for later are not lost with the worker that kept them back."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.crawl.serving import Answer, serving
from tests.crawl.tiny_shop import detail, listing, tiny_shop
from tests.reliability.killing import Crawling, states, stored

LONGEST = 120
FACET = "/lamps?colour=green"


def faceted_shop() -> dict[str, str | Answer]:
    """The tiny shop; one of its lamps is linked from a facet only."""
    shop = tiny_shop()
    colours = "".join(
        f'<li><a href="/lamps?colour={name}">{name.title()}</a></li>' for name in ("red", "green", "blue")
    )
    facets = f'<aside class="filter"><h4>Colour</h4><ul>{colours}</ul></aside>'
    shop["/lamps"] = str(shop["/lamps"]).replace("<h1>", f"{facets}<h1>", 1)
    hidden = detail(10).replace("Reading Light No. 10", "Hidden Lamp No. 11").replace("TS-0010", "TS-0011")
    shop["/product/11"] = hidden.replace("/img/10.jpg", "/img/11.jpg").replace("71.50", "77.50")
    green = listing("lamps", [6, 10], "").replace("/product/10", "/product/11").replace("Reading Light", "Hidden Lamp")
    shop |= {
        "/lamps?colour=red": listing("lamps", [7], ""),
        FACET: green,
        "/lamps?colour=blue": listing("lamps", [8], ""),
    }
    return shop


@pytest.mark.timeout(300)
def test_a_facet_that_was_kept_back_before_a_kill_is_tried_after_it(tmp_path: Path) -> None:
    table, database = faceted_shop(), f"sqlite:///{tmp_path}/scout.db"
    slow = {**table, "/product/1": Answer(str(table["/product/1"]), delay=LONGEST)}
    with serving(slow) as server:
        crawling = Crawling(server.url, database, tmp_path)
        crawling.wait_until(lambda: bool(states(database).get("kept")) and "/product/1" in server.asked)
        time.sleep(1.0)
        crawling.kill()
        assert FACET not in server.asked, "facets come last"
        server.table = table
        before = len(server.asked)
        crawling = Crawling(server.url, database, tmp_path)
        assert crawling.ended(LONGEST) == 0, crawling.said()
        assert FACET in server.asked[before:] and "/lamps" not in server.asked[before:], "only the frontier knew it"
        assert f"{server.url}product/11" in stored(database)
