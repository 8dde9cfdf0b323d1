"""Walk: how a shop is walked, page by page, without knowing how pages are fetched.

A page goes in, what it is and which links are worth a request come out. All memory of the walk is here: what was asked for already,
which facets still pay, which templates the shop has. The spider only turns steps into requests and product pages into items.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field, replace
from functools import lru_cache
from hashlib import blake2b
from typing import Any, Literal, Protocol
from urllib.parse import urlsplit

from lxml.html import HtmlElement

from scout.extraction.breadcrumbs import CategoryPath
from scout.extraction.document_head import canonical_url
from scout.extraction.list_template import ListTemplate
from scout.extraction.product_page import DETAIL_SCORE, ProductPageEvidence, is_home, is_home_address
from scout.page import Page
from scout.url_rules import (
    is_action,
    is_calendar,
    is_endless,
    is_forbidden,
    is_rearranged_list,
    is_refined_list,
    is_same_page,
    is_session_switch,
    page_key,
    url_pieces,
)
from scout.urls import clean_url
from scout.values.text import single_spaced, text_key
from scout.values.walk_words import walk_words
from scout.walking.categories import Categories, names_no_category
from scout.walking.crawl_budget import Facets, UrlPatternBudget
from scout.walking.links import Link, links
from scout.walking.pagination import next_numbered
from scout.walking.part import PartOfShop
from scout.walking.records import Record, RecordList, records, records_at
from scout.walking.same_products import SameProducts
from scout.walking.shop_currency import ShopCurrency
from scout.walking.stated_counts import stated_count
from scout.walking.templates import SEVERAL, PageSummary, TemplateGroup, Templates
from scout.walking.xpaths import CategoryPaths, link_path

Level = Literal["home", "category", "list", "detail", "other"]

# What is asked for first: products, then what leads to many of them, then the rest.
PRIORITIES: Mapping[str, int] = {
    "record": 30,
    "pager": 20,
    "guess": 20,
    "menu": 10,
    "crumb": 10,
    "tile": 8,
    "listed": 5,
    "content": 0,
    "language": -20,
    "facet": -30,
}
WAITING = (
    5  # products of a list that has shown a few others: rules induced from one list's alone are its own, not the shop's
)
MAX_FIRST = 4  # products of one page of a list that are read before other lists
UNPLACED = -5  # products that only the front page or a list of everything shows so far: other pages may say of what category they are
SHOWN_AS: Mapping[str, str] = {"record": "product", "pager": "pager", "menu": "list", "crumb": "list"}
EXPECTED_LEVELS: Mapping[str, Level] = {
    "record": "detail",
    "pager": "list",
    "guess": "list",  # a page number that the list does not link to, but may have
    "menu": "category",
    "crumb": "category",
}
# In log-odds, as the evidence of a page is (see scout.extraction.product_page).
RECORD_HINT = 1.0  # that a list shows it as a record speaks for a page being a product's
NAMING = frozenset({"menu", "crumb", "tile"})  # roles of links that call a list by its name
CONTINUING = frozenset({"pager", "guess"})  # roles of links to further pages of a list
FEW_SHOWN = CONTINUING | {"menu", "crumb"}  # roles of links to lists that may show one product only
PACED = frozenset({"content", "language"})  # roles of links that wait while others of their shape come to nothing
MAX_VAIN = 2  # guesses that may come to nothing before one has paid
MAX_LISTS = 3  # XPaths that are tried before a list is analysed anew
MAX_SAME_RECORDS = 3  # pages with records of the same names: one list in several orders, not the frame of all pages
MIN_CHILDREN = 4  # records without picture or price: fewer are no overview of categories
MAX_BRIEF = 80  # characters
MIN_AGREED = 4  # pages with the title that lists give them, before one with wholly other words is not the product's
AGREED_SHARE = 9  # times as many as pages with other words
MIN_WHOLE_PAGES = 3  # with an end tag, before a page without one counts as cut
END_CHARACTERS = 4_000  # at the end of a page in which its end tag stands: scripts and comments may follow it
_BLOCKS = "div|main|section|article|table|ul|ol|dl|form|nav|header|footer|head|script|style"
_OPENING, _CLOSING = (re.compile(rf"<{slash}(?:{_BLOCKS})\b", re.IGNORECASE) for slash in ("", "/"))
_WORDS = re.compile(r"\w+")
END_TAG = re.compile(r"</html\s*>", re.IGNORECASE)
PRODUCT_RECORDS = 0.5  # of a list's records have a picture or a price: then they are products


@dataclass(frozen=True)
class Step:
    """A request worth making, and what is known of its page beforehand.

    `hint` is evidence that it is a product's page (see scout.extraction.product_page), `category` the path that leads there, `group` the
    list of which it is a facet.
    """

    url: str
    role: str = "content"
    category: tuple[str, ...] = ()
    hint: float = 0.0
    group: str | None = None
    title: str | None = None  # what the list that shows it calls it
    price: str | None = None  # ... and says that it costs
    continues: str | None = None  # what the list calls itself of which it is a further page
    name: str | None = None  # what the menu or tile calls it that leads there
    after: str | None = None  # the address that stands before it in the menu
    waits: bool = False  # until other lists are read

    @property
    def priority(self) -> int:
        """Higher is sooner."""
        if self.role == "record" and names_no_category(self.category):
            return UNPLACED
        return WAITING if self.waits else PRIORITIES[self.role]

    @property
    def level(self) -> Level:
        """The level that the page is expected to belong to."""
        return EXPECTED_LEVELS.get(self.role, "category")

    @property
    def shown(self) -> str | None:
        """As what the shop shows it: "product", "list", "pager", a "page" of its sitemap; None where a page merely links to it."""
        if self.role == "listed":
            return "product" if self.hint else "page"
        return SHOWN_AS.get(self.role)


@dataclass
class PageVerdict:
    """What one page turned out to be, and where it leads."""

    level: Level
    steps: list[Step] = field(default_factory=list)
    category: tuple[str, ...] = ()
    score: float = 0.0  # the page's own evidence for being a product
    template: TemplateGroup | None = None  # what the level waits for; None where the page alone decides
    new_products: int = 0
    is_repeated: bool = False  # the earlier page of its list came that leads here
    title: str | None = None  # what the page calls its subject
    is_of_another: bool = False  # it is another product's page than lists show at its address
    listing: dict[str, Any] | None = (
        None  # of a list: its category, the products it shows (digests), their prices, how many it states, what it calls itself
    )
    kept: list[Step] = field(default_factory=list)  # facets for later: they must outlive a killed crawl too
    skipped: Counter[str] = field(default_factory=Counter)

    @property
    def is_product(self) -> bool | None:
        """Whether it is a product's page; None as long as its template is not decided, and `level` only the likelier one."""
        return self.level == "detail" if self.template is None else self.template.is_product(self.score)

    def is_other_subject(self, came: Step) -> bool:
        """Whether a list shows the page by its name and without a price, and its template is no product's: an article, say."""
        if self.template is None or self.template.is_products or came.price is not None:
            return False
        return bool(self.title and came.title) and is_same_name(text_key(self.title or ""), text_key(came.title or ""))


