"""The account of a crawl is read from its rows, whatever became of the workers."""

from __future__ import annotations

from collections import Counter

import pytest
from scrapy import Request, Spider

from scout.crawl.account import AccountState, CrawlOutcome, Estimate
from scout.crawl.pages_in_progress import PageOutcome, PageResult
from scout.frontier.category_account import CategoryFacts, products_beyond_shown
from scout.frontier.ledger import (
    MOVED,
    _records_of_lists,
    ask_again,
    count_retries,
    crawl_outcome,
    listed_key,
)
from scout.frontier.progress import progress
from scout.frontier.requests import request_data
from scout.frontier.resuming import entered_crawl, leave_crawl
from scout.frontier.table import Changes, Frontier, NewRequest
from scout.items import Visit
from scout.store import Store
from scout.walking.steps import Step

START = "http://127.0.0.1:8080/"  # its digits are no page's number


def stated_beyond_shown(rows: list[tuple[str, dict]], own: dict[tuple[str, ...], int], offers: int) -> int:
    """What these lists hold beyond what they showed, where so many products name a category as their own."""
    facts = CategoryFacts(records=_records_of_lists(rows), own={path: set(range(n)) for path, n in own.items()})
    for _, listing in rows:
        facts.add_listing(listing["category"], listing["shown"], listing.get("stated"))
    return sum(products_beyond_shown(facts, offers).values())


