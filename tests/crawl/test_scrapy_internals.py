"""What scout.crawl.scrapy_internals takes for granted about Scrapy: this fails when a new Scrapy is built otherwise."""

import inspect
import re
from pathlib import Path
from types import SimpleNamespace

import pytest
import scrapy
from scrapy.core.downloader import Downloader, Slot
from scrapy.core.downloader.handlers.http11 import HTTP11DownloadHandler
from scrapy.core.engine import ExecutionEngine, _Slot
from scrapy.core.scraper import Scraper
from scrapy.crawler import CrawlerProcess
from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware
from scrapy.extensions.feedexport import FeedExporter, FeedSlot
from scrapy.utils.reactor import CallLaterOnce
from twisted.internet.endpoints import HostnameEndpoint, _WrapperEndpoint
from twisted.web.client import HTTPConnectionPool

from scout.crawl.scrapy_internals import KNOWN_SCRAPY, ScrapyChanged, download_slots

ROOT = Path(__file__).parents[2]
SET_IN_INIT = {  # class -> the attributes that it makes
    ExecutionEngine: {"_slot", "scraper", "downloader"},
    _Slot: {"closing", "nextcall"},
    Downloader: {"slots"},
    HTTP11DownloadHandler: {"_pool"},
    RobotsTxtMiddleware: {"crawler", "_stats", "_parserimpl"},
    FeedExporter: {"slots", "feeds"},
    FeedSlot: {"file", "itemcount", "storage", "store_empty", "batch_id", "uri", "feed_options"},
    HostnameEndpoint: {"_reactor"},
    _WrapperEndpoint: {"_wrappedEndpoint"},
}
PARAMETERS = {  # method -> how it is called
    Scraper.enqueue_scrape: ["self", "result", "request"],
    RobotsTxtMiddleware.robot_parser: ["self", "request"],
    FeedExporter.item_scraped: ["self", "item", "spider"],
    FeedExporter._close_slot: ["self", "slot", "spider"],
    CrawlerProcess._log_shutdown: ["signum"],  # static, called by their process as their own
    CrawlerProcess._log_kill: ["signum"],
    HostnameEndpoint._getNameResolverAndMaybeWarn: ["self", "reactor"],
    HTTPConnectionPool.getConnection: ["self", "key", "endpoint"],
    CallLaterOnce.schedule: ["self", "delay"],
}
PRIVATE = re.compile(
    r"\b(engine|crawler|scraper|slot|downloader|handler)\._[a-z]|\.scraper\b|(?<!core)\.downloader\.|\.lastseen"
)


def test_it_is_the_scrapy_that_was_tested():
    assert scrapy.__version__.startswith(f"{KNOWN_SCRAPY}.")


@pytest.mark.parametrize("owner", SET_IN_INIT, ids=lambda owner: owner.__name__)
def test_the_attributes_are_there(owner):
    made = set(re.findall(r"self\.(\w+)\b[^=\n]*=", inspect.getsource(owner)))
    assert made >= SET_IN_INIT[owner]


@pytest.mark.parametrize("method", PARAMETERS, ids=lambda method: method.__qualname__)
def test_the_methods_are_called_the_same_way(method):
    assert list(inspect.signature(method).parameters) == PARAMETERS[method]


def test_a_slots_delay_counts_from_when_it_was_last_used():
    source = inspect.getsource(Downloader)
    assert "penalty = delay - now + slot.lastseen" in source
    assert {"delay", "jitter", "lastseen"} <= set(Slot.__slots__)


def test_a_scrapy_without_them_is_refused_with_a_sentence():
    with pytest.raises(ScrapyChanged, match=r"has no SimpleNamespace\.slots: use Scrapy"):
        download_slots(SimpleNamespace(engine=SimpleNamespace(downloader=SimpleNamespace())))


def test_no_other_file_touches_them():
    files = [path for path in (ROOT / "scout").rglob("*.py") if path.name != "scrapy_internals.py"]
    touched = [path.name for path in files if PRIVATE.search(path.read_text(encoding="utf-8"))]
    assert touched == []
