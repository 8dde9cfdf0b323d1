"""The add-on makes Scout's spiders known to another Scrapy project; no other spider of it notices."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from scrapy import Spider
from scrapy.crawler import Crawler
from scrapy.settings import Settings

import scout
from scout.spiders import ScoutSpider
from scout.spiders.forms import FormsSpider
from scout.spiders.shop import ShopSpider
from tests.crawl.commands import HASTY, scrapy
from tests.crawl.serving import serving
from tests.crawl.tiny_shop import PRODUCTS, tiny_shop

ADDON = 'ADDONS = {"scout.Addon": 500}\n'
FILES = {
    "scrapy.cfg": "[settings]\ndefault = other.settings\n",
    "other/__init__.py": "",
    "other/settings.py": """
BOT_NAME = "other"
SPIDER_MODULES = ["other.spiders"]
ITEM_PIPELINES = {"other.pipelines.Own": 50}
FEEDS = {"items.jsonl": {"format": "jsonlines"}, "items.csv": {"format": "csv"}}
SCOUT_CONTACT = "crawler@other.example"
SCOUT_DATABASE = "sqlite:///other.db"
SCOUT_RENDER = "never"
""",
    "other/pipelines.py": """
class Own:
    def process_item(self, item):
        if isinstance(item, dict) and "heading" in item:
            item["own"] = True
        return item
""",
    "other/spiders/__init__.py": "",
    "other/spiders/plain.py": """
import json
from pathlib import Path

import scrapy

class Plain(scrapy.Spider):
    name = "plain"

    def __init__(self, url, **kwargs):
        super().__init__(**kwargs)
        self.url = url

    async def start(self):  # none of these addresses is named to Scout's guard, one would be cleaned by it
        for page in ("product/1?utm_source=mail", "product/2", "product/999"):
            yield scrapy.Request(self.url + page, headers={"X-Own": "yes"})

    def parse(self, response):
        yield {"heading": response.css("h1::text").get(), "formula": "=1+1 \u00f6"}

    def closed(self, reason):
        Path("settings.json").write_text(json.dumps(self.settings.copy_to_dict(), default=str))