class Crawl:
    """A crawl to which addresses are shown, and whose pages come to something."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.id = entered_crawl(store, "s", "shop", START).crawl
        self.frontier = Frontier(store, self.id)

    def show(self, *names: str, shown: str | None = "product") -> None:
        new = [NewRequest(name, START + name, "{}", 0, shown=shown) for name in names]
        self.frontier.exchange(Changes(new=new, wanted=100))

    def settle(self, *names: str, state: AccountState, **more: object) -> None:
        result = PageResult(state, **more)  # type: ignore[arg-type]
        done = "failed" if state in (AccountState.FAILED, AccountState.REFUSED, AccountState.GONE) else "done"
        self.frontier.exchange(Changes(marks=[PageOutcome(name, done, {}, result) for name in names]))

    def outcome(self) -> CrawlOutcome:
        return crawl_outcome(self.store, self.id, "finished")

    def account(self) -> dict[str, int]:
        return {state.value: count for state, count in self.outcome().account.counts.items()}


@pytest.fixture
def crawl(store: Store) -> Crawl:
    return Crawl(store)


def test_the_states_sum_up_to_what_was_shown(crawl: Crawl) -> None:
    crawl.show("a", "b", "c", "d")
    crawl.show("list", shown="list")
    crawl.show("about us", shown=None)
    crawl.settle("a", state=AccountState.OFFER)
    crawl.settle("b", state=AccountState.GONE, reason="http_404")
    crawl.settle("c", state=AccountState.FAILED, reason="http_503")
    crawl.settle("list", state=AccountState.LIST_READ)
    crawl.settle("about us", state=AccountState.NO_PRODUCT)
    assert crawl.account() == {"offer": 1, "gone": 1, "failed": 1, "not_asked": 1, "list_read": 1}


def test_one_text_for_many_products_is_a_refusal_in_whatever_words(crawl: Crawl) -> None:
    crawl.show("a", "b", "c", "d", "e")
    crawl.settle("a", "b", "c", state=AccountState.NO_PRODUCT, digest="log in first")
    crawl.settle("d", "e", state=AccountState.NO_PRODUCT, digest="an empty template")
    assert crawl.account() == {"refused": 3, "no_product": 2}


def test_a_text_that_came_for_products_is_no_list_either(crawl: Crawl) -> None:
    crawl.show("a", "b")
    crawl.show("lamps", shown="list")
    crawl.settle("a", "b", state=AccountState.FAILED, reason="another_product", digest="accept our cookies")
    crawl.settle("lamps", state=AccountState.NO_PRODUCT, digest="accept our cookies")
    assert crawl.account() == {"failed": 2, "refused": 1}


@pytest.mark.parametrize(
    ("target", "state"), [(AccountState.OFFER, "same_product"), (AccountState.NO_PRODUCT, "failed")]
)
def test_a_redirect_to_a_known_page_comes_to_what_that_page_came_to(
    crawl: Crawl, target: AccountState, state: str
) -> None:
    crawl.show("a", "b")
    crawl.settle("b", state=target)
    crawl.settle("a", state=AccountState.SAME_PRODUCT, reason=MOVED, digest="b")
    assert crawl.account()[state] == 1


def test_what_failed_is_asked_again_a_few_times(crawl: Crawl) -> None:
    crawl.show("a")
    for made in range(2):
        crawl.settle("a", state=AccountState.FAILED, reason="http_503")
        assert count_retries(crawl.store, crawl.id, rounds=2) == (1, made)
        assert ask_again(crawl.store, crawl.id, rounds=2) == 1
        assert [lease.key for lease in crawl.frontier.exchange(Changes(wanted=9)).leases] == ["a"]
    crawl.settle("a", state=AccountState.FAILED, reason="http_503")
    assert count_retries(crawl.store, crawl.id, rounds=2) == (0, 0)


def test_what_is_gone_is_asked_again_once_where_a_list_shows_it(crawl: Crawl) -> None:
    crawl.show("a")
    crawl.show("old link", shown=None)
    crawl.settle("a", "old link", state=AccountState.GONE, reason="http_404")
    assert ask_again(crawl.store, crawl.id, rounds=2) == 1
    assert [lease.key for lease in crawl.frontier.exchange(Changes(wanted=9)).leases] == ["a"]
    crawl.settle("a", state=AccountState.GONE, reason="http_404")
    assert ask_again(crawl.store, crawl.id, rounds=2) == 0


@pytest.mark.parametrize(("priced", "state"), [("abcdefghi", "complete"), ("abcdefghix", "incomplete")])
def test_a_record_without_a_price_may_lead_to_a_category(crawl: Crawl, priced: str, state: str) -> None:
    crawl.show(*"abcdefghix")
    crawl.show("lamps", shown="list")
    crawl.settle(*"abcdefghi", state=AccountState.OFFER)
    crawl.settle("x", state=AccountState.NO_PRODUCT, reason="category")
    keys = [listed_key(START + name) for name in "abcdefghix"]
    prices = {listed_key(START + name): "9.00" for name in priced}
    listing = {"category": ["Lamps"], "shown": keys, "prices": prices}
    crawl.settle("lamps", state=AccountState.LIST_READ, listing=listing)
    assert crawl.outcome().state == state


def test_records_that_are_gone_contradict_their_lists(crawl: Crawl) -> None:
    crawl.show("a", "b")
    crawl.settle("a", state=AccountState.OFFER)
    crawl.settle("b", state=AccountState.GONE, reason="http_404")
    outcome = crawl.outcome()
    assert (outcome.state, outcome.account.conflicts, outcome.estimate) == ("incomplete", 1, Estimate(0, 1))


def test_behind_a_page_of_a_list_that_is_gone_there_may_be_any_number_of_products(crawl: Crawl) -> None:
    crawl.show("?page=2", shown="pager")
    crawl.settle("?page=2", state=AccountState.GONE, reason="http_404")
    outcome = crawl.outcome()
    assert (outcome.state, outcome.estimate) == ("incomplete", None)


@pytest.mark.parametrize(
    ("others", "shown", "lost"),
    [
        ((), "list", 1),
        (("list",), "list", 1),
        (("other", "list"), "list", 1),
        (("other",), "list", 0),
        (("list", "list", "other"), "product", 1),
        (("list", "other"), "product", 0),
        (("list",), None, 0),
    ],
)
def test_what_is_gone_was_a_list_by_how_it_is_shown_and_by_the_pages_at_such_addresses(crawl, others, shown, lost):
    """A menu is believed unless there are no lists at such addresses; a record where most are; a mere link never."""
    crawl.show("gone", shown=shown)
    crawl.settle("gone", state=AccountState.GONE, reason="http_404")
    for number, kind in enumerate(others):
        crawl.show(f"page-{number}", shown="list")
        listing = {"category": ["Lamps"], "shown": [str(number)]} if kind == "list" else None
        state = AccountState.LIST_READ if listing else AccountState.NO_PRODUCT
        crawl.settle(f"page-{number}", state=state, listing=listing)
    assert crawl.outcome().account.lost_list_pages == lost


@pytest.mark.parametrize(("name", "state"), [("c/lamps", "failed"), ("home", "list_read")])
def test_the_front_page_is_no_answer_about_another_list_after_a_resume_either(crawl, name, state):
    crawl.show("", shown=None)
    crawl.settle("", state=AccountState.LIST_READ)
    crawl.show(name, shown="list")
    crawl.settle(name, state=AccountState.SAME_PRODUCT, reason=MOVED, digest="")
    assert crawl.account() == Counter(["list_read"]) + Counter([state])


def test_one_list_in_place_of_many_products_is_a_refusal(crawl: Crawl) -> None:
    crawl.show("a", "b", "c")
    crawl.show("list", shown="list")
    listing = {"category": ["Lamps"], "shown": ["a", "b", "c"]}
    crawl.settle("a", "b", "c", state=AccountState.LIST_READ, digest="all lamps")
    crawl.settle("list", state=AccountState.LIST_READ, digest="all lamps", listing=listing)
    assert crawl.account() == {"refused": 3, "list_read": 1}


def test_a_crawl_that_ended_incomplete_is_continued_and_a_complete_one_begun_anew(store: Store, crawl: Crawl) -> None:
    crawl.show("a", "b")
    crawl.settle("a", state=AccountState.OFFER)
    crawl.settle("b", state=AccountState.REFUSED, reason="captcha")
    outcome = leave_crawl(store, crawl.id, "finished", {})
    assert (outcome.state, outcome.account.estimate) == ("incomplete", Estimate(0, 1))
    resumed = entered_crawl(store, "s", "shop", START)
    assert resumed.is_resumed and resumed.crawl == crawl.id
    assert [lease.key for lease in crawl.frontier.exchange(Changes(wanted=9)).leases] == ["b"]
    crawl.settle("b", state=AccountState.OFFER)
    assert leave_crawl(store, crawl.id, "finished", {}).state == "complete"
    assert not entered_crawl(store, "s", "shop", START).is_resumed


def test_a_crawl_whose_rest_was_asked_for_in_vain_is_begun_anew(store: Store, crawl: Crawl) -> None:
    """Else one dead page would keep a shop from ever being read again."""
    crawl.show("a")
    for reason in ("incomplete", "incomplete again"):
        crawl.frontier.exchange(Changes(wanted=9))
        crawl.settle("a", state=AccountState.FAILED, reason="http_500")
        assert leave_crawl(store, crawl.id, "finished", {}).state == "incomplete"
        assert store.crawls("s")[0].reason == reason
        assert progress(store, "s")[0].state == "incomplete"
        assert entered_crawl(store, "s", "shop", START).is_resumed == (reason == "incomplete")


def test_only_a_complete_crawl_tells_which_offers_are_gone(store: Store, crawl: Crawl) -> None:
    crawl.show("a")
    crawl.settle("a", state=AccountState.FAILED, reason="timeout")
    leave_crawl(store, crawl.id, "finished", {})
    assert not store.crawls("s")[0].is_complete


@pytest.mark.parametrize(
    ("listings", "missing"),
    [
        ([(("Lamps",), range(8), 8)], 0),
        ([(("Lamps",), range(30), 55)], 25),
        (
            [(("Lamps",), range(4), 6), (("All",), range(8), 8), (("Chairs",), range(8, 9), 1)],
            0,
        ),  # all that it may lack
        ([(("Lamps",), range(4), 6), (("All",), range(8), 9), (("Chairs",), range(8, 12), 4)], 3),
        ([(("Lamps",), range(4), 6), (("All",), range(1, 9), 8), (("Chairs",), range(9, 12), 3)], 2),
        ([(("Lamps",), range(4), 9), (("All",), range(8), 8), (("Chairs",), range(8, 12), 4)], 5),
        ([(("Lamps",), range(20), 25), (("Lamps",), range(20, 25), None)], 0),  # two pages of one list
        ([(("Lamps",), range(20), 25), (("Lamps",), range(20), None)], 5),  # its first page under two addresses
        (
            [(("Lamps",), range(6), 8), (("Lamps", "Desk"), range(4, 8), 4)],
            0,
        ),  # what the lists below it show is its own
        ([(("Lamps",), range(6), 10), (("Lamps", "Desk"), range(6, 8), 5)], 2),  # a list within another counts once
        ([(("Lamps",), range(8), 3)], 0),  # a count below what the list shows counts something else
    ],
)
def test_what_lists_state_beyond_what_they_showed_is_counted(listings, missing) -> None:
    rows = [
        (f"{START}{path}", {"category": list(path), "shown": [*map(str, shown)], "stated": stated})
        for path, shown, stated in listings
    ]
    assert stated_beyond_shown(rows, {}, offers=1000) == missing


def test_a_further_page_belongs_to_the_category_of_its_list_whichever_page_led_there(crawl: Crawl) -> None:
    crawl.show("lamps", "chairs", shown="list")
    crawl.show("lamps?page=2", shown="pager")
    for name, category, stated in (("lamps", "Lamps", 2), ("lamps?page=2", "Chairs", None), ("chairs", "Chairs", None)):
        listing = {"category": [category], "shown": [name], "stated": stated}
        crawl.settle(name, state=AccountState.LIST_READ, listing=listing)
    assert crawl.outcome().account.stated == 0


def test_a_new_start_asks_again_for_lists_that_hold_more_than_they_showed(crawl: Crawl) -> None:
    crawl.show("lamps", "chairs", shown="list")
    crawl.show("a")
    for name, stated in {"lamps": 3, "chairs": 1}.items():
        listing = {"category": [name], "shown": [name], "stated": stated}
        crawl.settle(name, state=AccountState.LIST_READ, listing=listing)
    crawl.settle("a", state=AccountState.FAILED, reason="http_503")
    leave_crawl(crawl.store, crawl.id, "finished", {})
    assert entered_crawl(crawl.store, "s", "shop", START).is_resumed
    assert {lease.key for lease in crawl.frontier.exchange(Changes(wanted=9)).leases} == {"a", "lamps"}


def test_products_that_name_a_category_count_for_its_list() -> None:
    rows = [(START, {"category": ["Lamps"], "shown": [*"abcdef"], "stated": 14})]
    assert stated_beyond_shown(rows, {("Lamps",): 14}, offers=1000) == 0


@pytest.mark.parametrize(
    ("pages", "count"),
    [
        ({"?page=1": "abc", "?page=2": "def"}, 6),
        ({"?page=1": "abc", "?page=2": "cde", "?page=3": "afg"}, 9),  # the list was sorted anew in between
        ({"?page=1": "abc", "?page=01": "abc", "?page=2": "def"}, 6),  # one page with two addresses
        ({"?page=1": "pab", "?page=2": "pcd", "?page=3": "pef"}, 7),  # one product pinned to every page
        ({"?page=1": "abc", "?sort=price&page=1": "cde"}, 3),  # another list of the same products
        ({"?page=1": "abc", "?page=2": "abc", "?page=3": "def"}, 9),  # a page that came in place of another
        ({"?page=1": "abc", "?page=2": "def", "?page=3": "def"}, 6),  # a number beyond the last page
        ({"?page=0": "abc", "?page=1": "abc", "?page=2": "def"}, 6),  # one page with two numbers
        ({"": "abc", "?page=1": "abcx", "?page=2": "def"}, 6),  # ... the second time with something beside it
    ],
)
def test_a_list_has_as_many_products_as_its_pages_have_records(pages, count) -> None:
    rows = [(START + address, {"category": ["Lamps"], "shown": [*shown]}) for address, shown in pages.items()]
    assert _records_of_lists(rows) == {("Lamps",): count}


def test_what_a_list_passed_over_while_it_was_sorted_anew_is_missing_unless_it_was_found_elsewhere() -> None:
    pages = {"?page=1": "abc", "?page=2": "cde", "?page=3": "afg"}
    rows = [(START + address, {"category": ["Lamps"], "shown": [*shown]}) for address, shown in pages.items()]
    assert stated_beyond_shown(rows, {}, offers=1000) == 2
    assert stated_beyond_shown(rows, {("Lamps",): 9}, offers=1000) == 0


@pytest.mark.parametrize(("name", "state"), [("Red lamp", "no_product"), ("Blue lamp, 40 cm", "same_product")])
def test_a_redirect_to_a_product_of_another_name_is_no_answer(crawl: Crawl, name: str, state: str) -> None:
    for key, title in {"a": name, "b": "Blue lamp"}.items():
        request = Request(START + key, cb_kwargs={"came": Step(START + key, "record", title=title)})
        new = NewRequest(key, START + key, request_data(request, Spider("s")), 0, shown="product")
        crawl.frontier.exchange(Changes(new=[new], wanted=1))
    crawl.settle("b", state=AccountState.OFFER)
    crawl.settle("a", state=AccountState.SAME_PRODUCT, reason=MOVED, digest="b")
    assert crawl.account()[state] == 1


@pytest.mark.parametrize(("numbers", "failed"), [((2, 3), 2), ((2, 1), 1)])
def test_pages_of_a_list_that_are_the_first_one_again_were_not_read(crawl: Crawl, numbers, failed) -> None:
    """Also one that no pager leads to, but a mere link; not another address of the first page."""
    crawl.show("lamps", shown="list")
    crawl.show(f"lamps/{numbers[0]}", shown="pager")
    link = Request(f"{START}lamps/{numbers[1]}", cb_kwargs={"came": Step(f"{START}lamps/{numbers[1]}", "content")})
    new = NewRequest(f"lamps/{numbers[1]}", link.url, request_data(link, Spider("s")), 0)
    crawl.frontier.exchange(Changes(new=[new], wanted=9))
    for name in ("lamps", *(f"lamps/{number}" for number in numbers)):
        crawl.settle(name, state=AccountState.LIST_READ, listing={"category": ["Lamps"], "shown": ["a", "b"]})
    assert crawl.account() == Counter({"failed": failed, "list_read": 3 - failed})


@pytest.mark.parametrize(
    ("title", "named", "others", "price", "state"),
    [
        ("Oops", "Red lamp", "offer", None, "failed"),
        ("Oops", None, "offer", "9.00", "failed"),
        ("Red lamp | Shop", "Red lamp", "offer", "9.00", "failed"),  # all that it shows stands in another list
        ("Red lamp | Shop", "Red lamp", "offer", None, "list_read"),
        ("Oops", "Red lamp", "list_read", None, "list_read"),
    ],
)
def test_a_list_that_came_at_a_products_address_is_no_answer(
    crawl: Crawl, title: str, named: str | None, others: str, price: str | None, state: str
) -> None:
    """Unless it calls itself as the record does that leads there, or lists stand at such addresses: then the record was a category's."""
    request = Request(START + "p/red", cb_kwargs={"came": Step(START + "p/red", "record", title=named)})
    new = NewRequest("p/red", request.url, request_data(request, Spider("s")), 0, shown="product")
    crawl.frontier.exchange(Changes(new=[new], wanted=9))
    crawl.show("p/a", "p/b")
    crawl.show("lamps", shown="list")
    listing = {"category": ["Lamps"], "shown": ["c", "d"], "prices": {}, "titles": [title]}
    prices = {listed_key(request.url): price} if price else {}
    crawl.settle("lamps", state=AccountState.LIST_READ, listing=listing | {"prices": prices})
    crawl.settle("p/a", "p/b", state=AccountState(others), listing=listing if others == "list_read" else None)
    crawl.settle("p/red", state=AccountState.LIST_READ, listing=listing)
    assert crawl.account() == Counter([others, others, "list_read", state])


