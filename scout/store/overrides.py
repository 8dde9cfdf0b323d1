"""Values that a person has set for one offer: they win over whatever its page says, in every crawl, and its evidence says so."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, delete, select

from scout.fields import field, value_text
from scout.offer import Evidence, Offer
from scout.store.columns import now
from scout.store.identity import BatchProduct, digest
from scout.store.models import ValueOverride
from scout.store.upsert import upsert

OVERRIDE = "override"  # the origin of such a value


@dataclass(frozen=True)
class OverrideRecord:
    """A value that somebody has set; None: the offer has none."""

    field: str
    value: str | None
    person: str
    decided_at: datetime


def save_override(connection: Connection, shop: int, url: str, name: str, value: str | None, person: str) -> None:
    """Set a value of the offer at this URL; a later one replaces it."""
    row = {"shop_id": shop, "key": digest(url), "field": name, "value": value, "person": person, "decided_at": now()}
    upsert(connection, ValueOverride, [row], key=("shop_id", "key", "field"), update=("value", "person", "decided_at"))


def remove_override(connection: Connection, shop: int, urls: Iterable[str], name: str) -> None:
    """Believe the page again: forget the value that was set for the offer at these URLs."""
    own = ValueOverride.shop_id == shop, ValueOverride.field == name
    connection.execute(delete(ValueOverride).where(*own, ValueOverride.key.in_([digest(url) for url in urls])))


def overrides(connection: Connection, shop: int, urls: Iterable[str]) -> dict[str, OverrideRecord]:
    """Field -> the value that was set for the offer at these URLs."""
    keys = [digest(url) for url in urls]
    return {name: record for found in _overrides(connection, shop, keys).values() for name, record in found.items()}


def _overrides(connection: Connection, shop: int, keys: Sequence[str]) -> dict[str, dict[str, OverrideRecord]]:
    columns = (ValueOverride.field, ValueOverride.value, ValueOverride.person, ValueOverride.decided_at)
    query = select(ValueOverride.key, *columns).where(ValueOverride.shop_id == shop, ValueOverride.key.in_(keys))
    found: dict[str, dict[str, OverrideRecord]] = {}
    for row in connection.execute(query.order_by(ValueOverride.decided_at, ValueOverride.id)):
        found.setdefault(row.key, {})[row.field] = OverrideRecord(row.field, row.value, row.person, row.decided_at)
    return found


def apply_overrides(connection: Connection, shop: int, products: Sequence[BatchProduct]) -> None:
    """Put the values that persons have set into the offers of a batch."""
    found = _overrides(connection, shop, [key for product in products for key in product.keys])
    for product in products if found else ():
        for key in product.keys:
            for record in found.get(key, {}).values():
                _apply(record, product.offer)


def _apply(record: OverrideRecord, offer: Offer) -> None:
    earlier = offer.evidence.get(record.field)
    is_again = earlier is not None and earlier.origin == OVERRIDE
    raw = earlier.raw if earlier is not None and is_again else value_text(record.field, offer.get(record.field))
    instead = f" instead of {raw!r}" if raw else ""
    note = f"set by {record.person} on {record.decided_at:%Y-%m-%d}{instead}"
    place = f"set by {record.person}" if record.value is not None else None
    if record.value is None:
        offer.pop(record.field, None)
    else:
        offer[record.field] = field(record.field).stored(record.value)
    offer.evidence[record.field] = Evidence(place, raw or None, origin=OVERRIDE, note=note)
