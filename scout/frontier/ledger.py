"""The account of a crawl in the database: read from the frontier's rows, so that it is true whatever became of the workers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, replace
from typing import Any

from sqlalchemy import Connection, and_, func, or_, select, true, update

from scout.crawl.account import (
    CUT_OFF,
    NOT_RENDERED,
    REDIRECTED,
    RETRIED,
    SENT_AWAY,
    UNREAD,
    Account,
    AccountState,
    CrawlOutcome,
    is_interruption,
    outcome_of,
)
from scout.frontier.category_account import CategoryFacts, category_figures, products_beyond_shown
from scout.frontier.lost_lists import (
    EMPTY_LIST,
    LIST,
    MOVED,
    PAGER,
    PRODUCT,
    add_further_pages,
    fail_empty_lists,
    fail_missing_pages,
    fail_replaced_lists,
    gone_lists,
    list_place,
)
from scout.frontier.requests import shown_step
from scout.frontier.table import DONE, FAILED, GIVEN_UP, KEPT, PENDING
from scout.store import Store
from scout.store.batched import batched
from scout.store.columns import now
from scout.store.crawls import NARROW
from scout.store.models import LEASED, Category, Crawl, FrontierUrl, OfferAddress, StoredOffer
from scout.store.pages import forget_texts
from scout.url_rules import address_digest, page_key
from scout.values.text import text_key
from scout.walking.page_types import is_home_link
from scout.walking.shown_titles import is_called_otherwise, is_same_name

PAGE = "page"  # of a sitemap
ANOTHER_PRODUCT = "another_product"  # the page is that of a product which lists call by another name
SAME_PAGE = "same_page"  # one page came back for many addresses
MIN_SAME_PAGE = 3  # addresses that must have given the same page: two products may share an empty template
MAX_CUT_LISTS = 0.25  # share of the lists: where more end amid open blocks, the shop writes them so
MAX_AT_ONCE = 500  # ids in one statement

Numbers = tuple[int, ...]
_GOOD = (AccountState.OFFER.value, AccountState.SAME_PRODUCT.value)
_UNREAD = tuple(state.value for state in RETRIED)
_JOINING = (*_GOOD, AccountState.LIST_READ.value, *_UNREAD)


def read_account(connection: Connection, crawl: int, *, is_interrupted: bool) -> Account:
    """How many addresses of the crawl are in each state; what was not asked was cut where the crawl was interrupted."""
    columns = (FrontierUrl.shown, FrontierUrl.state, FrontierUrl.outcome, FrontierUrl.reason)
    query = select(*columns, func.count().label("count_")).where(FrontierUrl.crawl_id == crawl).group_by(*columns)
    waiting = AccountState.CUT if is_interrupted else AccountState.NOT_ASKED
    counts: Counter[AccountState] = Counter()
    reasons: Counter[str] = Counter()
    products: Counter[AccountState] = Counter()
    for row in connection.execute(query.where(_in_account())):
        state = _account_state(row, waiting)
        counts[state] += row.count_
        if row.shown == PRODUCT or (row.shown is None and row.outcome in _GOOD):
            products[state] += row.count_
        if state in UNREAD:
            reasons[row.reason or state.value] += row.count_
    offers = _count_products(connection, crawl)
    account = Account(
        counts=dict(counts),
        reasons=dict(reasons.most_common()),
        offers=offers,
        unread_products=sum(count for state, count in products.items() if state in UNREAD),
        records=products.total(),
        conflicts=products[AccountState.NO_PRODUCT],
    )
    if connection.execute(select(Crawl.spider).where(Crawl.id == crawl)).scalar() in NARROW:
        return account  # lists are not its subject, and that a known product is gone is an answer
    return replace(
        account,
        conflicts=account.conflicts + products[AccountState.GONE] - _count_other_records(connection, crawl),
        stated=sum(_products_missing(connection, crawl, offers).values()),
        lost_list_pages=len(gone_lists(connection, crawl)),
    )


def _count_other_records(connection: Connection, crawl: int) -> int:
    """How many records without a price lead to pages of categories: they promised no product."""
    priced = {key for _, listing in _listings(connection, crawl) for key in listing.get("prices", ())}
    is_category = (FrontierUrl.outcome == AccountState.NO_PRODUCT.value) & (FrontierUrl.reason == "category")
    query = select(FrontierUrl.url).where(FrontierUrl.crawl_id == crawl, FrontierUrl.shown == PRODUCT, is_category)
    return sum(listed_key(url) not in priced for url in connection.execute(query).scalars())


def _products_missing(connection: Connection, crawl: int, offers: int) -> dict[tuple[str, ...], int]:
    """How many products the lists of each category hold beyond what they showed."""
    return products_beyond_shown(_list_facts(connection, crawl, _listings(connection, crawl)), offers)


def _in_account() -> Any:
    """What was shown; and what a page merely links to, where it waits, turned out to be an offer or a list, or could not be read."""
    is_waiting = FrontierUrl.state.in_((PENDING, LEASED))
    return FrontierUrl.shown.is_not(None) | is_waiting | FrontierUrl.outcome.in_(_JOINING)


def _account_state(row: Any, waiting: AccountState) -> AccountState:
    if row.state == KEPT:
        return AccountState.DEFERRED
    if row.state not in (DONE, FAILED):
        return waiting
    return AccountState(row.outcome) if row.outcome else AccountState.NO_PRODUCT


def _listings(connection: Connection, crawl: int) -> list[tuple[str, Mapping[str, Any]]]:
    """The lists that were read. A further page belongs to the category of the first: another list may have come there and led to it."""
    query = select(FrontierUrl.url, FrontierUrl.shown, FrontierUrl.listing)
    rows = connection.execute(query.where(FrontierUrl.crawl_id == crawl, FrontierUrl.listing.is_not(None))).all()
    first = {list_place(row.url): row.listing["category"] for row in rows if row.shown != PAGER}
    listings: list[tuple[str, Mapping[str, Any]]] = []
    for row in rows:
        pattern, numbers = list_place(row.url)
        is_further = row.shown == PAGER and (pattern, numbers[:-1]) in first
        category = first[pattern, numbers[:-1]] if is_further else row.listing["category"]
        listings.append((row.url, {**row.listing, "category": category}))
    return listings


def _records_of_lists(listings: Iterable[tuple[str, Mapping[str, Any]]]) -> dict[tuple[str, ...], int]:
    """How many records the pages of each list have together. One that came twice was moved while the list was read: another one,
    which had been on a later page, is then on a page that was read before.

    The pages of a list differ in the digits of their addresses. A page with two addresses counts once, unless other pages follow: then it
    came in place of another. What stands on every page counts once.
    """
    lists: dict[tuple[tuple[str, ...], str], dict[Numbers, frozenset[str]]] = {}
    for url, listing in listings:
        pattern, numbers = list_place(url)
        lists.setdefault((tuple(listing["category"]), pattern), {})[numbers] = frozenset(listing["shown"])
    records: dict[tuple[str, ...], int] = {}
    for (category, _), found in lists.items():
        again = {at for at in found if at[-1:] == (1,) and at[:-1] in found}  # the first page has two addresses
        pages = {at: page for at, page in found.items() if at not in again} or found
        shown = set(pages.values())
        pinned = frozenset.intersection(*shown)
        count = len(pinned) + sum(len(page - pinned) for page in shown) + _records_in_place_of_others(pages)
        records[category] = max(records.get(category, 0), count)
    return records


def _records_in_place_of_others(pages: Mapping[Numbers, frozenset[str]]) -> int:
    """The records of pages that are the same as an earlier one, though others follow. Page 0 may be page 1 as well."""
    ordered = [pages[numbers] for numbers in sorted(pages) if 0 not in numbers]
    repeated = (at for at, page in enumerate(ordered) if page in ordered[:at])
    return sum(len(ordered[at]) for at in repeated if set(ordered[at:]).difference(ordered[: at + 1]))


def _list_facts(connection: Connection, crawl: int, listings: Iterable[tuple[str, Mapping[str, Any]]]) -> CategoryFacts:
    """What lists show and state, and which offers name a category as their own: a list may show them in a way that is not read as one."""
    facts = CategoryFacts(records=_records_of_lists(listings))
    for _, listing in listings:
        facts.add_listing(listing["category"], listing["shown"], listing.get("stated"))
    named = select(Category.path, StoredOffer.id).join(StoredOffer, StoredOffer.category_id == Category.id)
    for path, offer in connection.execute(named.where(_products(crawl))):
        facts.own.setdefault(tuple(path), set()).add(offer)
    return facts


def _count_products(connection: Connection, crawl: int) -> int:
    return connection.execute(select(func.count()).select_from(StoredOffer).where(_products(crawl))).scalar_one()


def _products(crawl: int) -> Any:
    return (StoredOffer.crawl_id == crawl) & StoredOffer.parent.is_(None)


def read_categories(connection: Connection, crawl: int) -> dict[str, dict[str, int]]:
    """The figures of each category of a crawl that has ended."""
    facts = _list_facts(connection, crawl, _listings(connection, crawl))
    columns = (FrontierUrl.url, FrontierUrl.shown, FrontierUrl.state, FrontierUrl.outcome)
    query = select(*columns).where(FrontierUrl.crawl_id == crawl, FrontierUrl.shown == PRODUCT)
    for row in connection.execute(query):
        key, state = listed_key(row.url), _account_state(row, AccountState.CUT)
        if facts.states.get(key, state) in UNREAD:  # one address may be asked in several ways
            facts.states[key] = state
    addresses = select(OfferAddress.url, OfferAddress.offer_id).join(StoredOffer)
    facts.offers = {listed_key(url): offer for url, offer in connection.execute(addresses.where(_products(crawl)))}
    facts.unread_lists = _categories_of_unread_lists(connection, crawl)
    return category_figures(facts)


def _categories_of_unread_lists(connection: Connection, crawl: int) -> set[tuple[str, ...]]:
    """The categories in which something may be missing that no list shows: a page of a list, or any page, could not be read."""
    unread = FrontierUrl.state.in_((PENDING, LEASED, KEPT)) | FrontierUrl.outcome.in_(_UNREAD)
    other = func.coalesce(FrontierUrl.shown, PAGE) != PRODUCT
    query = select(FrontierUrl.request).where(FrontierUrl.crawl_id == crawl, _in_account(), other, unread)
    lost = (row.request for row in gone_lists(connection, crawl))
    steps = map(shown_step, (*connection.execute(query).scalars(), *lost))
    return {step.category if step else () for step in steps}


def recognise_walls(connection: Connection, crawl: int) -> None:
    """One text for many addresses is no page of any of them, but a login, a captcha or a block in whatever words."""
    is_other = FrontierUrl.outcome == AccountState.NO_PRODUCT.value
    is_other |= (FrontierUrl.outcome == AccountState.LIST_READ.value) & (
        (FrontierUrl.shown == PRODUCT) | FrontierUrl.listing.is_(None)
    )
    of_crawl = FrontierUrl.crawl_id == crawl
    unlike, is_failed = of_crawl & is_other, FrontierUrl.outcome == AccountState.FAILED.value
    common = select(FrontierUrl.digest).where(of_crawl, is_other | is_failed, FrontierUrl.digest.is_not(None))
    common = common.where(FrontierUrl.shown.is_not(None))
    common = common.group_by(FrontierUrl.digest).having(func.count() >= MIN_SAME_PAGE)
    digests = list(connection.execute(common).scalars())
    values = {"state": FAILED, "outcome": AccountState.REFUSED.value, "reason": SAME_PAGE}
    for digest in digests:
        connection.execute(update(FrontierUrl).where(unlike, FrontierUrl.digest == digest).values(**values))


def recognise_cut_lists(connection: Connection, crawl: int) -> None:
    """A list that ended amid open blocks was cut, if the shop's other lists end as pages do."""
    read = and_(FrontierUrl.crawl_id == crawl, FrontierUrl.outcome == AccountState.LIST_READ.value)
    is_cut = FrontierUrl.reason == CUT_OFF
    lists, cut = (connection.execute(select(func.count()).where(read, each)).scalar_one() for each in (true(), is_cut))
    if cut <= MAX_CUT_LISTS * lists:
        values = {"state": FAILED, "outcome": AccountState.FAILED.value}
        connection.execute(update(FrontierUrl).where(read, is_cut).values(**values))