class Decisions(Protocol):
    """The decisions that a spider may take differently; see ShopSpider."""

    def is_detail(self, page: Page, witness: ProductPageEvidence, hint: float) -> bool | None: ...

    def records(self, page: Page) -> RecordList | None: ...

    def next_page(self, page: Page, records: RecordList | None) -> str | None: ...


@dataclass
class Guesses:
    """Pages that no page leads to. Until one has paid they are tried one at a time, and after a few in vain no more."""

    waiting: list[Step] = field(default_factory=list)
    asked: set[str] = field(default_factory=set)
    vain: int = 0
    has_paid: bool = False
    is_trying: bool = False

    def due(self) -> Iterator[Step]:
        """Those to ask for now."""
        while self.waiting and (self.has_paid or (not self.is_trying and self.vain < MAX_VAIN)):
            step = self.waiting.pop(0)
            self.is_trying = True
            self.asked.add(page_key(step.url))
            yield step

    def judged(self, *, has_paid: bool) -> None:
        """One of them has come to something, or to nothing."""
        self.is_trying = False
        self.has_paid |= has_paid
        self.vain += not has_paid


@dataclass
class ShownTitles:
    """What lists call their products: a page that has the name of another product is not its own, whatever its address is."""

    _titles: dict[str, set[str]] = field(default_factory=dict)  # address -> what lists call it
    _addresses: dict[str, set[str]] = field(default_factory=dict)  # title -> addresses
    _agreed: int = 0  # pages that are called as in a list, and those that had nothing of it
    _differed: int = 0

    def add(self, key: str, title: str | None) -> None:
        """A list shows this title for the address with this key."""
        name = text_key(title or "")
        if name:
            self._titles.setdefault(key, set()).add(name)
            self._addresses.setdefault(name, set()).add(key)

    def is_of_another(self, key: str, title: str | None) -> bool:
        """Whether lists show `title` for other addresses only; or call this one by wholly other words, where else they agree with pages."""
        name, own = text_key(title or ""), self._titles.get(key, set())
        if not name or not own:
            return False
        if any(is_same_name(name, shown) for shown in own) or is_spelled_out(key, name):
            self._agreed += 1
            return False
        words = frozenset(_WORDS.findall(name))
        is_foreign = words.isdisjoint(word for shown in own for word in _WORDS.findall(shown))
        is_sure = self._agreed >= max(MIN_AGREED, AGREED_SHARE * self._differed)
        self._differed += is_foreign and not is_sure
        return bool(self._addresses.get(name, set()) - {key}) or (is_foreign and is_sure)