def test_a_list_that_is_a_further_page_of_another_one_was_not_read(crawl: Crawl) -> None:
    links = {"lamps": ("menu", "Lamps"), "chairs": ("menu", "Chairs"), "chairs/3": ("content", "Chairs")}
    for name, (role, category) in links.items():
        step = Step(START + name, role, (category,), name=category if role == "menu" else None)
        request = Request(step.url, cb_kwargs={"came": step})
        new = NewRequest(name, step.url, request_data(request, Spider("s")), 0, shown=step.shown)
        crawl.frontier.exchange(Changes(new=[new], wanted=9))
        shown = ["a", "b"] if name == "chairs" else ["c", "d"]
        listing = {"category": [category], "shown": shown, "titles": ["Chairs"]}
        crawl.settle(name, state=AccountState.LIST_READ, listing=listing)
    assert crawl.account() == {"failed": 1, "list_read": 2}


@pytest.mark.parametrize(
    ("title", "state"), [("Chairs", "failed"), ("Lamps, page 2", "list_read"), ("Offers", "list_read")]
)
def test_a_further_page_that_has_another_lists_name_was_not_read(crawl: Crawl, title: str, state: str) -> None:
    addresses = {"lamps": ("menu", "Lamps"), "chairs": ("menu", "Chairs"), "lamps?page=2": ("pager", "Lamps")}
    for name, (role, category) in addresses.items():
        step = Step(START + name, role, (category,), name=category if role == "menu" else None, continues=category)
        request = Request(step.url, cb_kwargs={"came": step})
        new = NewRequest(name, step.url, request_data(request, Spider("s")), 0, shown=step.shown)
        crawl.frontier.exchange(Changes(new=[new], wanted=9))
        titles = [title if role == "pager" else category]
        listing = {"category": [category], "shown": [name, role], "titles": titles}
        crawl.settle(name, state=AccountState.LIST_READ, listing=listing)
    assert crawl.account() == Counter(["list_read", "list_read", state])