""",
}
CHANGED = {"ADDONS", "SPIDER_MODULES"}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return made_project(tmp_path, ADDON)


def made_project(folder: Path, more: str) -> Path:
    for name, text in FILES.items():
        (folder / name).parent.mkdir(exist_ok=True, parents=True)
        (folder / name).write_text(text + (more if name == "other/settings.py" else ""))
    return folder


def foreign_crawl(folder: Path, more: str) -> dict[str, Any]:
    """What a crawl of a spider that knows nothing of Scout does and leaves behind."""
    made_project(folder, more)
    with serving(tiny_shop()) as shop:
        done = scrapy("crawl", "plain", "-a", f"url={shop.url}", cwd=folder)
    assert done.returncode == 0, done.stderr
    files = sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if "__pycache__" not in path.parts)
    requests = sorted(zip(shop.asked, (heard.replace(str(shop.port), "") for heard in shop.heard), strict=True))
    items = {name: sorted((folder / name).read_text().splitlines()) for name in ("items.jsonl", "items.csv")}
    settings = json.loads((folder / "settings.json").read_text())
    mentions = [line for line in done.stderr.splitlines() if "scout" in line.lower()]
    return {"files": files, "requests": requests, "items": items, "settings": settings, "mentions": mentions}


@pytest.fixture(scope="module")
def without_and_with_scout(tmp_path_factory) -> tuple[dict[str, Any], dict[str, Any]]:
    plain = foreign_crawl(tmp_path_factory.mktemp("without"), "")
    return plain, foreign_crawl(tmp_path_factory.mktemp("with"), ADDON)


@pytest.mark.parametrize("what", ["files", "requests", "items"])
def test_a_foreign_spider_asks_and_writes_the_same_with_the_add_on(without_and_with_scout, what):
    plain, guest = without_and_with_scout
    assert guest[what] == plain[what]
    assert len(plain["requests"]) == 3


def test_a_foreign_spider_has_the_same_settings_with_the_add_on(without_and_with_scout):
    plain, guest = (crawl["settings"] for crawl in without_and_with_scout)
    differing = {name for name in plain | guest if plain.get(name) != guest.get(name)}
    assert differing == CHANGED


def test_the_log_of_a_foreign_crawl_names_the_add_on_and_nothing_else_of_scout(without_and_with_scout):
    plain, guest = (crawl["mentions"] for crawl in without_and_with_scout)
    added = [
        line for line in guest if "SCOUT_" not in line and "scout.Addon" not in line and "scout.spiders" not in line
    ]
    assert len(added) <= len(plain) + 1 and all("addon" in line.lower() for line in added)


def test_scouts_spiders_are_the_projects_too(project):
    with serving(tiny_shop()) as shop:
        done = scrapy("crawl", "shop", "-a", f"url={shop.url}", "-O", "offers.json", *HASTY, cwd=project)
    assert done.returncode == 0, done.stderr
    assert len(json.loads((project / "offers.json").read_text())) == len(PRODUCTS)
    assert (project / "other.db").exists()
    assert shop.agents == {f"Scout/{scout.__version__} (+crawler@other.example)"}
    assert "scout.middlewares.guard.GuardMiddleware" in done.stderr


def settings_of(spider: type[Spider], **settings: Any) -> Settings:
    made = Crawler(spider, Settings({"ADDONS": {"scout.Addon": 500}, **settings}))
    made.addons.load_settings(made.settings)
    return made.settings


def test_what_the_project_sets_wins():
    settings = settings_of(ScoutSpider, DOWNLOAD_DELAY=7, USER_AGENT="Mine/1.0", CONCURRENT_ITEMS=3)
    assert (settings.getint("DOWNLOAD_DELAY"), settings["USER_AGENT"]) == (7, "Mine/1.0")
    assert settings.getbool("DOWNLOAD_VERIFY_CERTIFICATES")
    for spider in (ShopSpider, FormsSpider):
        assert settings_of(spider, CONCURRENT_ITEMS=3).getint("CONCURRENT_ITEMS") == 3


def test_a_component_that_the_project_turns_off_stays_off():
    settings = settings_of(ScoutSpider, ITEM_PIPELINES={"scout.pipelines.persist.PersistPipeline": None})
    assert settings["ITEM_PIPELINES"]["scout.pipelines.persist.PersistPipeline"] is None
    assert settings["ITEM_PIPELINES"]["scout.pipelines.offers.OfferPipeline"]


def test_what_a_spider_sets_for_itself_is_the_last_word():
    class Own(ScoutSpider):
        custom_settings = {"DOWNLOAD_DELAY": 9, "ITEM_PIPELINES": {}}

    settings = settings_of(Own, DOWNLOAD_DELAY=7)
    assert (settings.getint("DOWNLOAD_DELAY"), dict(settings["ITEM_PIPELINES"])) == (9, {})


def test_the_resolver_and_the_projects_name_stay_the_projects_own_for_scouts_spiders_too():
    settings, stock = settings_of(ScoutSpider, BOT_NAME="other"), Settings()
    assert settings["BOT_NAME"] == "other"
    assert settings["TWISTED_DNS_RESOLVER"] == stock["TWISTED_DNS_RESOLVER"]


def test_in_scouts_own_project_every_spider_works_as_scouts_do():
    settings = Settings({"SCOUT_CONTACT": "me@example.com"})
    settings.setmodule("scout.settings")
    made = Crawler(Spider, settings)
    made.addons.load_settings(made.settings)
    assert made.settings["USER_AGENT"].startswith(f"Scout/{scout.__version__}")


def test_a_form_has_more_items_at_once_than_a_page_in_scouts_own_project_too():
    settings = Settings()
    settings.setmodule("scout.settings")
    for spider, count in ((ShopSpider, 16), (FormsSpider, 100)):
        made = Crawler(spider, settings)
        made.addons.load_settings(made.settings)
        assert made.settings.getint("CONCURRENT_ITEMS") == count


def test_importing_scout_does_not_import_scrapy():
    code = "import scout, sys; sys.exit('scrapy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
