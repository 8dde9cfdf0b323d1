"""What a refresh of prices begins with: the shop's lists as they were last read, and what is known of each offer's price."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from sqlalchemy import Connection, func, select

from scout.errors import UsageError
from scout.frontier.ledger import listed_key
from scout.frontier.requests import shown_step
from scout.store import Store
from scout.store.columns import now
from scout.store.crawls import COMPLETE, PRICES_SPIDER, SHOP_SPIDER
from scout.store.models import Crawl, FrontierUrl, OfferAddress, PriceChange, Shop, StoredOffer
from scout.store.presence import is_gone
from scout.walking.revisits import Watched, change_rates, stale_probability
from scout.walking.steps import Step

DAY = timedelta(days=1)
REQUESTS = "downloader/request_count"  # Scrapy's stat


@dataclass(frozen=True)
class KnownPrice:
    """An offer of the shop, the price that is stored of it, and how it was watched."""

    id: int
    url: str
    price: Decimal | None
    currency: str | None
    seen_at: datetime | None
    watched: Watched


@dataclass
class RefreshInputs:
    """The lists with what each shows, the offers, which addresses are theirs, and which price a list showed last for each."""

    lists: list[tuple[Step, frozenset[str]]] = field(default_factory=list)
    offers: dict[int, KnownPrice] = field(default_factory=dict)
    owners: dict[str, int] = field(default_factory=dict)  # listed_key of an address -> offer
    texts: dict[str, str | None] = field(default_factory=dict)  # listed_key -> what the list said
    spent: int = 0  # requests of refreshes in the last day


def refresh_inputs(store: Store, shop: str) -> RefreshInputs:
    """What is known of the shop; UsageError where it was never read completely."""
    inputs = RefreshInputs()
    with store.reading() as connection:
        id_ = connection.execute(select(Shop.id).where(Shop.name == shop)).scalar()
        whole = _last_whole_crawl(connection, id_)
        if id_ is None or whole is None:
            raise UsageError(
                f"The prices of {shop} cannot be refreshed: none of its crawls is complete. Crawl it without refresh=prices."
            )
        lists: dict[str, tuple[Step, frozenset[str]]] = {}
        for url, request, listing in _listings(connection, id_, whole):
            step = shown_step(request)
            lists[url] = (step or Step(url, "menu", tuple(listing["category"])), frozenset(listing["shown"]))
            inputs.texts |= listing.get("prices") or {}
        inputs.lists = list(lists.values())
        inputs.offers = {offer.id: offer for offer in _known_prices(connection, id_)}
        inputs.owners = _owners(connection, id_, inputs.offers)
        inputs.spent = _spent(connection, id_)
    return inputs


@dataclass(frozen=True)
class PriceAges:
    """How long ago the prices of a shop were seen in it."""

    shop: str
    counts: tuple[int, ...]  # all; seen within a day, a week, a month, before; never since this is written down
    oldest_days: float | None
    expected_stale: (
        float | None
    )  # the share that has changed since, as far as their past tells; None: nothing was seen twice

    @property
    def described_stale(self) -> str:
        return "not known" if self.expected_stale is None else f"{self.expected_stale:.1%}"

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        names = ("prices", "day", "week", "month", "older", "never")
        own = {"shop": self.shop, **dict(zip(names, self.counts, strict=True))}
        return {**own, "oldest_days": self.oldest_days, "expected_stale": self.expected_stale}


def price_ages(store: Store, shop: str) -> PriceAges:
    """The ages of all prices of the shop's products, and how many of them are expected to be stale."""
    store.shop(shop)  # raises for an unknown one
    with store.reading() as connection:
        id_ = connection.execute(select(Shop.id).where(Shop.name == shop)).scalar_one()
        priced = [offer for offer in _known_prices(connection, id_) if offer.price is not None]
    at = now()
    days = [(at - offer.seen_at) / DAY for offer in priced if offer.seen_at]
    within = [sum(age <= limit for age in days) for limit in (1, 7, 30)]
    seen = (within[0], within[1] - within[0], within[2] - within[1], len(days) - within[2])
    rates = change_rates([offer.watched for offer in priced])
    stale = None
    if rates is not None:
        ages = [(at - offer.seen_at) / DAY if offer.seen_at else float("inf") for offer in priced]
        stale = round(sum(map(stale_probability, rates, ages)) / len(priced), 4)
    oldest = round(max(days), 2) if days else None
    return PriceAges(shop, (len(priced), *seen, len(priced) - len(days)), oldest, stale)


