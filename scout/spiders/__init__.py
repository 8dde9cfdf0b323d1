"""Scout's spiders, and the base class of those that want to work like them."""

from scout.spiders.base import ScoutSpider

__all__ = ["ScoutSpider"]
