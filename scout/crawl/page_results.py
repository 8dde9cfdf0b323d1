"""What a page that was read comes to in the crawl's account; what only the shop's other pages can tell is a doubt, which they settle."""

from __future__ import annotations

from scout.crawl.account import (
    CUT_OFF,
    EMPTY,
    OTHER_NAME,
    REDIRECTED,
    REPEATED,
    SENT_AWAY,
    SILENT,
    AccountState,
    state_of_failure,
)
from scout.crawl.pages_in_progress import PageResult
from scout.page import Page
from scout.url_rules import is_same_page
from scout.values.text import text_key
from scout.walking.empty_pages import ends_amid
from scout.walking.error_pages import error_page_reason, text_digest
from scout.walking.page_types import MIN_CHILDREN
from scout.walking.shown_titles import is_called_otherwise, is_same_name
from scout.walking.steps import PageVerdict, Step
from scout.walking.walk import NAMING, Walk


def page_result(page: Page, verdict: PageVerdict, came: Step, walk: Walk, *, is_narrow: bool) -> PageResult | None:
    """The result of a page; None for a product's, settled when its offer is stored. `is_narrow`: not the whole shop is asked for."""
    if verdict.is_of_another:
        another = error_page_reason(page) or "another_product"
        return PageResult(state_of_failure(another), another, text_digest(page))
    if verdict.is_product:
        return None
    if came.shown == "product" and not is_same_page(came.url, page.url):
        # elsewhere: no answer about the product. An address of yesterday may lead to a list: its offer keeps its age
        return PageResult(AccountState.OTHER_PAGE if is_narrow else AccountState.FAILED, REDIRECTED)
    if walk.is_sent_home(page.url, came):
        return PageResult(AccountState.LIST_READ, SENT_AWAY)
    has_links = bool(page.root.xpath("boolean(//a[@href])"))  # each page of a shop leads on to others
    doubt = _doubt_of_list(page, verdict, came, has_links=has_links)
    is_overview = len(verdict.steps) >= MIN_CHILDREN  # what leads on to so many new addresses is no wall
    if not (doubt or verdict.listing or is_overview) and (came.role in NAMING or came.shown == "pager"):
        doubt = SILENT if walk.says_nothing(page, verdict, came) else EMPTY
    if is_overview or (verdict.level != "other" and (verdict.listing or came.shown != "product")):
        # one list in place of many products is a wall, and so is one page without products in place of many lists
        is_in_place = came.shown == "product" or not (verdict.listing or is_overview)
        digest = _digest_of_stranger(page, verdict, came) if is_in_place else None
        repeated = REPEATED if verdict.is_repeated else doubt
        return PageResult(AccountState.LIST_READ, CUT_OFF if ends_amid(page) else repeated, digest, verdict.listing)
    if reason := error_page_reason(page):
        return PageResult(state_of_failure(reason), reason)
    if came.shown in ("product", "pager") and not has_links:
        return PageResult(AccountState.FAILED, "no_links")
    return PageResult(other_page_state(verdict, came), doubt or verdict.level, _digest_of_stranger(page, verdict, came))


def _digest_of_stranger(page: Page, verdict: PageVerdict, came: Step) -> str | None:
    """What to compare a page by with those of other addresses; None for one that has the name by which it was shown: it is no wall."""
    names = [text_key(name or "") for name in (verdict.title, came.title or came.name or came.continues)]
    return None if all(names) and is_same_name(*names) else text_digest(page)


def _doubt_of_list(page: Page, verdict: PageVerdict, came: Step, *, has_links: bool) -> str | None:
    """Why the page may not be the list that was asked for."""
    if verdict.listing or (has_links and not is_called_otherwise(verdict.title, came.name or came.continues)):
        return None
    return OTHER_NAME if is_same_page(came.url, page.url) else SENT_AWAY


def other_page_state(verdict: PageVerdict, came: Step) -> AccountState:
    """The state of a page that is neither a product nor a list."""
    return AccountState.OTHER_PAGE if verdict.is_other_subject(came) else AccountState.NO_PRODUCT
