"""The collector is tuned while a spider runs, and only then."""

from __future__ import annotations

import gc
from argparse import ArgumentParser

import pytest
from scrapy import Spider
from scrapy.exceptions import NotConfigured
from scrapy.settings import Settings
from scrapy.utils.test import get_crawler

from scout.commands.crawl import Command
from scout.extensions.collector import CollectorExtension


def test_it_looks_less_often_while_a_spider_runs_and_as_before_afterwards():
    before = gc.get_threshold()
    extension = CollectorExtension.from_crawler(get_crawler(Spider, {"SCOUT_COLLECT_EVERY": 5_000}))
    extension.spider_opened()
    try:
        assert gc.get_threshold() == (5_000, *before[1:])
        assert gc.get_freeze_count() > 0
    finally:
        extension.spider_closed()
    assert gc.get_threshold() == before
    assert gc.get_freeze_count() == 0


def test_a_spider_that_never_opened_changes_nothing():
    before = gc.get_threshold()
    CollectorExtension(get_crawler(Spider)).spider_closed()
    assert gc.get_threshold() == before


def test_zero_leaves_it_as_python_has_it():
    with pytest.raises(NotConfigured):
        CollectorExtension.from_crawler(get_crawler(Spider, {"SCOUT_COLLECT_EVERY": 0}))


def test_it_rests_until_a_crawl_has_imported_its_modules():
    command, parser = Command(), ArgumentParser()
    command.settings = Settings()
    command.add_options(parser)
    try:
        command.process_options(["https://shop.example"], parser.parse_args([]))
        assert not gc.isenabled()
    finally:
        gc.enable()
