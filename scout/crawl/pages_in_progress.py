"""Which pages this worker has under way. A page is over when its callback has said everything, all its items are stored and the
scheduler has all its requests: until then, what a callback has yielded waits in a queue of Scrapy's.

Pure bookkeeping, told by the scheduler (a request goes out), the spider middleware (what its callback yields) and Scrapy's signals
(an item has been through the pipelines).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from scout.crawl.account import RETRIED, UNREAD, AccountState, state_of_failure

State = Literal["done", "failed"]


@dataclass(frozen=True)
class PageResult:
    """What a page came to in the crawl's account, and why; `digest` and `listing` are kept with it."""

    outcome: AccountState
    reason: str | None = None
    digest: str | None = None
    listing: Mapping[str, Any] | None = None


_NOT_READ = UNREAD | {AccountState.GONE, AccountState.FORBIDDEN}
# An item that came out says more of its page than what the page looked like.
_OUTRANKED = frozenset({AccountState.NO_PRODUCT, AccountState.SAME_PRODUCT})


@dataclass
class OpenPage:
    """A page under way."""

    url: str = ""
    outputs: int = 0  # that are under way: items in the pipelines, requests on their way to the scheduler
    is_read: bool = False  # the callback has nothing more to say
    result: PageResult | None = None
    aliases: dict[str, str] = field(default_factory=dict)  # key -> address: where redirects led


@dataclass(frozen=True)
class PageOutcome:
    """What a page came to."""

    key: str
    state: State
    aliases: dict[str, str]
    result: PageResult | None = None


class PagesInProgress:
    """The pages under way by their tokens; `is_held` says of a token whether the spider still holds an item of it back."""

    def __init__(self, is_held: Callable[[str], bool] = lambda token: False) -> None:
        self.is_held = is_held
        self.open: dict[str, OpenPage] = {}
        self.marks: list[PageOutcome] = []
        self.last_read: str | None = None  # the address of a product's page
        self.unread_run = 0  # pages in a row that were refused or failed
        self._last_digest: str | None = None
        self._waiting: set[str] = set()  # read, but the spider holds an item

    def opened(self, token: str, url: str = "") -> None:
        """The page's request goes out."""
        self.open.setdefault(token, OpenPage(url))

    def _page(self, token: str) -> OpenPage:
        """The page; one that is told to nobody, where it is not under way."""
        return self.open.get(token) or OpenPage()

    def redirected(self, token: str, key: str, url: str) -> None:
        """The page turned out to be at `url`."""
        self._page(token).aliases[key] = url

    def begun(self, token: str) -> None:
        """The page's callback has yielded an item or a request."""
        self._page(token).outputs += 1

    def judge(self, token: str | None, result: PageResult) -> None:
        """Say what the page came to. An offer is not taken back by a further item of its page."""
        page = self._page(token or "")
        if page.result is None or page.result.outcome in _OUTRANKED:
            page.result = result

    def ended(self, token: str, result: PageResult | None = None) -> None:
        """An item has come out of the pipelines, with what that makes of its page, or the scheduler has a request."""
        self._page(token).outputs -= 1
        if result is not None:
            self.judge(token, result)
        self._settle(token)

    def read(self, token: str) -> None:
        """The page's callback is at its end."""
        self._page(token).is_read = True
        self._settle(token)

    def failed(self, token: str, reason: str) -> None:
        """The page could not be fetched, or its callback broke."""
        self._page(token).result = PageResult(state_of_failure(reason), reason)
        self.read(token)

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
        self._count_run(page)
        is_failed = page.result is not None and page.result.outcome in _NOT_READ
        self.marks.append(PageOutcome(token, "failed" if is_failed else "done", page.aliases, page.result))

    def _count_run(self, page: OpenPage) -> None:
        """Count pages in a row that were not read; one text for several addresses is none of theirs."""
        result = page.result
        digest = result.digest if result else None
        is_same = digest is not None and digest == self._last_digest
        self._last_digest = digest
        if result is None or result.outcome is AccountState.GONE:
            return
        if result.outcome in RETRIED or (is_same and result.outcome is AccountState.NO_PRODUCT):
            self.unread_run += 1
            return
        self.unread_run = 0
        if result.outcome is AccountState.OFFER:
            self.last_read = page.url
