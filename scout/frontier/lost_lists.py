"""Lists that the shop shows and that are not there: gone, or another page in their place. What the shop's other pages are tells them from
stale links.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import zip_longest
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from sqlalchemy import Connection, select, update

from scout.crawl.account import EMPTY, OTHER_NAME, REDIRECTED, REPEATED, SENT_AWAY, SILENT, AccountState
from scout.frontier.requests import shown_step
from scout.frontier.table import FAILED
from scout.store.models import Category, FrontierUrl, StoredOffer
from scout.url_rules import address_digest, is_page_number, page_key, url_pattern
from scout.values.text import text_key
from scout.walking.shown_titles import is_same_name
from scout.walking.steps import Step

PRODUCT, LIST, PAGER = "product", "list", "pager"  # as what an address is shown
ANOTHER_LIST = "another_list"
EMPTY_LIST = "shows_nothing"  # a list in whose place nothing came, or one that is asked again because it is empty
MOVED = "moved"  # a redirect to a page that is known by itself, whose key is kept as the digest
MIN_LISTS = 2  # at addresses like its own: a page may be the only one of its kind
_NOTHING = (EMPTY, SILENT)  # shows no products; what it showed before is kept
_DOUBTED = (MOVED, SENT_AWAY, OTHER_NAME, EMPTY_LIST)  # perhaps not the page that was asked for
_KNOWN = (FrontierUrl.id, FrontierUrl.url, FrontierUrl.shown, FrontierUrl.request)
_COLUMNS = (*_KNOWN, FrontierUrl.reason, FrontierUrl.listing, FrontierUrl.rounds)
_IS_LIST = FrontierUrl.outcome == AccountState.LIST_READ.value
_DIGITS = re.compile(r"\d+")
_NUMBERED = re.compile(r"[?&/]([\w-]+)[=/](\d+)(?=[/&]|$)")
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
    rows = _rows(connection, crawl, FrontierUrl.outcome == AccountState.GONE.value)
    shop = _ReadPages(connection, crawl)
    return [row for row in rows if shop.has_list_at(row)]


def fail_replaced_lists(connection: Connection, crawl: int) -> None:
    """A list in whose place the front page came, another list, or a page of another name and without products, was not read; nor was
    a product in whose place a list of another name came.
    """
    _fail(connection, [*_foreign_lists(connection, crawl), *_foreign_pages(connection, crawl)], ANOTHER_LIST)
    shop = _ReadPages(connection, crawl)
    lists = _rows(connection, crawl, _IS_LIST & (FrontierUrl.shown == PRODUCT) & FrontierUrl.listing.is_not(None))
    _fail(connection, [row for row in lists if shop.has_product_at(row) and not shop.has_list_at(row)], ANOTHER_LIST)
    is_read = FrontierUrl.outcome.in_(_READ)
    away = _rows(connection, crawl, is_read & (FrontierUrl.reason == SENT_AWAY))
    _fail(connection, [row for row in away if shop.has_list_at(row)], REDIRECTED)
    others = _rows(connection, crawl, is_read & (FrontierUrl.reason == OTHER_NAME))
    _fail(connection, [row for row in others if shop.has_list_at(row) and shop.has_only_lists_like(row)], ANOTHER_LIST)


def add_further_pages(connection: Connection, crawl: int) -> None:
    """A list that a page merely links to is a further page of one that has such pages at addresses that differ in the last number only."""
    places = {_list_of_page(row.url) for row in _rows(connection, crawl, FrontierUrl.shown == PAGER)}
    linked = _rows(connection, crawl, FrontierUrl.shown.is_(None) & _IS_LIST) if places else ()
    for row in linked:
        if _list_of_page(row.url) in places and (step := shown_step(row.request)) and step.role == "content":
            connection.execute(update(FrontierUrl).where(FrontierUrl.id == row.id).values(shown=PAGER))


def fail_missing_pages(connection: Connection, crawl: int) -> None:
    """A further page of a list was not read where an earlier one came in its place or nothing at all, unless that is how the shop's
    longer lists end; nor where nothing came although later pages show something.
    """
    pages = _rows(connection, crawl, FrontierUrl.outcome.in_(_READ) & (FrontierUrl.shown == PAGER))
    again = set(_pages_again(_rows(connection, crawl, _IS_LIST & FrontierUrl.shown.in_((LIST, PAGER)))))
    missing = [row for row in pages if row.reason in (REPEATED, SILENT) or row.url in again]
    followed = {list_place(row.url)[0] for row in pages if row.listing and row not in missing}
    ends_so = sum(list_place(row.url)[0] in followed for row in missing)
    ends_otherwise = sum(bool((row.listing or {}).get("is_last")) for row in pages if row not in missing)
    if ends_so <= ends_otherwise:
        _fail(connection, [row for row in missing if row.reason != SILENT], REPEATED)
        _fail(connection, [row for row in missing if row.reason == SILENT], EMPTY_LIST)
    full: dict[str, list[tuple[int, ...]]] = defaultdict(list)
    for row in _rows(connection, crawl, FrontierUrl.listing.is_not(None)):
        pattern, numbers = list_place(row.url)
        full[pattern].append(numbers)
    empty = ((row, *list_place(row.url)) for row in pages if not row.listing and row.reason != MOVED)
    amid = [row for row, pattern, at in empty if any(_is_later_page(page, at) for page in full[pattern])]
    _fail(connection, amid, EMPTY_LIST)


def _pages_again(rows: Iterable[Any]) -> Iterator[str]:
    """The addresses of further pages of lists that show what an earlier page of their list shows."""
    seen = set()
    for row in sorted(rows, key=lambda row: list_place(row.url)):
        place = list_place(row.url) if row.shown == LIST else _list_of_page(row.url)
        if row.listing and (place, _shown(row)) in seen and row.shown == PAGER:
            yield row.url
        seen.add((place, _shown(row)))


def _is_later_page(page: tuple[int, ...], other: tuple[int, ...]) -> bool:
    """Whether the first is a later page of the list that the other is of: they differ in one number."""
    return page > other and sum(one != two for one, two in zip_longest(page, other)) == 1


def fail_empty_lists(connection: Connection, crawl: int) -> None:
    """A list without products was not read if a list of the shop shows none any more that showed some before, if offers name it as their
    category, or if it does not even say that it is empty. Any other is asked once more before it is believed, but for one that leads to
    products of its own: they are too few for a list.
    """
    rows = _rows(connection, crawl, FrontierUrl.outcome.in_(_READ) & FrontierUrl.reason.in_(_NOTHING))
    if not rows:
        return
    shop = _ReadPages(connection, crawl, (*_DOUBTED, *_NOTHING))
    lists = [row for row in rows if row.listing or (shop.has_only_lists_like(row, 1) and not shop.has_lists_below(row))]
    is_broken = any(row.listing for row in lists)
    for row in (row for row in lists if is_broken or not shop.links_offers_of(row)):
        is_silent = row.reason == SILENT and row.shown != PAGER
        if is_broken or is_silent or shop.has_offers_in(row):
            _fail(connection, [row], EMPTY_LIST, keep_listing=True)
        elif not row.rounds:
            connection.execute(update(FrontierUrl).where(FrontierUrl.id == row.id).values(reason=EMPTY_LIST))


def list_place(url: str) -> tuple[str, tuple[int, ...]]:
    """What the addresses of one list's pages have in common, and the numbers in which they differ; the page number is the last one.

    >>> list_place("http://a.example/lamps?page=2"), list_place("http://a.example/lamps/page/2/"), list_place("http://a.example/lamps/2")
    (('lamps', (2,)), ('lamps', (2,)), ('lamps', (2,)))
    >>> list_place("http://a.example/lamps/")
    ('lamps', ())
    """
    path = url.split("/", 3)[-1]
    pages = [found for found in _NUMBERED.finditer(path) if is_page_number(found[1])]
    for found in pages:
        path = path.replace(found[0], "")
    numbers = (*_DIGITS.findall(path), *(found[2] for found in pages))
    return _DIGITS.sub("#", path).rstrip("/").removesuffix("/#"), tuple(map(int, numbers))


def _list_of_page(url: str) -> tuple[str, tuple[int, ...]]:
    """The place of the first page of the list of which this is a further page; the first page itself may have a number, too."""
    pattern, numbers = list_place(url)
    return pattern, numbers if numbers[-1:] in ((0,), (1,)) else numbers[:-1]


def _shown(row: Any) -> frozenset[str]:
    return frozenset((row.listing or {}).get("shown", ()))


def _fail(connection: Connection, rows: Iterable[Any], reason: str, *, keep_listing: bool = False) -> None:
    values: dict[str, Any] = {"state": FAILED, "outcome": AccountState.FAILED.value, "reason": reason}
    if not keep_listing:
        values["listing"] = None
    for row in rows:
        connection.execute(update(FrontierUrl).where(FrontierUrl.id == row.id).values(**values))


def _rows(connection: Connection, crawl: int, condition: Any) -> Sequence[Any]:
    return connection.execute(select(*_COLUMNS).where(FrontierUrl.crawl_id == crawl, condition)).all()


@dataclass(frozen=True)
class _ReadPages:
    """The pages of a crawl that were read, asked for only where something is missing."""

    connection: Connection
    crawl: int
    doubted: tuple[str, ...] = _DOUBTED

    def has_list_at(self, row: Any) -> bool:
        """Whether there must be a list at the address of a page that is missing.

        A further page of a list is one. So is what a menu shows, unless the pages at such addresses are none, or, where they are both,
        what stands beside it in the menu. What else is shown as a tile or a record is one where most of those pages are. A
        path may name a category that the shop does not show.
        """
        step, at = shown_step(row.request), url_pattern(row.url)
        pages, lists = self._pages[at], self._lists[at]
        if row.shown in (PAGER, LIST):
            is_menu = step is None or step.role != "crumb"
            is_list = lists == pages or (lists > 0 and any(self._beside(row.url, step) or [True]))
            return row.shown == PAGER or (is_menu and is_list)
        is_shown = row.shown == PRODUCT or (step is not None and step.role == "tile")
        return is_shown and lists > pages / 2

    def has_product_at(self, row: Any) -> bool:
        """Whether a list came at a product's address: it calls itself otherwise than the record does that leads there, or the record has a
        price and the list shows nothing that other lists do not show as well.
        """
        step = shown_step(row.request)
        name = text_key((step.title if step else None) or "")
        is_priced = address_digest(page_key(row.url)) in self._priced
        return bool(name and not _calls_itself(row.listing, name)) or (is_priced and _shown(row) <= self._listed)

    @cached_property
    def _priced(self) -> set[str]:
        return {key for row in self._listings for key in row.listing.get("prices", ())}

    @cached_property
    def _listed(self) -> set[str]:
        return {key for row in self._listings if row.shown != PRODUCT for key in row.listing["shown"]}

    @cached_property
    def _listings(self) -> Sequence[Any]:
        return _rows(self.connection, self.crawl, FrontierUrl.listing.is_not(None))

    def has_only_lists_like(self, row: Any, fewest: int = MIN_LISTS) -> bool:
        """Whether all that stands where this page does is a list: at several addresses like its own, else beside it in the menu; of
        a further page of a list, whether all such pages are.
        """
        if row.shown == PAGER:
            return sum(self._pagers) >= MIN_LISTS and all(self._pagers)
        at = url_pattern(row.url)
        beside = self._beside(row.url, shown_step(row.request))
        return fewest <= self._lists[at] == self._pages[at] or (len(beside) == MIN_LISTS and all(beside))

    def has_lists_below(self, row: Any) -> bool:
        """Whether the page's category has others below it, which have lists: it need not have products itself."""
        path = _category(row)
        return bool(path) and any(listed[: len(path)] == path != listed for listed in self._listed_categories)

    def has_offers_in(self, row: Any) -> bool:
        """Whether offers say that they belong to the page's category."""
        return bool(path := _category(row)) and path in self._offered_categories

    def links_offers_of(self, row: Any) -> bool:
        """Whether a page of the category links products, although it shows no list of them, that say themselves that they belong to it."""
        return _category(row) in self._linked_categories

    @cached_property
    def _listed_categories(self) -> set[tuple[str, ...]]:
        return {tuple(row.listing["category"]) for row in self._listings}

    @cached_property
    def _offered_categories(self) -> set[tuple[str, ...]]:
        query = select(Category.path).join(StoredOffer, StoredOffer.category_id == Category.id)
        return set(map(tuple, self.connection.execute(query.where(StoredOffer.crawl_id == self.crawl)).scalars()))

    @cached_property
    def _linked_categories(self) -> set[tuple[str, ...]]:
        query = select(FrontierUrl.request, Category.path).join(StoredOffer, StoredOffer.url == FrontierUrl.url)
        query = query.join(Category, StoredOffer.category_id == Category.id)
        linked = query.where(FrontierUrl.crawl_id == self.crawl, FrontierUrl.shown.is_(None))
        rows = self.connection.execute(linked.where(StoredOffer.crawl_id == self.crawl))
        return {tuple(path) for data, path in rows if (step := shown_step(data)) and step.category == tuple(path)}

    @cached_property
    def _is_list(self) -> dict[str, bool]:
        """Of each page that was read at its own address, and did not come in place of another one, whether it shows products."""
        return {row.url: bool(row.listing) for row in self._trusted}

    @cached_property
    def _pagers(self) -> list[bool]:
        return [bool(row.listing) for row in self._trusted if row.shown == PAGER]

    @cached_property
    def _trusted(self) -> list[Any]:
        columns = (FrontierUrl.url, FrontierUrl.shown, FrontierUrl.reason, FrontierUrl.listing)
        query = select(*columns).where(FrontierUrl.crawl_id == self.crawl, FrontierUrl.outcome.in_(_READ))
        rows = self.connection.execute(query)
        return [row for row in rows if row.reason not in self.doubted or (row.listing and row.reason in _NOTHING)]

    @cached_property
    def _pages(self) -> Counter[str]:
        return Counter(map(url_pattern, self._is_list))

    @cached_property
    def _lists(self) -> Counter[str]:
        return Counter(url_pattern(url) for url, is_list in self._is_list.items() if is_list)

    @cached_property
    def _next_in_menu(self) -> dict[str, list[str]]:
        following = defaultdict(list)
        for row in _rows(self.connection, self.crawl, FrontierUrl.shown == LIST):
            step = shown_step(row.request)
            if step is not None and step.after:
                following[step.after].append(row.url)
        return following

    def _beside(self, url: str, step: Step | None) -> list[bool]:
        """Of what was read of the entries before and after this one in the menu, whether they are lists."""
        before = [step.after] if step is not None and step.after else []
        return [self._is_list[at] for at in (*before, *self._next_in_menu.get(url, ())) if at in self._is_list]