def follow_redirects(connection: Connection, crawl: int) -> None:
    """What redirected to a page that is known by itself came to the same as that page.

    Not where that page is no answer, or leads back: then it was not read; nor where lists call the two otherwise: then it is another
    product's.
    """
    columns = (FrontierUrl.id, FrontierUrl.key, FrontierUrl.url, FrontierUrl.shown)
    query = select(*columns, FrontierUrl.digest, FrontierUrl.request, FrontierUrl.outcome, FrontierUrl.listing)
    query = query.where(FrontierUrl.crawl_id == crawl)
    moved = {row.key: row for row in connection.execute(query.where(FrontierUrl.reason == MOVED))}
    ends = {key: _end_of_redirects(key, moved) for key in moved}
    keys = batched({end for end in ends.values() if end is not None}, MAX_AT_ONCE)
    targets = {row.key: row for batch in keys for row in connection.execute(query.where(FrontierUrl.key.in_(batch)))}
    read = {key: targets[end] for key, end in ends.items() if end in targets and _is_answer(moved[key], targets[end])}
    foreign = [moved[key].id for key, target in read.items() if _is_named_otherwise(moved[key].request, target.request)]
    lists = [moved[key].id for key, target in read.items() if target.outcome == AccountState.LIST_READ.value]
    unread = {"state": FAILED, "outcome": AccountState.FAILED.value, "reason": REDIRECTED}
    _update_rows(connection, [row.id for key, row in moved.items() if key not in read], unread)
    away = [moved[key].id for key, target in read.items() if _is_sent_away(moved[key], target)]
    _update_rows(connection, lists, {"outcome": AccountState.LIST_READ.value})
    _update_rows(connection, [id_ for id_ in away if id_ in lists], {"reason": SENT_AWAY})
    _update_rows(connection, foreign, {"outcome": AccountState.NO_PRODUCT.value, "reason": ANOTHER_PRODUCT})


