"""Many shops: which crawls run, how many at once, and what became of each."""

from scout.fleet.runner import EndedCrawl, FleetRunner

__all__ = ["EndedCrawl", "FleetRunner"]
