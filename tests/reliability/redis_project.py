"""The settings of a project that keeps scrapy-redis for Scout's spiders: the block of docs/scaling.md, and where the Redis is."""

import os

from scout.settings import *  # noqa: F403

SCHEDULER = "scrapy_redis.scheduler.Scheduler"
DUPEFILTER_CLASS = "scrapy_redis.dupefilter.RFPDupeFilter"
SCHEDULER_PERSIST = True
SCOUT_FRONTIER = False
REDIS_URL = os.environ.get("REDIS_URL", "redis://127.0.0.1:6379")
