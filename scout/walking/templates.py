"""Templates: pages of one structure, judged together, in whatever order they came.

Two pages are of one template where their titles stand at the same place of the tree and most classes and ids are the same. Whether its
pages are products is decided for the template: by the evidence of all its pages, by how many of them lists lead to, by how far it is
behind the shop's best template, because a shop has products, by whether lists show prices for the best one and none for it, and by
whether its addresses are of the same form. The weights are fitted (`template` in scout/data/weights.yaml) by `bench.fit` to walks through
whole shops.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any
from urllib.parse import unquote, urlsplit

from lxml.html import HtmlElement

from scout.extraction.product_page import ProductPageEvidence, template_names
from scout.extraction.weights import belief, bias
from scout.page import Page
from scout.url_rules import without_numbers

MIN_LIKENESS = 0.7  # of classes and ids in common, from which two pages are of one template
FEW_NAMES = 30  # classes and ids of a page: so few do not tell its template
MIN_KNOWN = 0.9  # of the names that marked a template in an earlier crawl
RIPE = 5  # pages from which a template may be decided before the end
WELL_KNOWN = 10  # pages, all of them products, from which a template says what a page is before the page is read
MIN_BEST = 3  # pages of the template that others are measured against
SURE = 3.0  # log-odds from which a template is decided before the end; for one that an earlier crawl knew
MOST, LEAST = 6.0, -8.0  # log-odds: evidence beyond says no more
RECORDED = 2.0  # log-odds that a template gains where lists lead to all of its pages
FAR_BEHIND = 6.0  # log-odds: further behind the best template makes no difference
DOUBT = 2.0  # pages: a template of so many pages says half of what one of many pages does
NEARLY_ALL = 0.9  # of a template's addresses: words that they have in common
SEVERAL = 2  # titles: products have names of their own, and a wall has one for all addresses
ENOUGH = 200  # pages of one template: more change nothing
MAX_NAMES = 40  # of a template that are kept for the next crawl
MARK = "product"  # in the rule file: what a person says of a template
_WORD = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True)
class PageSummary:
    """What a template keeps of a page: where its title stands, the names in it, its own evidence, its address."""

    place: str
    names: frozenset[str]
    score: float
    title: str | None = None
    address: frozenset[str] = frozenset()  # see address_words
    key: str = ""  # by which lists name it; "" where none can
    tags: frozenset[str] = frozenset()  # which elements stand in which, where there are few names

    @classmethod
    def of(cls, witness: ProductPageEvidence, title: str | None, key: str = "") -> PageSummary:
        """The summary of a page with this title."""
        score = min(MOST, max(LEAST, witness.evidence().score))
        names, address = witness.names, address_words(witness.page.url)
        tags = _tag_pairs(names, witness.page.root)
        return cls(title_place(witness.title), names, score, title=title, address=address, key=key, tags=tags)


def address_words(url: str) -> frozenset[str]:
    """The words of an address, and how deep its path is: what addresses of the same kind of page have in common is among them.

    >>> sorted(address_words("http://a.example/index.php?route=product&product_id=3"))
    ['/1', 'id', 'index', 'php', 'product', 'route']
    """
    parts = urlsplit(url)
    depth = "/" + str(parts.path.rstrip("/").count("/"))
    return frozenset(_WORD.findall(unquote(f"{parts.path} {parts.query}").lower())) | {depth}


def _tag_pairs(names: frozenset[str], root: HtmlElement) -> frozenset[str]:
    """What tells pages apart where little in them has a name: which elements stand in which."""
    if len(names) >= FEW_NAMES:
        return frozenset()
    return frozenset(
        f"<{element.tag}><{child.tag}>" for element in root.iter("*") for child in element.iterchildren("*")
    )


def _marks(page: Page) -> frozenset[str]:
    names = template_names(page)
    return names | _tag_pairs(names, page.root)


def _shared(core: frozenset[str], own: frozenset[str]) -> float:
    return len(core & own) / len(core | own) if core or own else 1.0


def title_place(title: HtmlElement | None) -> str:
    """The way from the body down to the title, by tags and ids, numbers aside; "" where there is no title."""
    if title is None:
        return ""
    way = (element for element in (title, *title.iterancestors()) if element.tag not in ("html", "body"))
    return "/".join(f"{e.tag}#{without_numbers(e.get('id'))}" if e.get("id") else e.tag for e in way)


def _elements_at(place: str, root: HtmlElement) -> list[HtmlElement]:
    """The elements to which the tags of a title's place lead."""
    found = [root]
    for tag in ("body", *(step.partition("#")[0] for step in reversed(place.split("/")))):
        found = [child for element in found for child in element.iterchildren(tag)]
    return found


