"""How a spider ends that cannot do what it was asked to: one line for the user, and an exit code."""

from __future__ import annotations

from typing import Any

from scrapy import Spider
from scrapy.exceptions import CloseSpider
from twisted.python.failure import Failure


def failure_reason(failure: Failure) -> str:
    """Why a page could not be had, in a few words: the status of its answer, else what the error says, or is where it says nothing."""
    response = getattr(failure.value, "response", None)
    return f"HTTP {response.status}" if response is not None else failure.getErrorMessage() or repr(failure.value)


class ExitStatusMixin(Spider):
    """`raise self._failed(text)` ends the crawl; `self._exit(text)` lets it end by itself, as a failure."""

    def _failed(self, text: str) -> CloseSpider:
        self._exit(text)
        return CloseSpider("failed")

    def _exit(self, text: str) -> None:
        self.logger.error(text)
        self._stats.set_value("scout/exit_code", 1)
        self._stats.set_value("scout/exit/reason", text)

    @property
    def _stats(self) -> Any:
        return self.crawler.stats