def test_a_page_that_was_refused_is_fetched_again_and_not_read_from_the_store(store: Store, crawl: Crawl) -> None:
    crawl.show("a", "b")
    visits = [Visit(START + name, "other", html="<p>Log in first", headers={}) for name in ("a", "b")]
    store.save_visits("s", visits, crawl.id)
    crawl.settle("a", state=AccountState.REFUSED, reason="same_page")
    ask_again(crawl.store, crawl.id, rounds=2)
    assert store.stored_page("s", START + "a") is None
    assert store.stored_page("s", START + "b") is not None  # it only waits for the shop's rules


@pytest.mark.parametrize(("empty", "lost"), [("?page=2", 1), ("?page=4", 0)])
def test_a_page_of_a_list_that_is_empty_though_later_ones_are_not_is_lost(crawl: Crawl, empty: str, lost: int) -> None:
    pages = [f"lamps/7?page={number}" for number in range(2, 5)]
    crawl.show("lamps/7", "lamps/8?page=5", shown="list")
    crawl.show(*pages, shown="pager")
    for name in ("lamps/7", "lamps/8?page=5", *pages):
        listing = None if name.endswith(empty) else {"category": [name], "shown": [name]}
        state = AccountState.LIST_READ if listing else AccountState.NO_PRODUCT
        crawl.settle(name, state=state, listing=listing)
    assert crawl.account().get("failed", 0) == lost


