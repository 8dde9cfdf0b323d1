"""Lists that the shop shows and that are not there: gone, or the front page in their place. What the shop's other pages are tells them from
stale links.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from sqlalchemy import Connection, func, select, update

from scout.crawl.account import OTHER_NAME, REDIRECTED, SENT_HOME, AccountState
from scout.frontier.requests import shown_step
from scout.frontier.table import FAILED
from scout.store.models import FrontierUrl
from scout.url_rules import url_pattern

PRODUCT, LIST, PAGER = "product", "list", "pager"  # as what an address is shown
ANOTHER_LIST = "another_list"
MIN_LISTS = 2  # at addresses like its own: a page may be the only one of its kind
_READ = tuple(
    state.value
    for state in (
        AccountState.OFFER,
        AccountState.SAME_PRODUCT,
        AccountState.LIST_READ,
        AccountState.OTHER_PAGE,
        AccountState.NO_PRODUCT,
    )
)


def gone_lists(connection: Connection, crawl: int) -> list[Any]:
    """The rows of lists, and of further pages of lists, that the shop shows although it says that there is no such page."""
    return _lists(connection, crawl, FrontierUrl.outcome == AccountState.GONE.value)


def fail_replaced_lists(connection: Connection, crawl: int) -> None:
    """A list in whose place the front page came, or a page of another name and without products, was not read."""
    for doubt, reason in {SENT_HOME: REDIRECTED, OTHER_NAME: ANOTHER_LIST}.items():
        values = {"state": FAILED, "outcome": AccountState.FAILED.value, "reason": reason}
        is_read = FrontierUrl.outcome.in_(_READ) & (FrontierUrl.reason == doubt)
        for row in _lists(connection, crawl, is_read, is_sure=doubt == OTHER_NAME):
            connection.execute(update(FrontierUrl).where(FrontierUrl.id == row.id).values(**values))


def _lists(connection: Connection, crawl: int, condition: Any, *, is_sure: bool = False) -> list[Any]:
    """The rows among those with this condition that must be lists.

    A further page of a list is one. So is what a menu shows, unless the pages that were read at such addresses are none. What
    else is shown as a tile or a record is one where most of those pages are. A path may name
    a category that the shop does not show. It `is_sure` only where all of them are, and several.
    """
    columns = (FrontierUrl.id, FrontierUrl.url, FrontierUrl.shown, FrontierUrl.request)
    rows = connection.execute(select(*columns).where(FrontierUrl.crawl_id == crawl, condition)).all()
    if not rows:
        return []
    pages: Counter[str] = Counter()
    lists: Counter[str] = Counter()
    is_own = func.coalesce(FrontierUrl.reason, "").not_in((SENT_HOME, OTHER_NAME) if is_sure else (SENT_HOME,))
    query = select(FrontierUrl.url, FrontierUrl.listing).where(FrontierUrl.crawl_id == crawl, is_own)
    for url, listing in connection.execute(query.where(FrontierUrl.outcome.in_(_READ))):
        pages[url_pattern(url)] += 1
        lists[url_pattern(url)] += bool(listing)
    found = [row for row in rows if _is_list(row, pages[url_pattern(row.url)], lists[url_pattern(row.url)])]
    return [row for row in found if not is_sure or MIN_LISTS <= lists[at := url_pattern(row.url)] == pages[at]]


def _is_list(row: Any, pages: int, lists: int) -> bool:
    step = shown_step(row.request)
    if row.shown in (PAGER, LIST):
        is_menu = step is None or step.role != "crumb"
        return row.shown == PAGER or (is_menu and (lists > 0 or not pages))
    is_shown = row.shown == PRODUCT or (step is not None and step.role == "tile")
    return is_shown and lists > pages / 2