def has_end_tag(page: Page) -> bool:
    """Whether the page ends as HTML does."""
    return END_TAG.search(page.html, max(0, len(page.html) - END_CHARACTERS)) is not None


def ends_amid(page: Page) -> bool:
    """Whether the page ends amid open blocks and without its end tag: it was cut, unless the shop writes all its pages so."""
    return not has_end_tag(page) and len(_OPENING.findall(page.html)) > len(_CLOSING.findall(page.html))


def texts_and_pictures(page: Page) -> Counter[str]:
    """What the page shows, and how often."""
    return Counter(page.texts) + Counter(map(str, page.root.xpath("//img/@src")))


def is_home_link(url: str, category: CategoryPath = ()) -> bool:
    """Whether the front page is meant, by address or name.

    >>> is_home_link("http://s.example/hem"), is_home_link("http://s.example/c/1", ("Start",)), is_home_link("http://s.example/c/1")
    (True, True, False)
    """
    names = {*map(text_key, category[-1:]), *url_pieces(url)[-1:]}
    return is_home_address(url) or not names.isdisjoint(walk_words("home_words"))


def is_called_otherwise(title: str | None, name: str | None) -> bool:
    """Whether a page has a title and none of the words of its name in it; a telephone number is no name.

    >>> is_called_otherwise("Page not found", "Lamps"), is_called_otherwise("Lamps & lights", "Lamps")
    (True, False)
    >>> is_called_otherwise("Contact", "0123 4567"), is_called_otherwise("Oops", None)
    (False, False)
    """
    words = [frozenset(_WORDS.findall(text_key(text or ""))) for text in (title, name)]
    return all(words) and words[0].isdisjoint(words[1]) and any(map(str.isalpha, name or ""))


def is_spelled_out(url: str, name: str) -> bool:
    """Whether the address consists of the words of this name, or of more: several, as one may be in both by chance, as numbers are.

    >>> is_spelled_out("http://s.example/p/oak-lamp", "oak lamp 12"), is_spelled_out("http://s.example/p/oak-lamp", "ash lamp")
    (True, False)
    """
    words = frozenset(_WORDS.findall(name))
    pieces = (frozenset(word for word in piece.split("-") if any(map(str.isalpha, word))) for piece in url_pieces(url))
    return any(len(piece & words) >= SEVERAL and (piece <= words or words <= piece) for piece in pieces)


def is_same_name(one: str, other: str) -> bool:
    """Whether one name is the other with further words, or cut off at its end."""
    first, second = (frozenset(_WORDS.findall(name)) for name in (one, other))
    cut = [name.rstrip(" .…") for name in (one, other) if name.endswith(("…", "..."))]
    return first <= second or second <= first or any(one.startswith(name) and other.startswith(name) for name in cut)