@dataclass(frozen=True)
class Standard:
    """What the other templates of a shop are measured by: its best one."""

    belief: float = LEAST  # what its pages say
    price_share: float = 0.0  # for how many of them lists show a price
    address: frozenset[str] = frozenset()  # words that nearly all of its addresses have


@dataclass
class BarrenPages:
    """The pages of a template that show no list but, if anything, a menu: what has nothing that they lack need not be searched."""

    pages: int = 0
    names: set[str] = field(default_factory=set)  # classes and ids, and tags where there are few
    links: int = 0  # links and pictures of the page that has most
    menu: str = ""  # XPath of what they repeat
    has_lists: bool = False  # on any page, or another menu

    def add(self, page: Page, menu: str, *, is_list: bool) -> None:
        """One more page, searched."""
        self.has_lists |= is_list or (self.pages > 0 and menu != self.menu)
        self.menu = menu
        self.pages += 1
        self.names |= _marks(page)
        self.links = max(self.links, _count_links(page))

    def include(self, page: Page) -> bool:
        """Whether a page is like many that led to nothing."""
        is_known = self.pages >= WELL_KNOWN and not self.has_lists
        return is_known and self.names >= _marks(page) and self.links >= _count_links(page)


def _count_links(page: Page) -> int:
    return sum(row[1] in ("a", "img") for row in page.outline.rows)