def _is_answer(row: Any, target: Any) -> bool:
    """Whether the page to which an address redirects says what became of it: a list is none about a product, nor its start about a
    further page of it.
    """
    is_list = target.outcome == AccountState.LIST_READ.value and row.shown != PRODUCT
    is_start = row.shown != PAGER or not {0, 1}.isdisjoint(list_place(row.url)[1])
    return target.outcome in _GOOD or (is_list and is_start)


def _is_sent_away(row: Any, target: Any) -> bool:
    """Whether an address redirects to the front page, or to a page without products that links call by wholly other words."""
    if is_home_link(target.url):
        return not is_home_link(row.url)
    steps = [shown_step(data) for data in (row.request, target.request)]
    names = [step.name if step else None for step in steps]
    return not target.listing and is_called_otherwise(names[1], names[0])


def _end_of_redirects(key: str, moved: Mapping[str, Any]) -> str | None:
    """Where one redirect after the other leads; None where that is in a circle."""
    passed = set()
    while key in moved and key not in passed:
        passed.add(key)
        key = moved[key].digest
    return None if key in moved else key


def _is_named_otherwise(request: str, other: str) -> bool:
    """Whether the lists that show two addresses call them by different names."""
    steps = [shown_step(data) for data in (request, other)]
    names = [text_key(step.title or "") if step else "" for step in steps]
    return all(names) and not is_same_name(*names)