def _foreign_lists(connection: Connection, crawl: int) -> Iterator[Any]:
    """The rows of lists at whose address another list came: the same records are shown at an address that links call as the page calls
    itself, and nothing calls this one so.
    """
    same: dict[frozenset[str], list[Any]] = defaultdict(list)
    for row in _rows(connection, crawl, _IS_LIST):
        if len(shown := _shown(row)) > 1:
            same[shown].append(row)
    for rows in same.values():
        for row in rows if len(rows) > 1 else ():
            others = (other for other in rows if _calls_itself(row.listing, _name(other) or _category_name(other)))
            is_own = _calls_itself(row.listing, _name(row)) or not _name(row)
            if not is_own and any(not _is_narrowed(row.url, other.url) for other in others):
                yield row


def _foreign_pages(connection: Connection, crawl: int) -> Iterator[Any]:
    """The rows of further pages of lists that call themselves as a link calls a list of another category, and not as their own."""
    lists = [(_name(row), _category(row)) for row in _rows(connection, crawl, FrontierUrl.shown == LIST)]
    for row in _rows(connection, crawl, _IS_LIST & (FrontierUrl.shown == PAGER) & FrontierUrl.listing.is_not(None)):
        category, own = _category(row), (_name(row), _category_name(row))
        is_own = not category or any(_calls_itself(row.listing, name) for name in own)
        if not is_own and any(_calls_itself(row.listing, name) for name, path in lists if path != category):
            yield row


def _is_narrowed(url: str, list_url: str) -> bool:
    """Whether an address is that of a list with further parameters: a facet or another order, which keeps the list's name."""
    new, old = urlsplit(url), urlsplit(list_url)
    return new.path == old.path and set(parse_qsl(old.query)) <= set(parse_qsl(new.query))


def _category(row: Any) -> tuple[str, ...]:
    """The category of which the address is a list, as the link says that leads there."""
    step = shown_step(row.request)
    return step.category if step else ()


def _name(row: Any) -> str:
    """What the link calls a list that leads to it."""
    step = shown_step(row.request)
    return text_key((step.name or step.continues or "") if step else "")


def _category_name(row: Any) -> str:
    return text_key("".join(_category(row)[-1:]))


def _calls_itself(listing: Mapping[str, Any], name: str) -> bool:
    return bool(name) and any(is_same_name(text_key(title), name) for title in listing.get("titles", ()))