@dataclass(eq=False)
class TemplateGroup:
    """The pages of one template."""

    place: str
    known: frozenset[str] = frozenset()  # names that marked it in an earlier crawl
    prior: float | None = None  # log-odds that a page of it is a product before its own evidence; None: not decided yet
    mark: bool | None = None  # whether a person says that its pages are products; None: nobody says anything
    pages: int = 0
    score: float = 0.0  # sum over its pages
    recorded: int = 0  # pages that lists lead to
    priced: int = 0  # pages whose price lists show
    others: int = 0  # pages that were no products by their own evidence, when they came
    titles: set[str | None] = field(default_factory=set)  # two are enough
    core: frozenset[str] = frozenset()  # names that most of its pages have
    tag_core: frozenset[str] = frozenset()  # the same of its tags
    barren: BarrenPages = field(default_factory=BarrenPages)
    _names: Counter[str] = field(default_factory=Counter)
    _tags: Counter[str] = field(default_factory=Counter)
    _addresses: Counter[str] = field(default_factory=Counter)  # words of addresses, by pages

    def likeness(self, names: frozenset[str], tags: frozenset[str] = frozenset()) -> float:
        """How much of its names, and of its tags where they count, a page has in common with this template, 0 to 1."""
        if not self.pages:
            return float(len(self.known & (names | tags)) >= MIN_KNOWN * len(self.known))
        return min(_shared(self.core, names), _shared(self.tag_core, tags))

    def add(self, page: PageSummary) -> bool:
        """One more page; whether it counts."""
        if self.pages >= ENOUGH:
            return False
        self.pages += 1
        self.score += page.score
        self.others += self.is_product(page.score) is False
        if len(self.titles) < SEVERAL:
            self.titles.add(page.title)
        self._names.update(page.names)
        self._tags.update(page.tags)
        self._addresses.update(page.address)
        if self.pages < 2 * RIPE or self.pages % RIPE == 0:
            self.core, self.tag_core = (
                frozenset(name for name, count in counts.items() if 2 * count >= self.pages)
                for counts in (self._names, self._tags)
            )
        return True

    def show(self, *, is_new: bool, is_priced: bool) -> None:
        """Lists lead to one of its pages; `is_new` where none did before, `is_priced` where none said its price before."""
        self.recorded += is_new
        self.priced += is_priced

    def marked_row(self, mark: bool) -> dict[str, Any]:
        """This template in the rule file, as a person has marked it."""
        return {"title": self.place, "names": sorted(self.known or self.core | self.tag_core)[:MAX_NAMES], MARK: mark}

    @property
    def belief(self) -> float:
        """What its pages say on average, and the lists that lead to them."""
        return min(MOST, (self.score + RECORDED * self.recorded) / (self.pages or 1))

    def is_product(self, score: float) -> bool | None:
        """Whether a page of this template with this evidence is a product; None where that is still to be seen."""
        if self.mark is not None:
            return self.mark
        prior = _highest_prior() if self.prior is None else self.prior
        is_product = prior + belief("template", {"own": score}) >= 0
        return None if self.prior is None and is_product else is_product

    def title_on(self, page: Page) -> HtmlElement | None:
        """The element that shows the title of a page of this template; None where the page may be of another, or of no product."""
        is_sure = self.prior is not None and self.pages >= WELL_KNOWN and not self.others
        if not (is_sure and self.is_products and self.place):
            return None
        found = [element for element in _elements_at(self.place, page.root) if title_place(element) == self.place]
        names = template_names(page) if len(found) == 1 else frozenset()
        is_like = self.likeness(names, _tag_pairs(names, page.root)) >= MIN_LIKENESS
        has_core = len(self.core & names) >= MIN_KNOWN * len(self.core)
        return found[0] if names and is_like and has_core else None

    @property
    def is_products(self) -> bool:
        """Whether its usual page is a product."""
        return bool(self.is_product(self.score / self.pages if self.pages else 0.0))

    @property
    def price_share(self) -> float:
        """How many of the records that lead to it show a price, 0 to 1."""
        return self.priced / (self.recorded or 1)

    @property
    def address(self) -> frozenset[str]:
        """The words that nearly all of its addresses have."""
        return frozenset(word for word, count in self._addresses.items() if count >= NEARLY_ALL * self.pages)

    def features(self, best: Standard) -> dict[str, float]:
        """What speaks for its pages beside their own evidence, compared with the best template."""
        weight = self.pages / (self.pages + DOUBT)
        behind = min(FAR_BEHIND, max(0.0, best.belief - self.belief))
        if self.pages >= RIPE and len(self.titles) < SEVERAL and None not in self.titles:  # no title is not one for all
            behind = FAR_BEHIND
        alike = min((self._addresses[word] for word in best.address), default=self.pages)
        return {
            "recorded": weight * self.recorded / (self.pages or 1),
            "behind": weight * behind,
            "unpriced": weight * max(0.0, best.price_share - self.price_share),
            "elsewhere": 1.0 - alike / (self.pages or 1),  # a single page has an address too
        }

    def log_odds(self, best: Standard) -> float:
        """What a page of it has before its own evidence, beside this best template."""
        return belief("template", self.features(best)) + bias("template")


@cache
def _highest_prior() -> float:
    """The log-odds of a template to whose pages lists lead, and which is the shop's best."""
    return belief("template", {"recorded": 1.0}) + bias("template")


