"""The settings of a project that watches Scout's crawls with Spidermon, and its suite of monitors."""

import os

from spidermon.contrib.scrapy.monitors import FieldCoverageMonitor, FinishReasonMonitor, ItemCountMonitor
from spidermon.contrib.scrapy.monitors.base import BaseStatMonitor
from spidermon.core.suites import MonitorSuite

from scout.settings import *  # noqa: F403
from scout.settings import EXTENSIONS as OURS

EXTENSIONS = {**OURS, "spidermon.contrib.scrapy.extensions.Spidermon": 500}
SPIDERMON_ENABLED = True
SPIDERMON_SPIDER_CLOSE_MONITORS = ("tests.extensions.spidermon_project.Suite",)
SPIDERMON_MIN_ITEMS = int(os.environ.get("MIN_ITEMS", "1"))
SPIDERMON_EXPECTED_FINISH_REASONS = ["finished"]
SPIDERMON_ADD_FIELD_COVERAGE = True
SPIDERMON_FIELD_COVERAGE_RULES = {"Offer/title": 1.0, "Offer/price": 1.0, "Offer/sku": 0.9}
MIN_VALID = 1


class ValidOffersMonitor(BaseStatMonitor):
    """One of Scout's own stats, watched like any other."""

    stat_name = "scout/validate/valid"
    threshold_setting = "MIN_VALID"
    assert_type = ">="


class Suite(MonitorSuite):
    monitors = [ItemCountMonitor, FinishReasonMonitor, FieldCoverageMonitor, ValidOffersMonitor]
