"""Offers: found, filtered and sorted; one offer with its history, addresses and evidence."""

from __future__ import annotations

from starlette.responses import Response

from scout.store import browsing
from scout.store.browsing import OfferFilter
from scout.store.shops import shop_names
from scout.studio.evidence import explained_fields
from scout.studio.price_chart import price_chart
from scout.studio.workshop import Asked, Refused, Workshop

SCREEN = 50  # offers
AVAILABILITIES = ("InStock", "OutOfStock", "PreOrder", "BackOrder")


def list_offers(workshop: Workshop, asked: Asked) -> Response:
    """A screen of the offers that were asked for."""
    wanted = offer_filter(asked)
    with workshop.store.reading() as connection:
        try:
            rows = browsing.listed_offers(connection, wanted, _last_place(asked), SCREEN + 1)
        except ValueError as error:
            raise Refused(400, "This is no place in the list of offers.") from error
        is_all = len(rows) <= SCREEN and "after" not in asked.query
        total = len(rows) if is_all else browsing.count_offers(connection, wanted)
        shops = shop_names(connection)
    more = rows[SCREEN - 1] if len(rows) > SCREEN else None
    following = asked.address(after=more.key, id=more.id) if more else None
    return workshop.show(
        "offers.html",
        asked,
        wanted=wanted,
        rows=rows[:SCREEN],
        total=total,
        following=following,
        states=AVAILABILITIES,
        most=browsing.MAX_COUNT,
        shops=shops,
        is_first="after" not in asked.query,
    )


def offer_filter(asked: Asked) -> OfferFilter:
    """What the address asks for; unknown values are the defaults."""
    query = asked.query
    sort = query.get("sort", "")
    known = sort.lstrip("-") in browsing.SORTS
    return OfferFilter(
        text=query.get("q", "").strip()[:200],
        shop=query.get("shop", ""),
        availability=query.get("availability", ""),
        price=query.get("price", ""),
        sort=sort.lstrip("-") if known else "added",
        descending=sort.startswith("-") if known else True,
    )


def _last_place(asked: Asked) -> tuple[str, int] | None:
    id_ = asked.number("id")
    return (asked.query["after"], id_) if id_ is not None and "after" in asked.query else None


def show_offer(workshop: Workshop, asked: Asked) -> Response:
    """One offer: its values and where they come from, its history, its addresses, its pages."""
    id_ = asked.names["offer"]
    found = workshop.store.offers_by_id([id_])
    if not found:
        raise Refused(404, "There is no such offer; it may have been merged with another one of the same product.")
    with workshop.store.reading() as connection:
        changes = browsing.price_changes(connection, id_)
        pages = browsing.pages_of_offer(connection, id_)
    kept = next((page for page in pages if page.is_kept), None)
    return workshop.show(
        "offer.html",
        asked,
        offer=found[0],
        fields=explained_fields(found[0]),
        changes=changes,
        chart=price_chart(changes, found[0].last_seen),
        pages=pages,
        kept=kept,
    )