def listed_prices(store: Store, crawl: int) -> dict[str, str | None]:
    """What the lists that a crawl has read so far say."""
    query = select(FrontierUrl.listing).where(FrontierUrl.crawl_id == crawl, FrontierUrl.listing.is_not(None))
    with store.reading() as connection:
        shown = [
            dict.fromkeys(found["shown"]) | (found.get("prices") or {})
            for found in connection.execute(query).scalars()
            if found
        ]
    return {key: text for texts in shown for key, text in texts.items()}


def _last_whole_crawl(connection: Connection, shop: int | None) -> int | None:
    query = select(func.max(Crawl.id)).where(Crawl.shop_id == shop, Crawl.spider == SHOP_SPIDER)
    return connection.execute(query.where(Crawl.reason == COMPLETE)).scalar()


def _listings(connection: Connection, shop: int, since: int) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """The lists of the last complete crawl and of complete refreshes since, oldest first."""
    query = select(FrontierUrl.url, FrontierUrl.request, FrontierUrl.listing).join(
        Crawl, Crawl.id == FrontierUrl.crawl_id
    )
    query = query.where(
        Crawl.shop_id == shop, Crawl.id >= since, Crawl.reason == COMPLETE, FrontierUrl.listing.is_not(None)
    )
    query = query.where(Crawl.spider.in_((SHOP_SPIDER, PRICES_SPIDER))).order_by(Crawl.id, FrontierUrl.id)
    return ((url, request, listing) for url, request, listing in connection.execute(query) if listing)


def _known_prices(connection: Connection, shop: int) -> Iterator[KnownPrice]:
    """The products that are there; variants are read with them."""
    changes = select(PriceChange.offer_id, (func.count() - 1).label("count_")).group_by(PriceChange.offer_id).subquery()
    columns = (StoredOffer.id, StoredOffer.url, StoredOffer.price, StoredOffer.currency, StoredOffer.price_seen_at)
    query = select(
        *columns, StoredOffer.first_seen, StoredOffer.price_checks, func.coalesce(changes.c.count_, 0).label("changes")
    )
    query = query.outerjoin(changes, changes.c.offer_id == StoredOffer.id)
    query = query.where(StoredOffer.shop_id == shop, StoredOffer.parent.is_(None), ~is_gone(shop)).order_by(
        StoredOffer.id
    )
    for row in connection.execute(query):
        days = (row.price_seen_at - row.first_seen) / DAY if row.price_seen_at else 0.0
        watched = Watched(max(row.price_checks - 1, 0), row.changes, days)
        yield KnownPrice(row.id, row.url, row.price, row.currency, row.price_seen_at, watched)


def _owners(connection: Connection, shop: int, offers: Mapping[int, KnownPrice]) -> dict[str, int]:
    query = select(OfferAddress.url, OfferAddress.offer_id).where(OfferAddress.shop_id == shop)
    return {listed_key(url): offer for url, offer in connection.execute(query) if offer in offers}


def _spent(connection: Connection, shop: int) -> int:
    query = select(Crawl.stats).where(
        Crawl.shop_id == shop, Crawl.spider == PRICES_SPIDER, Crawl.started_at > now() - DAY
    )
    return sum(int(stats.get(REQUESTS, 0)) for stats in connection.execute(query).scalars())