class Walk:
    """The memory of one walk through one shop."""

    def __init__(
        self,
        start: str,
        decide: Decisions,
        *,
        is_part: bool = False,
        obey_nofollow: bool = True,
        structure: Any = None,
        template: ListTemplate | None = None,
    ) -> None:
        known = structure if isinstance(structure, Mapping) else {}
        self.hosts = same_hosts(start)
        self.part: PartOfShop[Step] = PartOfShop(start, is_decided=not is_part)
        self._start = page_key(start)
        self.decide = decide
        self.obey_nofollow = obey_nofollow
        self._template = template
        self.facets = Facets()
        self.shapes: UrlPatternBudget[Step] = UrlPatternBudget()
        self.categories = Categories()
        self.category_paths = CategoryPaths(known.get("categories") or ())
        self._link_paths: dict[str, str] = dict(
            known.get("links") or {}
        )  # XPath of a list -> from a record to its link
        self.lists: Counter[str] = Counter(known.get("lists") or ())  # XPaths of lists, by how often they held
        self._record_names: Counter[str] = Counter()  # what the records of lists are called (digests), by pages
        self.templates = Templates.known(known.get("templates") or ())
        self._asked: set[str] = {page_key(start)}
        self._lists: dict[frozenset[str], str] = {}  # what lists show -> the address that was the first to show it
        self._guesses = Guesses()
        self._pictures: dict[str, str] = {}  # the picture of a link -> the address to which it was the first to lead
        self.titles = ShownTitles()
        self.same = SameProducts()
        self._replacing: list[
            Step
        ] = []  # other addresses of products that could not be had at the one that was asked for
        self.currency = ShopCurrency()
        self._whole_pages = 0  # that end as HTML documents do
        self._frame: dict[str, Counter[str]] = {}  # what the front page says, and the list that was read last

    def recall(self, urls: Iterable[str], kept: Iterable[Step] = ()) -> None:
        """These addresses were asked for by an earlier run of the same walk, and these steps kept for later."""
        self._asked.update(map(page_key, urls))
        for step in kept:
            if step.group:
                self.facets.keep(step.group, step.url)
            else:
                self.shapes.hold(step.url, step)

    def is_cut(self, page: Page) -> bool:
        """Whether the page ends amid open blocks and without its end tag, which the other pages of the shop have."""
        if not ends_amid(page):
            self._whole_pages += has_end_tag(page)
            return False
        return self._whole_pages >= MIN_WHOLE_PAGES

    def begin_at(self, url: str) -> None:
        """The page that the shop gives for the address of the start."""
        self._start = page_key(url)
        if not self.part.is_decided:
            self.part.start = url

    def says_nothing(self, page: Page, verdict: PageVerdict, came: Step) -> bool:
        """Whether the page has no words and pictures of its own: only what it is called, and what stands on the front page or on a list."""
        names = (verdict.title, page.root.findtext(".//title"), came.name, came.continues, *verdict.category)
        called = {word for name in names if name for word in _WORDS.findall(text_key(name))}
        own = texts_and_pictures(page)
        for frame in self._frame.values():
            own -= frame
        words = (word for text in own for word in _WORDS.findall(text_key(text)))
        return all(word in called or word.isdecimal() for word in words)

    def is_start(self, url: str) -> bool:
        """Whether this is the page at which the walk began."""
        return page_key(url) == self._start

    def is_sent_home(self, url: str, step: Step) -> bool:
        """Whether the page at `url` is the one at which the walk began, though `step` asked for another."""
        return self.is_start(url) and not is_same_page(step.url, url) and not is_home_link(step.url, step.category)

    # --- other ways of discovery --------------------------------------------------------------------------------------

    def list_pages(self, urls: Iterable[str], hint: float = 0.0, *, is_wanted: bool = False) -> Iterator[Step]:
        """A sitemap, a feed or the user (`is_wanted`) lists these addresses: the ones of this shop that are not known yet."""
        for url in filter(self._admits, urls):
            step = Step(url, "listed", hint=hint)
            if not is_wanted and not self.part.holds(url):
                self.part.wait(step)
            else:
                yield step

    def answer_steps(self, found: Iterable[Record], category: CategoryPath) -> Iterator[Step]:
        """The records of an answer to a query: products of this shop that are not known yet."""
        shown = {cleaned(record.href): record for record in found if record.href}
        yield from self._record_steps(shown, PageVerdict("list", category=category))

    def failed(self, step: Step, *, is_gone: bool) -> None:
        """The page of `step` could not be had; `is_gone` where the shop itself says that there is none."""
        if is_gone:
            self.shapes.gone(step.url)
        if page_key(step.url) in self._guesses.asked:
            self._guesses.judged(has_paid=False)
        self._replacing += (replace(step, url=url) for url in self.same.instead_of(step.url))

    # --- reading a page -----------------------------------------------------------------------------------------------

    def read(self, page: Page, came: Step) -> PageVerdict:
        """What `page` is, and where to go from it; `came` is the step that led here."""
        self._asked.add(page_key(page.url))
        self.currency.add(page)
        witness = ProductPageEvidence.of(page)
        reading = self._judge(page, witness, came)
        if page_key(came.url) == self._start:
            self.category_paths.see(page)
        reading = self._read_on(page, witness, reading, came)
        self.category_paths.judge(came.url, is_category=reading.level in ("list", "category"))
        if reading.level in ("home", "list"):
            self._frame[reading.level] = texts_and_pictures(page)
        return reading

    def read_again(self, page: Page, reading: PageVerdict, came: Step) -> PageVerdict:
        """What a page is, and where it leads, that looked like a product's, and by its template is none."""
        fresh = replace(reading, level="other", steps=[], kept=[], skipped=Counter())
        return self._read_on(page, ProductPageEvidence.of(page), fresh, came)

    def _read_on(self, page: Page, witness: ProductPageEvidence, reading: PageVerdict, came: Step) -> PageVerdict:
        records = None
        if reading.level != "detail":
            records = self._searched(page, reading.template)
            if came.role in FEW_SHOWN and not shows_products(records):
                records = self._few_records(page) or records
            reading.level = level_of(page, records)
        if page_key(came.url) == self._start:
            is_category = reading.level in ("list", "category")
            reading.steps.extend(step for step in self.part.decide(is_category=is_category) if self._can_follow(step))
        if self.obey_nofollow and forbids_following(page):
            reading.skipped["robots_meta"] += 1
            return reading
        self._lead_on(page, witness, records, reading, came)
        reading.steps.extend(self._let_go(reading, came))
        return reading

    def _searched(self, page: Page, template: TemplateGroup | None) -> RecordList | None:
        """The records of a page; of one like many that only showed their menu, what is at the menu's place."""
        if template is not None and template.barren.include(page):
            return records_at(page, template.barren.menu) if template.barren.menu else None
        found = self.decide.records(page)
        if template is not None:
            is_list = shows_products(found) or (found is not None and found.next_url is not None)
            template.barren.add(page, found.xpath if found else "", is_list=is_list)
        return found

    def _let_go(self, reading: PageVerdict, came: Step) -> list[Step]:
        """What waited for a page like this one to lead to something. A page of categories promises more than it shows."""
        if reading.level in ("detail", "category", "home") or reading.new_products:
            return self.shapes.paid(came.url)
        return self.shapes.barren(came.url)

    def records(self, page: Page) -> RecordList | None:
        """The page's records, by an XPath that held on an earlier page, else by analysis."""
        for xpath, _ in self.lists.most_common(MAX_LISTS):
            found = records_at(page, xpath)
            if found is not None and shows_products(found) and not self._is_frame(found):
                self.lists[xpath] += 1
                return found
        analysed = records(page, self._template, self.hosts)
        if analysed and shows_products(analysed) and not self._is_frame(analysed):
            self.lists[analysed.xpath] += 1
            if path := link_path(record.link_place for record in analysed if record.link_place):
                self._link_paths[analysed.xpath] = path
        return analysed

    def _is_frame(self, found: RecordList) -> bool:
        """Whether page after page shows these records: languages with their flags, or bestsellers beside every list, are no page's own."""
        names = address_digest("\n".join(record.title or "" for record in found))
        self._record_names[names] += 1
        return self._record_names[names] > MAX_SAME_RECORDS

    def _few_records(self, page: Page) -> RecordList | None:
        """One or two records, as on the last page of a list: too few to be told by themselves, but other lists look the same."""
        tried = (records_at(page, xpath, fewest=1) for xpath, _ in self.lists.most_common(MAX_LISTS))
        return next((found for found in tried if shows_products(found)), None)

    def structure(self) -> dict[str, Any]:
        """What the next walk through this shop may start with: plain data for the rule file."""
        lists = [xpath for xpath, _ in self.lists.most_common(MAX_LISTS)]
        return {
            "categories": self.category_paths.dump(),
            "lists": lists,
            "links": {xpath: self._link_paths[xpath] for xpath in lists if xpath in self._link_paths},
            "templates": self.templates.dump(),
        }

    def due_steps(self) -> list[Step]:
        """What to try when everything else is done: a few of what waits for want of success, then facets."""
        replacing, self._replacing = self._replacing, []
        return (
            replacing
            or [*self._guesses.due()]
            or self.shapes.probes()
            or [Step(url, "facet", group=group) for group, url in self.facets.due()]
        )

    def _judge(self, page: Page, witness: ProductPageEvidence, came: Step) -> PageVerdict:
        """Whether the page is a product's: as the spider says, else as its template does, else, for the time being, by itself."""
        page.known_title = self._title_by_template(page, came)
        decided = self.decide.is_detail(page, witness, came.hint)
        category = self.categories.category_of(came.url, self.same.trusted_signs(came.url)) or came.category
        reading = PageVerdict("other", category=category, title=title_of(witness))
        is_foreign = self.titles.is_of_another(page_key(came.url), reading.title)
        if decided is None and is_foreign:
            decided = is_detail(witness, came.hint)  # it teaches nothing about the shop's templates
        if decided is None and page.known_title is not None:
            decided = True
        if decided is None and not is_home(page):
            summary = PageSummary.of(witness, reading.title, page_key(came.url))
            if came.hint > 0:
                self.templates.show(summary.key, is_priced=came.price is not None)
            reading.template, reading.score = self.templates.add(summary), summary.score
            decided = reading.is_product
            if decided is None:
                decided = is_detail(witness, came.hint)
        if decided:
            reading.level, reading.is_of_another = "detail", is_foreign
            if reading.title and not is_foreign:
                self.same.read(page.url, reading.title, canonical_url(page))
        return reading

    def _title_by_template(self, page: Page, came: Step) -> HtmlElement | None:
        """The title of a product's page, if its template is well known and a list calls the product so: then nothing needs to be judged."""
        if came.hint <= 0 or not came.title:
            return None
        title = self.templates.known_title(page)
        is_agreed = title is not None and is_same_name(text_key(shown_text(title)), text_key(came.title))
        return title if is_agreed else None

    # --- where it leads -----------------------------------------------------------------------------------------------

    def _lead_on(
        self, page: Page, witness: ProductPageEvidence, records: RecordList | None, reading: PageVerdict, came: Step
    ) -> None:
        shown = {cleaned(r.href): r for r in records or () if r.href} if shows_products(records) else {}
        self._place(page, reading, shown, came)
        addresses = frozenset(shown)
        is_repeat = len(shown) > 1 and addresses in self._lists
        is_end = is_repeat and came.role in CONTINUING  # a page number beyond the last one, or a loop
        if page_key(came.url) in self._guesses.asked:
            self._guesses.judged(has_paid=bool(shown) and not is_repeat)
        first = self._lists.setdefault(addresses, page.url)
        found = [*self._record_steps(shown, reading)]
        reading.steps.extend(found)
        reading.new_products = len(found)
        following = self.decide.next_page(page, records) if reading.level != "detail" else None
        if reading.listing:
            reading.listing["is_last"] = following is None
        if is_end:
            self._asked.update(map(page_key, filter(None, [following])))  # whatever else the link to it looks like
            is_leading_here = came.role == "pager" and self.decide.next_page(Page(first, page.html), None) == came.url
            reading.is_repeated = is_leading_here
        elif following and self._admits(following):
            reading.steps.append(Step(following, "pager", reading.category, continues=reading.title))
        elif following is None and not is_repeat and self._is_short(reading, came):
            self._guess(Step(next_numbered(page.url), "guess", reading.category), reading)
        reading.steps.extend(self._guesses.due())
        is_overview = reading.level in ("home", "category")
        tiles = {cleaned(r.href) for r in records or () if r.href} if is_overview else set()
        reading.steps.extend(self._link_steps(page, witness, reading, tiles, is_end=is_end))
        if came.group:
            self.facets.tried(came.group, reading.new_products, is_repeat=is_repeat)

    def _is_short(self, reading: PageVerdict, came: Step) -> bool:
        """Whether a list says that it holds more than its pages showed so far. Where it leads nowhere, a script would get the rest.

        A pager that has come to its end is believed: counts also hold what a shop does not show.
        """
        if came.role == "pager":
            return False
        seen, stated = self.categories.seen.get(reading.category, ()), self.categories.stated.get(reading.category, 0)
        return reading.level == "list" and not came.group and len(seen) < stated

    def _guess(self, step: Step, reading: PageVerdict) -> None:
        if self._admits(step.url):
            self._guesses.waiting.append(step)
            reading.kept.append(step)

    def _place(
        self,
        page: Page,
        reading: PageVerdict,
        shown: Mapping[str, Record],
        came: Step,
    ) -> None:
        """Find the page's place in the category tree, and take down what it says of itself."""
        if reading.level == "home":
            self.categories.learn_menu(page)
            self.categories.count((), shown, None)
        elif reading.level in ("list", "category"):
            is_continued = came.role in CONTINUING or came.group is not None
            reading.category = self.categories.path_of(page, reading.title, came.category, is_continued=is_continued)
            stated = stated_count(page) if shown and came.role not in CONTINUING else None
            self.categories.count(reading.category, shown, stated)
            if shown and not came.group:
                keys = sorted(address_digest(page_key(url)) for url in shown)
                prices = {address_digest(page_key(url)): record.price for url, record in shown.items() if record.price}
                reading.listing = {
                    "category": list(reading.category),
                    "shown": keys,
                    "stated": stated,
                    "prices": prices,
                }
                reading.listing["titles"] = [text for text in (reading.title, page.root.findtext(".//title")) if text]

    def _record_steps(self, shown: Mapping[str, Record], reading: PageVerdict) -> Iterator[Step]:
        called = Counter(record.title for record in shown.values())
        first = 0
        for url, record in sorted(
            shown.items(), key=lambda item: address_digest(item[0])
        ):  # in whatever order they are shown
            if called[record.title] == 1:  # what a list calls several of its records is no name of one: "Bundled items"
                self.titles.add(page_key(url), record.title)
            self.templates.show(page_key(url), is_priced=record.price is not None)
            if self._admits(url) and not self.same.is_asked(url):
                step = Step(url, "record", reading.category, RECORD_HINT, title=record.title, price=record.price)
                yield replace(step, waits=first >= MAX_FIRST)
                first += 1

    def _can_follow(self, step: Step) -> bool:
        return step.role == "listed" or self._admits(step.url)

    def _link_steps(
        self, page: Page, witness: ProductPageEvidence, reading: PageVerdict, tiles: Set[str], *, is_end: bool
    ) -> Iterator[Step]:
        before: str | None = None
        categories = self.category_paths.links(page) if reading.level == "home" else frozenset()
        for found in links(page, witness.title, self._is_asked, categories):
            link = replace(found, url=cleaned(found.url))
            reason = self._refusal(link)
            if reason is None and is_session_switch(link.url, page.url):
                reason = "switch"
            if reason is None and reading.level == "detail" and is_action(link.url, page.url):
                reason = "action"
            if reason is None and is_end and link.role == "pager":
                reason = "repeated_page"
            if reason is None and link.role != "pager" and is_facet(link, page):
                reason = self._kept_back(link, page, reading)
            hint = RECORD_HINT * (link.role == "content" and self._is_pictured(link))
            continued = reading.title if link.role == "pager" else None
            role = "tile" if link.role == "content" and link.url in tiles else link.role
            name = link.text if role in NAMING else None
            category = self._category_of(link, reading)
            after = before if role == "menu" else None
            step = Step(link.url, role, category, hint, continues=continued, name=name, after=after)
            if reason is None and link.role != "pager" and link.url not in tiles and not self.part.holds(link.url):
                self.part.wait(step)
                reason = "outside"
            if reason is not None:
                reading.skipped[reason] += 1
                continue
            self._asked.add(page_key(link.url))
            before = link.url if role == "menu" else before
            is_paced = may_wait(link, reading)
            if reading.level != "home" and not self.shapes.admits(step.url, step, is_paced=is_paced):
                reading.kept.append(step)
                reading.skipped["waits"] += 1
            else:
                yield step

    def _is_pictured(self, link: Link) -> bool:
        """Whether the link shows a picture of what it leads to; one picture for several addresses is a button."""
        return link.picture is not None and self._pictures.setdefault(link.picture or link.url, link.url) == link.url

    def _kept_back(self, link: Link, page: Page, reading: PageVerdict) -> str:
        address, _, query = link.url.partition("?")
        step = Step(link.url, "facet", group=address if query else page_key(page.url))
        if step.group and self.facets.keep(step.group, step.url):
            reading.kept.append(step)
        self._asked.add(page_key(link.url))
        return "facet"

    def _category_of(self, link: Link, reading: PageVerdict) -> CategoryPath:
        """Where the menu places what it leads to, else the category of the page that links to it."""
        in_menu = self.categories.paths.get(page_key(link.url)) if link.role in ("menu", "crumb") else None
        return in_menu or reading.category

    def _admits(self, url: str) -> bool:
        if self._is_asked(url) or is_forbidden(url) or urlsplit(url).netloc.lower() not in self.hosts:
            return False
        self._asked.add(page_key(url))
        return True

    def _is_asked(self, url: str) -> bool:
        return page_key(url) in self._asked

    def _refusal(self, link: Link) -> str | None:
        if self._is_asked(link.url):
            return "again"
        checks = (
            ("offsite", urlsplit(link.url).netloc.lower() not in self.hosts),
            ("nofollow", self.obey_nofollow and link.nofollow),
            ("forbidden", is_forbidden(link.url)),
            ("endless", is_endless(link.url)),
            ("calendar", is_calendar(link.url)),
        )
        return next((name for name, applies in checks if applies), None)