@pytest.mark.parametrize(
    ("reason", "others", "state"),
    [
        ("empty_list", ("list",), "no_product"),
        ("silent_list", ("list",), "failed"),
        ("silent_list", ("other",), "no_product"),
        ("silent_list", ("list", "other"), "no_product"),
        ("silent_list", ("below",), "no_product"),
    ],
)
def test_a_list_that_does_not_even_say_that_it_is_empty_was_not_read(crawl: Crawl, reason, others, state) -> None:
    """Unless it need not be one: no lists stand at such addresses, or its category has others below it."""
    steps = {
        "c/empty": ("Lamps",),
        **{f"c/{name}": ("Lamps", "Oak") if name == "below" else (name,) for name in others},
    }
    spider = Spider("shop")
    for name, category in steps.items():
        request = Request(START + name, cb_kwargs={"came": Step(START + name, "menu", category)})
        new = NewRequest(name, request.url, request_data(request, spider), 0, shown="list")
        crawl.frontier.exchange(Changes(new=[new], wanted=9))
    crawl.settle("c/empty", state=AccountState.NO_PRODUCT, reason=reason)
    for name in others:
        listing = None if name == "other" else {"category": steps[f"c/{name}"], "shown": [name]}
        crawl.settle(f"c/{name}", state=AccountState.LIST_READ, listing=listing)
    assert crawl.account().get(state, 0) == 1


