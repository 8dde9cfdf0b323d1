"""The crawls that the studio starts and stops: each a process of its own, under the same lock per shop as those of a fleet."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path

from scout.fleet.runner import EndedCrawl, FleetRunner, crawl_command

AT_ONCE = 8  # crawls of one studio; beyond that a fleet is the tool
LOG_TAIL = 4_000  # bytes that are shown of what a crawl says


class CrawlDesk:
    """Starts and stops crawls, and tells how they are. `settings` are what each gets with -s."""

    def __init__(self, folder: str, settings: Sequence[str]) -> None:
        self._folder, self._settings = Path(folder), tuple(settings)
        self._runner: FleetRunner | None = None  # made with the first crawl: it makes a folder
        self._ended: dict[str, EndedCrawl] = {}
        self._for_once: dict[str, Sequence[str]] = {}  # settings of one shop's next crawl
        self._lock = threading.Lock()

    def start(self, shop: str, settings: Sequence[str] = ()) -> bool:
        """Start a crawl of the shop, with `settings` beside the usual ones, or go on with it; False where it runs, or too many do."""
        with self._lock:
            runner = self._runner = self._runner or FleetRunner(self._command, self._folder, AT_ONCE)
            self._collect(runner, ())
            if shop in runner.running:
                return False
            self._for_once[shop] = settings
            self._collect(runner, (shop,))
            self._ended.pop(shop, None)
            return shop in runner.running

    def stop(self, shop: str) -> bool:
        """Let the shop's crawl stop cleanly; False where this studio has started none."""
        with self._lock:
            if self._runner is None or shop not in self._runner.running:
                return False
            self._runner.interrupt_shop(shop)
            return True

    def is_running(self, shop: str) -> bool:
        """Whether a crawl that this studio started is running."""
        with self._lock:
            if self._runner is None:
                return False
            self._collect(self._runner, ())
            return shop in self._runner.running

    def ended(self, shop: str) -> EndedCrawl | None:
        """How the last crawl ended that this studio started."""
        return self._ended.get(shop)

    def log_tail(self, shop: str) -> str:
        """The end of what the shop's crawl said."""
        log = None if self._runner is None else self._runner.log_of(shop)
        if log is None or not log.exists():
            return ""
        return log.read_bytes()[-LOG_TAIL:].decode("utf-8", "replace")

    def close(self) -> None:
        """Let all crawls stop cleanly: the next start goes on with them."""
        with self._lock:
            if self._runner is not None:
                self._runner.interrupt()

    def _collect(self, runner: FleetRunner, waiting: Sequence[str]) -> None:
        for crawl in runner.step(waiting):
            self._ended[crawl.shop] = crawl

    def _command(self, shop: str) -> list[str]:
        return crawl_command(shop, (*self._settings, *self._for_once.get(shop, ())))
