"""Which pages this worker has under way. A page is over when its callback has said everything, all its items are stored and the
scheduler has all its requests: until then, what a callback has yielded waits in a queue of Scrapy's.

Pure bookkeeping, told by the scheduler (a request goes out), the spider middleware (what its callback yields) and Scrapy's signals
(an item has been through the pipelines).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

State = Literal["done", "failed"]


@dataclass
class OpenPage:
    """A page under way."""

    outputs: int = (
        0  # of its callback that are under way: items in the pipelines, requests on their way to the scheduler
    )
    is_read: bool = False  # the callback has nothing more to say
    failure: str | None = None
    aliases: dict[str, str] = field(default_factory=dict)  # key -> address: where redirects led


@dataclass(frozen=True)
class PageOutcome:
    """What a page came to."""

    key: str
    state: State
    reason: str | None
    aliases: dict[str, str]


class PagesInProgress:
    """The pages under way by their tokens; `is_held` says of a token whether the spider still holds an item of it back."""

    def __init__(self, is_held: Callable[[str], bool] = lambda token: False) -> None:
        self.is_held = is_held
        self.open: dict[str, OpenPage] = {}
        self.marks: list[PageOutcome] = []
        self._waiting: set[str] = set()  # read, but the spider holds an item

    def opened(self, token: str) -> None:
        """The page's request goes out."""
        self.open.setdefault(token, OpenPage())

    def redirected(self, token: str, key: str, url: str) -> None:
        """The page turned out to be at `url`."""
        if token in self.open:
            self.open[token].aliases[key] = url

    def begun(self, token: str) -> None:
        """The page's callback has yielded an item or a request."""
        if token in self.open:
            self.open[token].outputs += 1

    def ended(self, token: str, failure: str | None = None) -> None:
        """An item has come out of the pipelines (stored, dropped for a reason, or broken), or the scheduler has a request."""
        page = self.open.get(token)
        if page is not None:
            page.outputs -= 1
            page.failure = page.failure or failure
            self._settle(token)

    def read(self, token: str) -> None:
        """The page's callback is at its end."""
        if token in self.open:
            self.open[token].is_read = True
            self._settle(token)

    def failed(self, token: str, reason: str) -> None:
        """The page could not be fetched, or its callback broke."""
        page = self.open.get(token)
        if page is not None:
            page.failure, page.is_read = reason, True
            self._settle(token)

    def settle_waiting(self) -> None:
        """End the pages whose items the spider no longer holds: they came out, or are not wanted."""
        for token in [token for token in self._waiting if not self.is_held(token)]:
            self._settle(token)

    def taken_marks(self) -> list[PageOutcome]:
        """The marks that are to be written now; they are handed out once."""
        marks, self.marks = self.marks, []
        return marks

    def _settle(self, token: str) -> None:
        page = self.open.get(token)
        if page is None or not page.is_read or page.outputs > 0:
            return
        if self.is_held(token):
            self._waiting.add(token)
            return
        self._waiting.discard(token)
        del self.open[token]
        self.marks.append(PageOutcome(token, "failed" if page.failure else "done", page.failure, page.aliases))