def prepare_account(connection: Connection, crawl: int) -> None:
    """Judge the pages that only the others can judge. To be called before the account is read."""
    add_listed_products(connection, crawl)
    add_further_pages(connection, crawl)
    recognise_walls(connection, crawl)
    recognise_cut_lists(connection, crawl)
    follow_redirects(connection, crawl)
    fail_replaced_lists(connection, crawl)
    fail_missing_pages(connection, crawl)
    fail_empty_lists(connection, crawl)


def add_listed_products(connection: Connection, crawl: int) -> None:
    """What a page linked to, or a sitemap named, before a list showed it is in the account as a product all the same."""
    listed = frozenset().union(*(listing["shown"] for _, listing in _listings(connection, crawl)))
    unlisted = FrontierUrl.shown.is_(None) | (FrontierUrl.shown == PAGE)
    query = select(FrontierUrl.id, FrontierUrl.url).where(FrontierUrl.crawl_id == crawl, unlisted)
    rows = connection.execute(query).all() if listed else ()
    _update_rows(connection, [id_ for id_, url in rows if listed_key(url) in listed], {"shown": PRODUCT})


def _update_rows(connection: Connection, ids: Iterable[int], values: dict[str, Any]) -> None:
    for batch in batched(ids, MAX_AT_ONCE):
        connection.execute(update(FrontierUrl).where(FrontierUrl.id.in_(batch)).values(**values))


