"""The account of a crawl: every address that was shown ends in one state, and what may be said of the crawl follows from the counts.

Shown is what a list, pager, menu, sitemap or feed presents as a product or as a list; what a page merely links to joins the account when it
turns out to be one, or when it could not be read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Literal


class AccountState(str, Enum):
    """What became of an address."""

    OFFER = "offer"
    SAME_PRODUCT = "same_product"  # another address of a product that has its offer
    LIST_READ = "list_read"
    OTHER_PAGE = "other_page"  # an article or the like, as the list that shows it says: no product was promised
    NO_PRODUCT = "no_product"  # a page that was read and is none of these
    GONE = "gone"  # the shop says that there is no such page
    REFUSED = "refused"  # captcha, login, block
    FORBIDDEN = "forbidden"  # robots.txt or an opt-out of the page: no later start can read it
    FAILED = "failed"  # HTTP, network, parse
    DEFERRED = "deferred"  # its URL pattern is over budget
    CUT = "cut"  # max_pages or Ctrl-C came first
    NOT_ASKED = "not_asked"


CrawlState = Literal["running", "complete", "incomplete", "interrupted", "failed"]

RETRIED = frozenset({AccountState.REFUSED, AccountState.FAILED})  # worth asking again later
UNREAD = RETRIED | {AccountState.DEFERRED, AccountState.CUT, AccountState.NOT_ASKED}
MAX_CONFLICTS = 0.01  # share of the records that may turn out to be no product in a complete crawl
# How the reasons begin with which Scrapy stops amid its work
INTERRUPTED = ("max_pages", "shutdown", "closespider_", "memusage_")

REDIRECTED = "redirected"  # to a page that does not say what became of this one
OTHER_NAME = "other_name"  # it shows no products and is called otherwise than what leads there says: a doubt, too
SENT_AWAY = "sent_away"  # to the front page or one of another name: a doubt whether it was a list, which the shop's other pages settle
REPEATED = "repeated"  # the page of the list came that leads here: a doubt that the shop's other lists settle
EMPTY = "empty_list"  # a list without products: a doubt until it was asked again, and while the shop's other pages contradict it
SILENT = "silent_list"  # ... which does not even say so
NOT_RENDERED = "not_rendered"  # the page shows nothing without a browser: there is none, or it took too long
CUT_OFF = "cut_off"  # a page that ends too early; of a list that was read, a doubt that the shop's other pages settle
UNPROVEN_DATABASE = "unproven_database"  # finish reason: a database behind a form may hold more than was found there
_INTERRUPTIONS = {"": "it was killed", "max_pages": "max_pages was reached", "shutdown": "it was interrupted"}
_BY_REASON: Mapping[AccountState, str] = {
    AccountState.GONE: "http_404 http_410 soft_404",
    AccountState.REFUSED: "captcha login blocked same_page http_401 http_403 http_407 http_429 http_451",
    AccountState.FORBIDDEN: "robots opt_out address scheme",
}
_STATES = {reason: state for state, reasons in _BY_REASON.items() for reason in reasons.split()}


def state_of_failure(reason: str) -> AccountState:
    """The state of a page that could not be read for this reason (a word of failure_reasons).

    >>> state_of_failure("http_404").value, state_of_failure("http_503").value, state_of_failure("captcha").value
    ('gone', 'failed', 'refused')
    """
    return _STATES.get(reason, AccountState.FAILED)


@dataclass(frozen=True)
class Estimate:
    """The number of products of a shop lies between these, both included."""

    low: int
    high: int


@dataclass(frozen=True)
class Account:
    """How many addresses are in each state, and what else the pages said.

    `unread_products` are the unread addresses that were shown as products, `records` all that were, `conflicts` those of them whose
    page is no product or gone; `stated` is what lists hold beyond what they showed: they say so, or changed while they were read.
    """

    counts: Mapping[AccountState, int] = field(default_factory=dict)
    reasons: Mapping[str, int] = field(default_factory=dict)  # of what was not read, the most frequent first
    offers: int = 0
    unread_products: int = 0
    records: int = 0
    conflicts: int = 0
    stated: int = 0
    lost_list_pages: int = 0  # lists and further pages of lists that the shop leads to, and that are gone or empty

    @property
    def shown(self) -> int:
        """All addresses of the account."""
        return sum(self.counts.values())

    @property
    def unread(self) -> int:
        """Addresses that were shown and not read, forbidden ones aside."""
        return sum(count for state, count in self.counts.items() if state in UNREAD)

    @property
    def has_conflicts(self) -> bool:
        """Whether too many records turned out to be no product."""
        return self.conflicts > MAX_CONFLICTS * self.records

    @property
    def is_complete(self) -> bool:
        """Whether nothing that was shown is unread, and lists hold no more than they showed."""
        return not (self.unread or self.stated or self.has_conflicts or self.lost_list_pages)

    @property
    def unread_share(self) -> float:
        """Share of the account that was not read."""
        return self.unread / self.shown if self.shown else 0.0

    @property
    def estimate(self) -> Estimate | None:
        """The interval that holds the number of products; None where a list is unread or lost: behind it there may be any number."""
        if self.unread > self.unread_products or self.lost_list_pages:
            return None
        doubtful = self.conflicts * self.has_conflicts
        return Estimate(self.offers, self.offers + self.unread_products + self.stated + doubtful)


@dataclass(frozen=True)
class CrawlOutcome:
    """What may be said of a crawl."""

    state: CrawlState
    account: Account
    finish_reason: str | None = None

    def exit_code(self, max_unread: float = 0.0) -> int:
        """0 complete, or not more than `max_unread` of the account unread; 1 failed; 3 short of what was asked.

        0 also where other workers go on: the last one says what came of it.
        """
        if self.state in ("failed", "running"):
            return int(self.state == "failed")
        account = self.account
        is_doubtful = account.has_conflicts or account.stated or account.lost_list_pages
        is_near = self.state == "incomplete" and not is_doubtful and account.unread_share <= max_unread > 0
        return 0 if self.state == "complete" or is_near else 3

    @property
    def estimate(self) -> Estimate | None:
        """The interval that holds the number of products; a failed crawl knows too little of its shop to state one."""
        return None if self.state == "failed" else self.account.estimate

    def __str__(self) -> str:
        found = f"{self.account.offers:,} products found"
        if self.state == "running":
            return f"{found} so far; the crawl is still running"
        if self.state == "complete":
            forbidden = self.account.counts.get(AccountState.FORBIDDEN, 0)
            aside = f", but for {forbidden:,} that robots.txt or the page itself forbids" if forbidden else ""
            return f"{found}; complete: all {self.account.shown - forbidden:,} addresses that the shop showed were read{aside}"
        between = f" of {self.estimate.low:,} to {self.estimate.high:,}" if self.estimate else ""
        why = "; ".join(self.why())
        return f"{found}{between}; {self.state}" + (f": {why}" if why else "")

    def why(self) -> list[str]:
        """Why the crawl is not complete, in words and numbers."""
        account, stopped = self.account, f"it was stopped ({self.finish_reason})"
        if self.state == "running":
            return ["other workers go on with the crawl"]
        named = ", ".join(f"{count:,} {reason}" for reason, count in list(account.reasons.items())[:3])
        unread = f"{account.unread:,} of {account.shown:,} addresses were not read" + (f" ({named})" if named else "")
        conflicts = f"{account.conflicts:,} of {account.records:,} records of lists"
        said = {
            _INTERRUPTIONS.get(self.finish_reason or "", stopped): self.state == "interrupted",
            unread: account.unread,
            "the database behind its form may hold more than was found there": self.finish_reason == UNPROVEN_DATABASE,
            f"lists hold {account.stated:,} products more than they showed": account.stated,
            f"{conflicts} lead to pages that are not their product's": account.has_conflicts,
            f"{account.lost_list_pages:,} lists or pages of lists that the shop shows are gone or empty": account.lost_list_pages,
        }
        return [text for text, is_so in said.items() if is_so]


def outcome_of(
    account: Account, finish_reason: str | None, *, is_running: bool = False, has_failed: bool = False
) -> CrawlOutcome:
    """The state that follows from the account and from how the last worker ended (Scrapy's finish reason; None where it was killed)."""
    if is_running or has_failed:
        return CrawlOutcome("running" if is_running else "failed", account, finish_reason)
    if is_interruption(finish_reason):
        return CrawlOutcome("interrupted", account, finish_reason)
    is_complete = account.is_complete and finish_reason == "finished"
    return CrawlOutcome("complete" if is_complete else "incomplete", account, finish_reason)


def is_interruption(finish_reason: str | None) -> bool:
    """Whether a worker that ended so (None: it was killed) left something undone."""
    return finish_reason is None or finish_reason.startswith(INTERRUPTED)
