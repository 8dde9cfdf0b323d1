"""What flows through the pipelines: a page goes in, the offer on it comes out."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

from scout.extraction.process_page import ProductKnowledge
from scout.extraction.reviews import without_authors
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
    level: str = "detail"
    category: tuple[str, ...] = ()
    referer: str | None = None
    urls: tuple[str, ...] = ()
    alternates: tuple[str, ...] = ()  # addresses of the page in other languages, as it says; perhaps never met
    status: int | None = None
    values: dict[str, Any] = field(default_factory=dict)
    token: str | None = None
    headers: dict[str, str] | None = None
    directives: Set[str] = frozenset()  # what the page asks of robots: noindex ...

    @classmethod
    def from_response(cls, response: TextResponse, *, page: Page | None = None, **more: Any) -> PageItem:
        """All that a response tells of its page, and what the spider knows `more`; a shop without a name goes by its host."""
        from scout.fetch import (  # not above: the database's rows need no Scrapy
            FetchState,
            robots_directives,
            take_page,
            validators,
        )

        page = page or take_page(response)
        referer = response.request.headers.get("Referer") if response.request else None
        known = {
            "shop": shop_name(response.url),
            "referer": referer.decode("latin-1") if referer else None,
            "alternates": alternates(page),
            "status": response.status,
            "token": FetchState.of(response).token,
            "headers": validators(response),
            "directives": robots_directives(response),
        }
        return cls(page=page, **{**known, **more})

    @property
    def product(self) -> ProductKnowledge:
        """What the crawl knows of the product besides its page."""
        return ProductKnowledge(self.shop, self.category, self.urls, self.values)

    @property
    def known(self) -> dict[str, Any]:
        """What only the crawl knows of the product, as plain data to keep with the page."""
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


def anonymous_knowledge(known: Mapping[str, Any]) -> dict[str, Any]:
    """What the crawl knew of a product (`PageItem.known`), without the names of its reviewers."""
    values = known.get("values") or {}
    if not values.get("reviews"):
        return dict(known)
    return {**known, "values": {**values, "reviews": without_authors(values["reviews"])}}


class EarlierOffer(dict[str, Any]):
    """An offer that an earlier run of the same crawl stored: feeds that are written anew hold it too, and its product is known."""


class CrawledOffer(Offer):
    """An offer on its way from its page to the database and the feeds, with what the crawl knows of it.

    Only the values are the item: feeds and other pipelines see an Offer, and a copy is one.

    >>> offer = CrawledOffer.of(Offer(title="Lamp"), token="page 1")
    >>> offer, offer.token, CrawledOffer.of(offer) is offer
    ({'title': 'Lamp'}, 'page 1', True)
    """

    visit: Visit | None = None  # the page that it comes from
    token: str | None = None  # the frontier's name for that page
    alternates: tuple[str, ...] = ()
    variant_offers: tuple[Offer, ...] = ()  # stored and exported after it
    is_declared: bool = False  # its provider says what it is: a row of a database need not look like a product

    @classmethod
    def of(cls, offer: Offer, **known: Any) -> CrawledOffer:
        """The offer itself if it is one already, else one with its values; `known` are the attributes to set."""
        made = offer if isinstance(offer, cls) else cls(offer, evidence=offer.evidence)
        vars(made).update(known)
        return made


CrawledOffer.__name__ = (
    "Offer"  # tools know items by the name of their type: to users it is an Offer, as in "Offer/price" for Spidermon
)


def offers_of(item: Any) -> tuple[Offer, ...]:
    """The offer that an item is, followed by those of its variants; none if it is something else."""
    if not isinstance(item, Offer):
        return ()
    return (item, *item.variant_offers) if isinstance(item, CrawledOffer) else (item,)