@pytest.mark.parametrize(("now", "states"), [("full", {"list_read": 1, "no_product": 1}), ("empty", {"failed": 2})])
def test_an_empty_list_is_asked_once_more_and_with_it_one_that_was_full(crawl: Crawl, now, states) -> None:
    listing = {"category": ["Lamps"], "shown": ["a", "b"]}
    crawl.show("c/empty", "c/full", shown="list")
    crawl.settle("c/empty", state=AccountState.NO_PRODUCT, reason="empty_list")
    crawl.settle("c/full", state=AccountState.LIST_READ, listing=listing)
    assert count_retries(crawl.store, crawl.id, rounds=2) == (1, 0)
    assert ask_again(crawl.store, crawl.id, rounds=2) == 2
    crawl.frontier.exchange(Changes(wanted=9))
    crawl.settle("c/empty", state=AccountState.NO_PRODUCT, reason="empty_list")
    if now == "full":
        crawl.settle("c/full", state=AccountState.LIST_READ, listing=listing)
    else:
        crawl.settle("c/full", state=AccountState.NO_PRODUCT, reason="empty_list")
    assert crawl.account() == states
    assert count_retries(crawl.store, crawl.id, rounds=2) == (states.get("failed", 0), states.get("failed", 0) // 2)


@pytest.mark.parametrize(("whole", "state"), [(3, "failed"), (2, "list_read")])
def test_a_list_that_ends_amid_its_blocks_was_cut_where_the_others_of_the_shop_are_whole(
    crawl: Crawl, whole: int, state: str
) -> None:
    crawl.show("cut", *map(str, range(whole)), shown="list")
    crawl.settle("cut", state=AccountState.LIST_READ, reason="cut_off")
    crawl.settle(*map(str, range(whole)), state=AccountState.LIST_READ)
    assert crawl.account().get("failed", 0) == (state == "failed")


@pytest.mark.parametrize(
    ("name", "shown", "state"),
    [
        ("old-lamps", "list", "list_read"),
        ("lamps?page=1", "pager", "list_read"),
        ("lamps?page=3", "pager", "failed"),
        ("lamp-7", "product", "failed"),
    ],
)
def test_a_redirect_to_a_known_list_answers_for_a_list_and_its_first_page_only(
    crawl: Crawl, name: str, shown: str, state: str
) -> None:
    crawl.show("lamps", shown="list")
    crawl.show(name, shown=shown)
    crawl.show("lamps?page=4", shown="pager")
    crawl.settle("lamps", state=AccountState.LIST_READ)
    crawl.settle("lamps?page=4", state=AccountState.LIST_READ, listing={"category": ["Lamps"], "shown": ["a"]})
    crawl.settle(name, state=AccountState.SAME_PRODUCT, reason=MOVED, digest="lamps")
    assert crawl.account() == Counter(list_read=2) + Counter([state])


def test_a_crawl_that_is_continued_asks_again_for_what_pages_denied_though_lists_show_it(
    store: Store, crawl: Crawl
) -> None:
    crawl.show("a", "b", "c", "d")
    crawl.settle("a", state=AccountState.OFFER)
    crawl.settle("b", state=AccountState.NO_PRODUCT, reason="another_product")
    for _ in range(2):  # what is gone is asked again once in the same crawl
        crawl.settle("c", state=AccountState.GONE, reason="http_410")
        ask_again(store, crawl.id, rounds=2)
        crawl.frontier.exchange(Changes(wanted=9))
    crawl.settle("d", state=AccountState.FAILED, reason="http_503")
    leave_crawl(store, crawl.id, "finished", {})
    assert entered_crawl(store, "s", "shop", START).is_resumed
    assert {lease.key for lease in crawl.frontier.exchange(Changes(wanted=9)).leases} == {"b", "c", "d"}
