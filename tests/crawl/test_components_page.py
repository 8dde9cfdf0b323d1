"""What docs/components.md shows works: its projects are taken out of the page and run, and no component is left out."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from scout.rendering.browsers import find_browser
from tests.crawl.commands import ROOT, scrapy
from tests.crawl.serving import Server, serving
from tests.crawl.test_alone import COMPONENTS
from tests.crawl.tiny_shop import PRODUCTS, page, tiny_shop

TEXT = (ROOT / "docs/components.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n# (\S+)\n(.*?)```", TEXT, re.DOTALL)
EXAMPLES = {
    Path(spider).stem: (settings, code) for (_, settings), (spider, code) in zip(BLOCKS[::2], BLOCKS[1::2], strict=True)
}
BY_SCRIPT = page(
    "Shop",
    "<div id='app'></div><script>document.getElementById('app').innerHTML ="
    " '<h1>Oak Chair</h1><p class=price>€120.50</p><button>Add to basket</button>'</script>",
)


def run_example(name: str, folder: Path) -> tuple[list[dict[str, Any]], Server, str]:
    """The items of an example's crawl, the server that it asked, and its log."""
    settings, code = EXAMPLES[name]
    (folder / "scrapy.cfg").write_text("[settings]\ndefault = settings\n", encoding="utf-8")
    (folder / "settings.py").write_text(f"SPIDER_MODULES = ['spiders']\n{settings}", encoding="utf-8")
    (folder / "spiders.py").write_text(code, encoding="utf-8")
    with serving({**tiny_shop(), "/script/1": BY_SCRIPT}) as shop:
        done = scrapy("crawl", name, "-a", f"url={shop.url}", "-O", "items.jsonl", cwd=folder)
    assert done.returncode == 0 and "Traceback" not in done.stderr, done.stderr
    lines = (folder / "items.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines], shop, done.stderr


def test_the_url_cleaner_works_as_its_page_says(tmp_path):
    items, shop, _ = run_example("links", tmp_path)
    assert items == [{"url": f"{shop.url}product/1"}]
    assert shop.asked == ["/product/1"]


def test_the_extraction_pipeline_works_as_its_page_says(tmp_path):
    items, _, _ = run_example("products", tmp_path)
    found = {(item["title"], item["price"], item["currency"]) for item in items}
    assert found == {(title, price, "EUR") for title, price, _ in list(PRODUCTS.values())[:3]}


def test_render_detection_works_as_its_page_says(tmp_path):
    items, _, log = run_example("titles", tmp_path)
    if find_browser() is None:
        assert items == [{"title": None}] and "needs a browser" in log
    else:
        assert items == [{"title": "Oak Chair"}]


@pytest.mark.parametrize("component", COMPONENTS)
def test_every_component_is_on_the_page(component):
    assert component in TEXT