def address_digest(key: str) -> str:
    """A short name for an address: lists are compared by what they show."""
    return blake2b(key.encode(errors="replace"), digest_size=6).hexdigest()


def page_type(page: Page) -> Level:
    """home | category | list | detail | other, from this page alone."""
    if not is_home(page) and is_detail(ProductPageEvidence.of(page), 0.0):
        return "detail"
    return level_of(page, records(page))


def level_of(page: Page, records: RecordList | None) -> Level:
    """The level of a page that is no product's own: by what it repeats."""
    if is_home(page):
        return "home"
    if shows_products(records):
        return "list"
    return "category" if records and len(records) >= MIN_CHILDREN and is_brief(records) else "other"


def is_brief(records: RecordList) -> bool:
    """Whether the records are names with a link, as in an overview of categories, rather than texts."""
    return sum(1 for r in records if len(r.text) <= MAX_BRIEF) >= PRODUCT_RECORDS * len(records)


def shows_products(records: RecordList | None) -> bool:
    """Whether the records are products: most have a picture or a price."""
    if not records:
        return False
    return sum(1 for r in records if r.image or r.price) >= PRODUCT_RECORDS * len(records)


def may_wait(link: Link, reading: PageVerdict) -> bool:
    """Whether the link may be put off: not what may be a category, by its place or because a page of categories shows it pictured."""
    is_tile = link.picture is not None and reading.level != "detail"
    return link.role in PACED and not is_tile and reading.level != "home"


