"""What flows through the pipelines: a page goes in, the offer on it comes out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any
from weakref import ref

from scout.offer import Offer
from scout.page import Page
from scout.urls import shop_name
from scout.walking.links import alternates

if TYPE_CHECKING:
    from scrapy.http import TextResponse


@dataclass(kw_only=True)
class PageItem:
    """A page that carries an offer, as a spider yields it: the spider walks, the pipelines extract.

    `urls` are further addresses of the same product met on the way, `category` is the path that led here, `values` holds what the
    spider itself knows of the product: they win over what the page says. `token` is the frontier's name for the page: a page is not over
    before its items are stored, also those that the spider holds back for a while. `headers` tell next time whether the page has changed.
    """

    page: Page
    shop: str
    crawl: int | None = None
    level: str = "detail"
    category: tuple[str, ...] = ()
    referer: str | None = None
    urls: tuple[str, ...] = ()
    alternates: tuple[str, ...] = ()  # addresses of the page in other languages, as it says; perhaps never met
    status: int | None = None
    values: dict[str, Any] = field(default_factory=dict)
    token: str | None = None
    headers: dict[str, str] | None = None

    @classmethod
    def from_response(cls, response: TextResponse, *, page: Page | None = None, **more: Any) -> PageItem:
        """All that a response tells of its page, and what the spider knows `more`; a shop without a name goes by its host."""
        from scout.fetch import FetchState, take_page  # not above: the database's rows need no Scrapy

        page = page or take_page(response)
        referer = response.request.headers.get("Referer") if response.request else None
        known = {
            "shop": shop_name(response.url),
            "referer": referer.decode("latin-1") if referer else None,
            "alternates": alternates(page),
            "status": response.status,
            "token": FetchState.of(response).token,
        }
        return cls(page=page, **{**known, **more})

    @property
    def known(self) -> dict[str, Any]:
        """What only the crawl knows of the product, to read the page anew later."""
        told = {"category": list(self.category), "values": self.values}
        return {name: value for name, value in told.items() if value}


@dataclass(frozen=True)
class Visit:
    """A page that was fetched, without its content unless pages are kept.

    `headers` are those that tell next time whether it has changed; None where it must be fetched anyway.
    """

    url: str
    level: str | None = None
    referer: str | None = None
    status: int | None = None
    digest: str | None = None
    html: str | None = None
    headers: dict[str, str] | None = None
    known: dict[str, Any] = field(default_factory=dict)
    at: datetime = field(default_factory=lambda: datetime.now(timezone.utc))


def anonymous(reviews: Iterable[Any]) -> list[Any]:
    """The reviews without the names of those who wrote them; one that says nothing else is left out.

    >>> anonymous([{"author": "Ann", "text": "Bright."}, {"author": "Bob"}])
    [{'text': 'Bright.'}]
    """
    nameless = (
        {name: value for name, value in review.items() if name != "author"} if isinstance(review, Mapping) else review
        for review in reviews
    )
    return [review for review in nameless if review]


def anonymous_knowledge(known: Mapping[str, Any]) -> dict[str, Any]:
    """What the crawl knew of a product (`PageItem.known`), without the names of its reviewers."""
    values = known.get("values") or {}
    if not values.get("reviews"):
        return dict(known)
    return {**known, "values": {**values, "reviews": anonymous(values["reviews"])}}


class EarlierOffer(dict[str, Any]):
    """An offer that an earlier run of the same crawl stored: feeds that are written anew hold it too, and its product is known."""


@dataclass
class OfferContext:
    """What a crawl knows of an offer beside its values. It is no part of the item: feeds and other pipelines get the offer alone."""

    visit: Visit | None = None  # the page that it comes from
    token: str | None = None  # the frontier's name for that page
    alternates: tuple[str, ...] = ()
    variants: tuple[Offer, ...] = ()  # offers of their own, which come out after it
    is_declared: bool = False  # its provider says what it is: a row of a database need not look like a product
    first_url: str | None = None  # of the product that it is one more address of


_contexts: dict[int, tuple[ref[Offer], OfferContext]] = {}


def context_of(offer: Offer) -> OfferContext:
    """The context of this very offer, not of its copies, for as long as the offer lives.

    >>> offer = Offer(title="Lamp")
    >>> context_of(offer).token = "page 1"
    >>> context_of(offer).token, context_of(Offer(offer)).token, vars(offer)
    ('page 1', None, {'evidence': {}})
    """
    key = id(offer)
    if key not in _contexts:
        _contexts[key] = ref(offer, lambda _: _contexts.pop(key)), OfferContext()
    return _contexts[key][1]