def listed_key(url: str) -> str:
    """How lists name the products that they show."""
    return address_digest(page_key(url))


def count_retries(store: Store, crawl: int, rounds: int) -> tuple[int, int]:
    """How many addresses can be asked again, and how often they were at least."""
    query = select(func.count(), func.min(FrontierUrl.rounds)).where(_due_again(crawl, rounds))
    with store.writing() as connection:
        prepare_account(connection, crawl)
        count, made = connection.execute(query).one()
        return count, made or 0


def _retriable(crawl: int) -> Any:
    """What could not be read, but for pages that kill their workers; once more what is gone although a list shows it, and a list that
    is empty: a shop that is being mended says so, too.
    """
    unread = FrontierUrl.outcome.in_(_UNREAD) & (FrontierUrl.reason != GIVEN_UP)
    is_listed = FrontierUrl.shown.in_((PRODUCT, PAGER, LIST))
    once_more = (FrontierUrl.outcome == AccountState.GONE.value) & is_listed | (FrontierUrl.reason == EMPTY_LIST)
    is_over = FrontierUrl.state.in_((DONE, FAILED))
    return (FrontierUrl.crawl_id == crawl) & is_over & or_(unread, once_more & (FrontierUrl.rounds == 0))


def _due_again(crawl: int, rounds: int) -> Any:
    """What this run may ask again: a page that the browser could not render would be the same."""
    is_in_vain = func.coalesce(FrontierUrl.reason, "") == NOT_RENDERED
    return _retriable(crawl) & (FrontierUrl.rounds < rounds) & ~is_in_vain


def ask_again(store: Store, crawl: int, rounds: int) -> int:
    """Put what failed or was refused back into the queue, where it was not asked again `rounds` times yet; how many."""
    again = _due_again(crawl, rounds)
    with store.writing() as connection:
        if connection.execute(select(FrontierUrl.id).where(again, FrontierUrl.reason == EMPTY_LIST).limit(1)).first():
            witness = connection.execute(_full_lists(crawl).limit(1)).scalar()
            again |= FrontierUrl.id == witness
        return _requeue(connection, crawl, again, FrontierUrl.rounds + 1)


def _full_lists(crawl: int) -> Any:
    """The lists that showed products: if such a one shows none any more, the shop's lists do not work."""
    read = (FrontierUrl.outcome == AccountState.LIST_READ.value) & FrontierUrl.listing.is_not(None)
    of_crawl = (FrontierUrl.crawl_id == crawl) & (FrontierUrl.state == DONE) & FrontierUrl.reason.is_(None)
    return select(FrontierUrl.id).where(of_crawl, read, FrontierUrl.shown == LIST).order_by(FrontierUrl.id)