def is_facet(link: Link, page: Page) -> bool:
    """Whether the link shows (a part of) the list on `page` once more: told by its surroundings, or by its address."""
    return link.role in ("facet", "sort") or is_rearranged_list(link.url) or is_refined_list(link.url, page.url)


@lru_cache(maxsize=20_000)  # the menus of a shop are the same on all pages
def cleaned(url: str) -> str:
    """`url` without what only tracks: cleaned at the source, as the filter of duplicates sees requests before any middleware."""
    return clean_url(url) if "?" in url or ";" in url else url


def same_hosts(url: str) -> frozenset[str]:
    """The host of `url` with its port, with and without www."""
    host = urlsplit(url).netloc.lower()
    bare = host.removeprefix("www.")
    return frozenset({bare, f"www.{bare}"})


def forbids_following(page: Page) -> bool:
    """Whether the page asks robots not to follow its links."""
    metas = (meta for meta in page.root.iter("meta") if (meta.get("name") or "").lower() == "robots")
    asked = {word.strip().lower() for meta in metas for word in (meta.get("content") or "").split(",")}
    return bool(asked & {"nofollow", "none"})


def title_of(witness: ProductPageEvidence) -> str | None:
    """What the page calls its subject."""
    return None if witness.title is None else shown_text(witness.title)


def shown_text(element: HtmlElement) -> str:
    """The text of an element."""
    return single_spaced(element.text_content())


def is_detail(witness: ProductPageEvidence, hint: float) -> bool:
    """Whether the page alone is a product's: its own evidence, and that of the record that led to it."""
    return witness.evidence().score + hint >= DETAIL_SCORE
