"""Which offers are gone. Only the shop can say so: by 404 or 410, by a page that says it, or by a complete crawl that does not show them.

An offer whose page failed, was refused, is forbidden or was not asked is not gone: it keeps its last values and grows older.
"""

from __future__ import annotations

from typing import Any, Literal

from sqlalchemy import ColumnElement, Connection, Select, and_, func, or_, select, union

from scout.store.crawls import NARROW, SHOP_SPIDER, last_complete_crawl, last_complete_crawls
from scout.store.models import Crawl, FrontierUrl, OfferAddress, StoredOffer

OfferState = Literal["current", "unreached", "gone"]  # unreached: the newest crawl of the shop has not read it

GONE, FORBIDDEN = "gone", "forbidden"  # scout.crawl.account.AccountState


def newest_crawl(connection: Connection, shop: int) -> int:
    """The id of the newest crawl of the whole shop, however it ended; 0 if there was none."""
    query = select(func.max(Crawl.id)).where(Crawl.shop_id == shop, Crawl.spider == SHOP_SPIDER)
    return connection.execute(query).scalar() or 0


def is_gone(shop: int) -> ColumnElement[bool]:
    """The condition that an offer of this shop is gone."""
    return _is_gone(func.coalesce(last_complete_crawl(shop), 0), shop)


def is_gone_from_its_shop(complete: ColumnElement[int]) -> ColumnElement[bool]:
    """The condition that an offer of any shop is gone; `complete` is the last complete crawl of its shop, or 0."""
    return _is_gone(complete, None)


def _is_gone(complete: Any, shop: int | None) -> ColumnElement[bool]:
    is_unseen = func.coalesce(StoredOffer.crawl_id, 0) < complete
    is_forbidden = StoredOffer.id.in_(_settled_offers(FORBIDDEN, shop))
    return or_(and_(is_unseen, ~is_forbidden), StoredOffer.id.in_(_settled_offers(GONE, shop)))


def _settled_offers(outcome: str, shop: int | None) -> Any:
    """The offers whose page came to this in the last complete crawl of their shop or later, and that no crawl has read since."""
    own = (
        _settled(outcome, shop, *pair) for pair in ((OfferAddress, OfferAddress.url), (StoredOffer, StoredOffer.parent))
    )
    return union(*own)


def _settled(outcome: str, shop: int | None, source: Any, url: Any) -> Select[Any]:
    complete = last_complete_crawls()
    query = select(StoredOffer.id).select_from(FrontierUrl).join(Crawl, Crawl.id == FrontierUrl.crawl_id)
    query = query.outerjoin(complete, complete.c.shop_id == Crawl.shop_id)
    query = query.join(source, and_(source.shop_id == Crawl.shop_id, url == FrontierUrl.url))
    if source is not StoredOffer:
        query = query.join(StoredOffer, StoredOffer.id == source.offer_id)
    is_later = and_(Crawl.id >= func.coalesce(complete.c.id, 0), Crawl.id > func.coalesce(StoredOffer.crawl_id, 0))
    query = query.where(FrontierUrl.outcome == outcome, Crawl.spider.in_((SHOP_SPIDER, *NARROW)), is_later)
    return query if shop is None else query.where(Crawl.shop_id == shop)


def state_of(crawl: int | None, newest: int, *, gone: bool) -> OfferState:
    """The state of an offer that this crawl has read last.

    >>> state_of(3, 3, gone=False), state_of(2, 3, gone=False), state_of(None, 0, gone=False)
    ('current', 'unreached', 'current')
    """
    return "gone" if gone else "current" if (crawl or 0) >= newest else "unreached"
