"""The add-on brings Scout into another Scrapy project, beside what the project has and below what it sets."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from scrapy.crawler import Crawler
from scrapy.settings import Settings
from scrapy.spiders import Spider

import scout
from tests.crawl.commands import HASTY, scrapy
from tests.crawl.serving import serving
from tests.crawl.tiny_shop import PRODUCTS, tiny_shop

FILES = {
    "scrapy.cfg": "[settings]\ndefault = other.settings\n",
    "other/__init__.py": "",
    "other/settings.py": """
BOT_NAME = "other"
SPIDER_MODULES = ["other.spiders"]
ADDONS = {"scout.Addon": 500}
ITEM_PIPELINES = {"other.pipelines.Own": 50}
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
import scrapy

class Plain(scrapy.Spider):
    name = "plain"

    def __init__(self, url, **kwargs):
        super().__init__(**kwargs)
        self.start_urls = [url]

    def parse(self, response):
        yield {"heading": response.css("h1::text").get()}
""",
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def test_the_projects_own_spider_works_as_before_and_is_guarded(project):
    with serving(tiny_shop()) as shop:
        done = scrapy("crawl", "plain", "-a", f"url={shop.url}product/1", "-O", "items.json", *HASTY, cwd=project)
    assert done.returncode == 0, done.stderr
    assert json.loads((project / "items.json").read_text()) == [{"heading": PRODUCTS[1][0], "own": True}]
    assert shop.agents == {f"Scout/{scout.__version__} (+crawler@other.example)"}
    assert "scout.middlewares.guard.GuardMiddleware" in done.stderr


def test_scouts_spiders_are_the_projects_too(project):
    with serving(tiny_shop()) as shop:
        done = scrapy("crawl", "shop", "-a", f"url={shop.url}", "-O", "offers.json", *HASTY, cwd=project)
    assert done.returncode == 0, done.stderr
    assert len(json.loads((project / "offers.json").read_text())) == len(PRODUCTS)
    assert (project / "other.db").exists()


def crawler(**settings) -> Crawler:
    made = Crawler(Spider, Settings({"ADDONS": {"scout.Addon": 500}, **settings}))
    made.addons.load_settings(made.settings)
    return made


def test_what_the_project_sets_wins():
    settings = crawler(DOWNLOAD_DELAY=7, USER_AGENT="Mine/1.0").settings
    assert (settings.getint("DOWNLOAD_DELAY"), settings["USER_AGENT"]) == (7, "Mine/1.0")
    assert settings.getbool("DOWNLOAD_VERIFY_CERTIFICATES")


def test_a_component_that_the_project_turns_off_stays_off():
    settings = crawler(ITEM_PIPELINES={"scout.pipelines.persist.PersistPipeline": None}).settings
    assert settings["ITEM_PIPELINES"]["scout.pipelines.persist.PersistPipeline"] is None
    assert settings["ITEM_PIPELINES"]["scout.pipelines.extract.ExtractPipeline"]


def test_importing_scout_does_not_import_scrapy():
    code = "import scout, sys; sys.exit('scrapy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
