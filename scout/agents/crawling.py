"""Crawls that an agent starts: of shops that a person has added, one at a time, in a process of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from time import sleep
from typing import Any

from scout.errors import UsageError
from scout.fleet.runner import EndedCrawl, FleetRunner
from scout.store import Store

PAUSE = 0.1  # seconds between two looks at a crawl that is ending


class AgentCrawls:
    """Starts crawls and stops them with the server: a stopped crawl keeps what it has read, and the next start goes on there."""

    def __init__(self, store: Store, command: Callable[[str], Sequence[str]], folder: Path) -> None:
        self._store = store
        self._runner = FleetRunner(command, folder, at_once=1)
        self._ended: dict[str, EndedCrawl] = {}

    def start(self, shop: str) -> dict[str, Any]:
        """Start the crawl of a shop, or say how the one that was started is getting on."""
        if self._store.shop(shop).url is None:
            raise UsageError(f"{shop} has no address to crawl: scout shops add {shop} URL")
        self._collect()
        if other := set(self._runner.running) - {shop}:
            raise UsageError(f"{', '.join(other)} is being crawled; one crawl at a time")
        if shop in self._ended:
            ended = self._ended.pop(shop)
            return {"shop": shop, "started": False, "ended": {"exit_code": ended.exit_code, "said": ended.last_line}}
        if shop in self._runner.running:
            return {"shop": shop, "started": False, "running_seconds": round(self._runner.running[shop].seconds)}
        self._runner.step([shop])
        if shop in self._runner.busy:
            raise UsageError(f"{shop} is already being crawled by somebody else")
        return {"shop": shop, "started": True, "log": str(self._runner.log_of(shop))}

    def stop(self) -> None:
        """Let the crawl stop cleanly, and wait for it."""
        self._runner.interrupt()
        while self._runner.running:
            self._collect()
            sleep(PAUSE)

    def _collect(self) -> None:
        self._ended |= {crawl.shop: crawl for crawl in self._runner.step(())}