def ask_all_again(connection: Connection, crawl: int, *, deferred: bool) -> int:
    """A new start: all that could not be read is asked as if for the first time, with what was `deferred` if so; how many.

    With it goes what lists show and pages contradict, and the lists that hold more than they showed: the shop may have been wrong.
    """
    of_crawl, is_listed = FrontierUrl.crawl_id == crawl, FrontierUrl.shown.in_((PRODUCT, PAGER))
    kept = and_(of_crawl, FrontierUrl.state == KEPT, FrontierUrl.shown.is_not(None))
    unread = _requeue(connection, crawl, _retriable(crawl) | kept if deferred else _retriable(crawl), 0)
    if unread:
        is_gone = (FrontierUrl.outcome == AccountState.GONE.value) & (is_listed | (FrontierUrl.shown == LIST))
        denied = is_gone | (is_listed & (FrontierUrl.outcome == AccountState.NO_PRODUCT.value))
        _requeue(connection, crawl, and_(of_crawl, denied), 0)
        for batch in batched(_short_lists(connection, crawl), MAX_AT_ONCE):
            _requeue(connection, crawl, FrontierUrl.id.in_(batch), 0)
    return unread


def _short_lists(connection: Connection, crawl: int) -> list[int]:
    """The pages of lists that hold more than they showed, and of those below them."""
    short = _products_missing(connection, crawl, _count_products(connection, crawl))
    query = select(FrontierUrl.id, FrontierUrl.listing).where(FrontierUrl.crawl_id == crawl)
    rows = connection.execute(query.where(FrontierUrl.listing.is_not(None))).all()
    return [id_ for id_, listing in rows if any(tuple(listing["category"][: len(path)]) == path for path in short)]


def _requeue(connection: Connection, crawl: int, unread: Any, rounds: Any) -> int:
    forget_texts(connection, crawl, select(FrontierUrl.url).where(unread))
    values = {"state": PENDING, "outcome": None, "reason": None, "ended_at": None, "rounds": rounds}
    return connection.execute(update(FrontierUrl).where(unread).values(values)).rowcount


def settle_kept(store: Store, crawl: int, urls: Iterable[str]) -> None:
    """These addresses were kept for later and need not be asked any more: their offers came from elsewhere."""
    kept = (FrontierUrl.crawl_id == crawl) & (FrontierUrl.state == KEPT)
    values = {"state": DONE, "outcome": AccountState.OFFER.value, "ended_at": now()}
    for some in batched(urls, MAX_AT_ONCE):
        with store.writing() as connection:
            connection.execute(update(FrontierUrl).where(kept, FrontierUrl.url.in_(some)).values(values))


def crawl_outcome(store: Store, crawl: int, finish_reason: str) -> CrawlOutcome:
    """What may be said of the crawl, if it ends now for this reason."""
    with store.writing() as connection:
        return read_outcome(connection, crawl, finish_reason)


def read_outcome(
    connection: Connection, crawl: int, finish_reason: str | None, *, has_failed: bool = False
) -> CrawlOutcome:
    """What may be said of a crawl whose worker ended for this reason (Scrapy's; None where it was killed); others may go on."""
    prepare_account(connection, crawl)
    is_running = has_leases(connection, crawl)
    account = read_account(connection, crawl, is_interrupted=not is_running and is_interruption(finish_reason))
    return outcome_of(account, finish_reason, is_running=is_running, has_failed=has_failed)


def has_leases(connection: Connection, crawl: int) -> bool:
    """Whether a worker still has something of the crawl to do."""
    leased = select(FrontierUrl.id).where(FrontierUrl.crawl_id == crawl, FrontierUrl.state == LEASED)
    return connection.execute(leased.limit(1)).first() is not None


def account_as_json(account: Account) -> dict[str, Any]:
    """The account as the database keeps it with its crawl."""
    return asdict(account) | {"counts": {state.value: count for state, count in account.counts.items()}}


def account_from_json(data: Mapping[str, Any]) -> Account:
    """The account that was kept."""
    return Account(**(dict(data) | {"counts": {AccountState(state): count for state, count in data["counts"].items()}}))
