"""What docs/subclassing.md shows works: its spider is taken out of the page and run."""

from __future__ import annotations

import json
import re

from tests.crawl.commands import HASTY, ROOT, scrapy
from tests.crawl.serving import serving
from tests.crawl.tiny_shop import PRODUCTS, detail, page, tiny_shop

OUTLET = {
    "/outlet": page(
        "Outlet", "<h1>Outlet</h1><p><a href='/product/99'>One more lamp</a> <a href='/blog/1'>Blog</a></p>"
    ),
    "/product/99": detail(3)
    .replace("Ash Stool No. 3", "Last Lamp")
    .replace("TS-0003", "TS-0099")
    .replace("<h1>", "<h1 data-warehouse='North 7'>"),
}


def test_the_documented_spider_takes_its_own_decisions(tmp_path):
    code = re.search(r"```python\n(.*?)```", (ROOT / "docs/subclassing.md").read_text(encoding="utf-8"), re.DOTALL)
    (tmp_path / "own_spiders.py").write_text(code[1], encoding="utf-8")
    (tmp_path / "scrapy.cfg").write_text("[settings]\ndefault = own_settings\n", encoding="utf-8")
    settings = "SPIDER_MODULES = ['own_spiders']\nADDONS = {'scout.Addon': 500}\nSCOUT_RENDER = 'never'\n"
    (tmp_path / "own_settings.py").write_text(settings, encoding="utf-8")
    with serving({**tiny_shop(), **OUTLET}) as shop:
        done = scrapy("crawl", "outlet", "-a", f"url={shop.url}", "-O", "offers.jsonl", *HASTY, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    offers = [json.loads(line) for line in (tmp_path / "offers.jsonl").read_text(encoding="utf-8").splitlines()]
    assert len(offers) == len(PRODUCTS) + 1
    assert next(offer for offer in offers if offer["title"] == "Last Lamp")["warehouse"] == "North 7"
    assert "/blog/1" not in shop.asked
