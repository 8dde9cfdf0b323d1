"""The answers of a search form without metadata: lists like any other, read by `records`. The part that needs no Scrapy."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from scout.fields import CATEGORY_STEP
from scout.forms.offers import RowSource, offers_from_rows, table_rows
from scout.forms.probing import Answer, Probe, Query
from scout.forms.search import SearchForm
from scout.forms.words import title_words
from scout.offer import Evidence, Offer
from scout.page import Page
from scout.urls import clean_url
from scout.values.tracking import registrable_domain
from scout.walking.guesses import MAX_VAIN
from scout.walking.pagination import declared_next, next_numbered, next_url
from scout.walking.records import Record, records

MIN_TAUGHT = 5  # records from which the place of the list is learned: answers with one or two are read by it
BRAND_WEIGHT = 5  # a brand asks for more than a word of a title does


class ResultLists:
    """Reads result lists; the place of long ones is remembered, and short ones are read there.

    The menu of an answer without results is a list as well, and on every page: what tells is how often a place has shown something else.
    """

    def __init__(self) -> None:
        self._shown: dict[str, set[int]] = {}  # place -> the different lists that it has shown
        self._guessed: set[str] = set()  # addresses that no page named
        self._vain = 0  # of these, how many in a row showed nothing new

    def records(self, page: Page) -> list[Record | OfferRow]:
        """The records of the page that lead to a page of their own; in a table without links, its rows."""
        found = records(page)
        if found is None and not self._shown and (rows := table_rows(page)):
            source = RowSource(page.url.partition("?")[0], page.url, "the result list", page.root.get("lang"))
            return [OfferRow(offer) for offer in offers_from_rows(rows, source) if offer.get("title")]
        if found is not None and len(found) >= MIN_TAUGHT:
            self._shown.setdefault(found.xpath, set()).add(hash(frozenset(record.href for record in found)))
        usual = max(self._shown, key=lambda place: len(self._shown[place]), default=None)  # of several the first
        if usual is not None and (found is None or found.xpath != usual):
            here = [Record((element,), page) for element in page.root.xpath(usual)]
            return own_records(here, page)
        return own_records(found or (), page)

    def next_url(self, page: Page, asking: Asking) -> str | None:
        """The page that continues the list, on the same site; by its number where the answer says that it holds more than it has shown."""
        if page.url in self._guessed:
            self._vain = 0 if asking.has_grown else self._vain + 1
        url = next_url(page) or declared_next(page)
        if url is None and asking.is_short and asking.has_grown and self._vain < MAX_VAIN:
            url = next_numbered(page.url)
            self._guessed.add(url)
        return url if url and registrable_domain(url) == registrable_domain(page.url) else None


@dataclass(frozen=True)
class OfferRow:
    """A row of a result table that leads nowhere: an offer as it stands there."""

    offer: Offer

    @property
    def href(self) -> str:
        return str(self.offer["url"])

    @property
    def title(self) -> str:
        return str(self.offer["title"])

    @property
    def text(self) -> str:
        return self.title


def own_records(found: Iterable[Record], page: Page) -> list[Record | OfferRow]:
    """The records that lead to a page of the same site: an advertisement among them is none of the shop's offers."""
    return [
        record for record in found if record.href and registrable_domain(record.href) == registrable_domain(page.url)
    ]


@dataclass
class Asking:
    """A query while its pages are being read."""

    query: Query
    offers: dict[str, str] = field(default_factory=dict)  # address -> title
    pages: set[str] = field(default_factory=set)
    new: int = 0
    requests: int = 0
    stated: int | None = None
    has_grown: bool = False  # by the page that was added last
    values: dict[str, list[str]] = field(default_factory=dict)  # for the attribute index

    def index(self, values: Mapping[str, str]) -> None:
        """Take in the values of an offer."""
        for name, value in values.items():
            self.values.setdefault(name, []).append(value)

    def add(self, listed: Sequence[Record | OfferRow], probe: Probe, stated: int | None) -> frozenset[str]:
        """Take in a page; the addresses that nobody has seen before."""
        self.requests += 1
        self.stated = self.stated if stated is None else max(stated, self.stated or 0)
        titles = {str(record.href): record.title or record.text for record in listed}
        unseen = frozenset(titles) - probe.vocabulary.seen.keys()
        self.has_grown = not titles.keys() <= self.offers.keys()
        self.offers |= titles
        self.new += probe.vocabulary.add(titles)
        return unseen

    @property
    def is_short(self) -> bool:
        """Whether the answer says that there are more offers than its pages have shown."""
        return self.stated is not None and len(self.offers) < self.stated

    def answer(self) -> Answer:
        """All pages together."""
        stated = self.stated if self.stated is not None and self.stated >= len(self.offers) else None
        return Answer(self.offers, self.new, self.requests, stated, is_paged=bool(self.pages))


def asked_values(search: SearchForm, query: Query) -> dict[str, str]:
    """What a query itself says of the offers that it finds: the label of the brand or category that it asked for."""
    chosen = dict(query)
    found = {}
    for choice in search.choices:
        if choice.attribute in ("brand", "category") and choice.name in chosen:
            labels = {one.value: one.label for one in choice.element.domain}
            found[choice.attribute] = labels.get(chosen[choice.name]) or chosen[choice.name]
    return found


def record_offer(record: Record | OfferRow, known: Mapping[str, str]) -> Offer:
    """A record of a result list as an offer: what the list shows, and what the query asked for."""
    offer = record.offer if isinstance(record, OfferRow) else _shown_offer(record)
    for name, value in known.items():
        offer[name] = value
        offer.evidence[name] = Evidence("the query", raw=value, origin="crawl")
    return offer


def _shown_offer(record: Record) -> Offer:
    url = clean_url(str(record.href))
    shown: dict[str, Any] = {"title": record.title, "price": record.price}
    shown["images"] = [record.image] if record.image else None
    offer = Offer({"url": url, **{name: value for name, value in shown.items() if value}})
    offer.evidence |= {
        name: Evidence("the result list", raw=str(offer[name]), origin="induced") for name in offer if name != "url"
    }
    return offer


def known_words(offers: Iterable[Mapping[str, Any]]) -> Counter[str]:
    """Words worth asking for: those of brands, categories and titles, by how often they are met."""
    found: Counter[str] = Counter()
    for offer in offers:
        if brand := offer.get("brand"):
            found[str(brand).lower()] += BRAND_WEIGHT
        steps = str(offer.get("category") or "").split(CATEGORY_STEP)
        found.update(word for text in (*steps[-1:], str(offer.get("title") or "")) for word in title_words(text))
    return found
