"""Walk: how a shop is walked, page by page, without knowing how pages are fetched.

A page goes in, what it is and which links are worth a request come out. All memory of the walk is here: what was asked for already,
which facets still pay, which templates the shop has. The spider only turns steps into requests and product pages into items.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any, Protocol
from urllib.parse import urlsplit

from lxml.html import HtmlElement

from scout.extraction.breadcrumbs import CategoryPath
from scout.extraction.document_head import canonical_url
from scout.extraction.list_template import ListTemplate
from scout.extraction.product_page import ProductPageEvidence, is_detail, is_home
from scout.page import Page
from scout.url_rules import (
    address_digest,
    is_action,
    is_calendar,
    is_endless,
    is_forbidden,
    is_rearranged_list,
    is_refined_list,
    is_same_list,
    is_same_page,
    is_session_switch,
    page_key,
    same_hosts,
)
from scout.urls import clean_url
from scout.values.text import text_key
from scout.walking.categories import Categories
from scout.walking.crawl_budget import Facets, UrlPatternBudget
from scout.walking.empty_pages import UsualPages
from scout.walking.guesses import Guesses
from scout.walking.known_lists import KnownLists
from scout.walking.links import Link, forbids_following, links
from scout.walking.page_types import is_home_link, level_of, shown_text, shows_products, title_of
from scout.walking.pagination import next_numbered
from scout.walking.part import PartOfShop
from scout.walking.records import Record, RecordList, records_at
from scout.walking.same_products import SameProducts
from scout.walking.shop_currency import ShopCurrency
from scout.walking.shown_titles import ShownTitles, is_same_name
from scout.walking.stated_counts import stated_count
from scout.walking.steps import RECORD_HINT, PageVerdict, Step
from scout.walking.templates import PageSummary, TemplateGroup, Templates
from scout.walking.xpaths import CategoryPaths

MAX_FIRST = 4  # products of one page of a list that are read before other lists
NAMING = frozenset({"menu", "crumb", "tile"})  # roles of links that call a list by its name
CONTINUING = frozenset({"pager", "guess"})  # roles of links to further pages of a list
FEW_SHOWN = CONTINUING | {"menu", "crumb"}  # roles of links to lists that may show one product only
PACED = frozenset({"content", "language"})  # roles of links that wait while others of their shape come to nothing


class Decisions(Protocol):
    """The decisions that a spider may take differently; see ShopSpider."""

    def is_detail(self, page: Page, witness: ProductPageEvidence, hint: float) -> bool | None: ...

    def records(self, page: Page) -> RecordList | None: ...

    def next_page(self, page: Page, records: RecordList | None) -> str | None: ...


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
        self.facets = Facets()
        self.shapes: UrlPatternBudget[Step] = UrlPatternBudget()
        self.categories = Categories()
        self.category_paths = CategoryPaths(known.get("categories") or ())
        self.lists = KnownLists(known, self.hosts, template)
        self.templates = Templates.known(known.get("templates") or ())
        self._asked: set[str] = {page_key(start)}
        self._shown: dict[frozenset[str], str] = {}  # what lists show -> the address that was the first to show it
        self._guesses = Guesses()
        self._pictures: dict[str, str] = {}  # the picture of a link -> the address to which it was the first to lead
        self.titles = ShownTitles()
        self.same = SameProducts()
        self._replacing: list[Step] = []  # other addresses of products that could not be had
        self.currency = ShopCurrency()
        self.usual_pages = UsualPages()

    def recall(self, urls: Iterable[str], kept: Iterable[Step] = ()) -> None:
        """These addresses were asked for by an earlier run of the same walk, and these steps kept for later."""
        self._asked.update(map(page_key, urls))
        for step in kept:
            if step.group:
                self.facets.keep(step.group, step.url)
            else:
                self.shapes.hold(step.url, step)

    def begin_at(self, url: str) -> None:
        """The page that the shop gives for the address of the start."""
        self._start = page_key(url)
        if not self.part.is_decided:
            self.part.start = url

    def says_nothing(self, page: Page, verdict: PageVerdict, came: Step) -> bool:
        """Whether the page has no words and pictures of its own: only what it is called, and what stands on the front page or on a list."""
        names = (verdict.title, page.root.findtext(".//title"), came.name, came.continues, *verdict.category)
        return self.usual_pages.says_nothing(page, names)

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
            self.usual_pages.remember(reading.level, page)
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
                records = self.lists.few_records(page) or records
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

    def structure(self) -> dict[str, Any]:
        """What the next walk through this shop may start with: plain data for the rule file."""
        return {"categories": self.category_paths.dump(), **self.lists.dump(), "templates": self.templates.dump()}

    def due_steps(self) -> list[Step]:
        """What to try when everything else is done: a few of what waits for want of success, then facets."""
        replacing, self._replacing = self._replacing, []
        due = replacing or [*self._guesses.due()] or self.shapes.probes()
        return due or [Step(url, "facet", group=group) for group, url in self.facets.due()]

    def _judge(self, page: Page, witness: ProductPageEvidence, came: Step) -> PageVerdict:
        """Whether the page is a product's: as the spider says, else as its template does, else, for the time being, by itself."""
        page.known_title = self._title_by_template(page, came)
        decided = self.decide.is_detail(page, witness, came.hint)
        category = self.categories.category_of(came.url, self.same.trusted_signs(came.url)) or came.category
        reading = PageVerdict("other", category=category, title=title_of(witness))
        is_foreign = self.titles.is_of_another(page_key(came.url), reading.title) and self._may_be_product(
            witness, reading
        )
        if decided is None and is_foreign:
            decided = is_detail(page, came.hint)  # it teaches nothing about the shop's templates
        if decided is None and page.known_title is not None:
            decided = True
        if decided is None and not is_home(page):
            summary = PageSummary.of(witness, reading.title, page_key(came.url))
            if came.hint > 0:
                self.templates.show(summary.key, is_priced=came.price is not None)
            reading.template, reading.score = self.templates.add(summary), summary.score
            reading.find_again = partial(self.templates.find, summary)
            decided = reading.is_product
            if decided is None:
                decided = is_detail(page, came.hint)
        if decided:
            reading.level, reading.is_of_another = "detail", is_foreign
            if reading.title and not is_foreign:
                self.same.read(page.url, reading.title, canonical_url(page))
        return reading

    def _may_be_product(self, witness: ProductPageEvidence, reading: PageVerdict) -> bool:
        """Whether a page is of a template that may be products'; a product's page of reviews has its name, too."""
        summary = PageSummary.of(witness, reading.title)
        template = self.templates.find(summary)
        return template is None or template.is_product(summary.score) is not False

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
        listed = records if records and shows_products(records) else ()
        shown = {cleaned(r.href): r for r in listed if r.href and not is_same_list(r.href, page.url)}
        self._place(page, reading, shown, came)
        addresses = frozenset(shown)
        is_repeat = len(shown) > 1 and addresses in self._shown
        is_end = is_repeat and came.role in CONTINUING  # a page number beyond the last one, or a loop
        if page_key(came.url) in self._guesses.asked:
            self._guesses.judged(has_paid=bool(shown) and not is_repeat)
        first = self._shown.setdefault(addresses, page.url)
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

    def _place(self, page: Page, reading: PageVerdict, shown: Mapping[str, Record], came: Step) -> None:
        """Find the page's place in the category tree, and take down what it says of itself."""
        if reading.level == "home":
            self.categories.learn_menu(page, reading.title)
            self.categories.count((), shown, None)
        elif reading.level in ("list", "category"):
            is_continued = came.role in CONTINUING or came.group is not None
            reading.category = self.categories.path_of(page, reading.title, came.category, is_continued=is_continued)
            stated = stated_count(page) if shown and came.role not in CONTINUING else None
            self.categories.count(reading.category, shown, stated)
            if shown and not came.group:
                reading.listing = listing_of(page, reading, shown, stated)

    def _record_steps(self, shown: Mapping[str, Record], reading: PageVerdict) -> Iterator[Step]:
        called = Counter(record.title for record in shown.values())
        first = 0
        for url in sorted(shown, key=address_digest):  # in whatever order they are shown
            record = shown[url]
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
            step = self._step_to(link, reading, "tile" if link.role == "content" and link.url in tiles else link.role)
            if (
                reason := self._refusal(link)
                or self._reason_here(link, page, reading, is_end=is_end)
                or self._outside(step)
            ):
                reading.skipped[reason] += 1
                continue
            self._asked.add(page_key(link.url))
            if step.role == "menu":
                step, before = replace(step, after=before), link.url
            if reading.level != "home" and not self.shapes.admits(step.url, step, is_paced=may_wait(link, reading)):
                reading.kept.append(step)
                reading.skipped["waits"] += 1
            else:
                yield step

    def _step_to(self, link: Link, reading: PageVerdict, role: str) -> Step:
        hint = RECORD_HINT * (link.role == "content" and self._is_pictured(link))
        continued = reading.title if role == "pager" else None
        name = link.text if role in NAMING else None
        return Step(link.url, role, self._category_of(link, reading), hint, continues=continued, name=name)

    def _reason_here(self, link: Link, page: Page, reading: PageVerdict, *, is_end: bool) -> str | None:
        """Why a link is not followed from this page."""
        if is_session_switch(link.url, page.url):
            return "switch"
        if reading.level == "detail" and is_action(link.url, page.url):
            return "action"
        if reading.level == "detail" and link.role == "content" and self.same.leaves_out(link.url):
            return "same_product"
        if link.role == "pager":
            return "repeated_page" if is_end else None
        return self._kept_back(link, page, reading) if is_facet(link, page) else None

    def _outside(self, step: Step) -> str | None:
        """Whether it lies outside the part of the shop that is walked: then it waits until there is known to be none."""
        if step.role in ("pager", "tile") or self.part.holds(step.url):
            return None
        self.part.wait(step)
        return "outside"

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


def listing_of(page: Page, reading: PageVerdict, shown: Mapping[str, Record], stated: int | None) -> dict[str, Any]:
    """What the account keeps of a list: its category, its products (digests) and their prices, how many it states, what it calls itself."""
    digests = {url: address_digest(page_key(url)) for url in shown}
    return {
        "category": list(reading.category),
        "shown": sorted(digests.values()),
        "stated": stated,
        "prices": {digests[url]: record.price for url, record in shown.items() if record.price},
        "titles": [text for text in (reading.title, page.root.findtext(".//title")) if text],
    }


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