@dataclass
class Templates:
    """The templates of one shop."""

    groups: dict[str, list[TemplateGroup]] = field(default_factory=dict)  # by the place of the title
    _shown: dict[str, bool] = field(default_factory=dict)  # key of a page that lists lead to -> whether with its price
    _counted: dict[str, TemplateGroup] = field(
        default_factory=dict
    )  # key of a page -> the template that has counted it

    @classmethod
    def known(cls, rows: Iterable[Mapping[str, Any]]) -> Templates:
        """The templates of products that an earlier crawl has found, as `dump` wrote them, and those that a person has marked."""
        found = cls()
        for row in rows:
            group = TemplateGroup(str(row["title"]), frozenset(row["names"]), SURE, row.get(MARK))
            found.groups.setdefault(group.place, []).append(group)
        for groups in found.groups.values():
            groups.sort(
                key=lambda group: group.mark is None
            )  # of two that are as like a page, the first is its template
        return found

    def dump(self) -> list[dict[str, Any]]:
        """The templates of products and the names that only they have, as plain data for the rule file."""
        rows = [group.marked_row(group.mark) for group in self if group.mark is not None]
        every = [group for group in self if group.pages >= RIPE]
        for group in every:
            names = self.own_names(group, every)
            if group.is_products and names and group.mark is None:
                rows.append({"title": group.place, "names": sorted(names)[:MAX_NAMES]})
        return rows

    def own_names(self, group: TemplateGroup, among: Iterable[TemplateGroup]) -> frozenset[str]:
        """The names in most pages of this template, and in few of those."""
        others = (other.core | other.tag_core for other in among if other is not group)
        return (group.core | group.tag_core).difference(*others)

    def __iter__(self) -> Iterator[TemplateGroup]:
        for groups in self.groups.values():
            yield from groups

    def add(self, page: PageSummary) -> TemplateGroup:
        """The template of a page, which learns from it."""
        group = self.find(page)
        if group is None:
            group = TemplateGroup(page.place)
            self.groups.setdefault(page.place, []).append(group)
        if group.add(page) and page.key:
            self._counted[page.key] = group
            group.show(is_new=page.key in self._shown, is_priced=self._shown.get(page.key, False))
        self._decide(group)
        return group

    def find(self, page: PageSummary) -> TemplateGroup | None:
        """The template of a page, which learns nothing from it; None where there is none like it yet."""
        likeness = {group: group.likeness(page.names, page.tags) for group in self.groups.get(page.place, ())}
        best = max(likeness, key=likeness.__getitem__, default=None)
        return best if best is not None and likeness[best] >= MIN_LIKENESS else None

    def known_title(self, page: Page) -> HtmlElement | None:
        """The title of a page of a template that is well known for its products; None of any other."""
        titles = (group.title_on(page) for group in self)
        return next((title for title in titles if title is not None), None)

    def show(self, key: str, *, is_priced: bool) -> None:
        """A list leads to the page with this key, and says its price or not; the page may have been read before."""
        known = self._shown.get(key)
        if known is None or known < is_priced:
            self._shown[key] = is_priced
            if key in self._counted:
                self._counted[key].show(is_new=known is None, is_priced=is_priced)

    def decide_all(self) -> None:
        """Decide the rest: everything has been seen that can be waited for."""
        best = self.best()
        for group in self:
            if group.prior is None:
                group.prior = group.log_odds(best)

    def _decide(self, group: TemplateGroup) -> None:
        """Decide what no further page is likely to change: it looks as good as any shop's products, or is far behind this one's."""
        if group.prior is not None or group.pages < RIPE:
            return
        best = self.best()
        usual, prior = belief("template", {"own": group.score / group.pages}), group.log_odds(best)
        if group.log_odds(replace(best, belief=MOST)) + usual >= SURE or prior + usual <= -SURE:
            group.prior = prior

    def best(self) -> Standard:
        """The shop's best template, as far as others are measured by it."""
        judged = (group for group in self if group.pages >= MIN_BEST and group.mark is not False)
        found = max(judged, key=lambda group: group.belief, default=None)
        return Standard() if found is None else Standard(found.belief, found.price_share, found.address)
