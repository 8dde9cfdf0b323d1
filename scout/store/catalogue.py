"""The catalogue: the offers of a shop that are known already, with whatever columns they came."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, delete, select

from scout.store.batched import batched
from scout.store.columns import now
from scout.store.identity import digest
from scout.store.models import KnownOffer
from scout.store.texts import storable
from scout.store.upsert import BATCH, upsert

NAMING = ("id", "url", "ean", "sku")  # what a row is told by, the surest first; a row without is told by all its values


class KnownOfferRecord(dict[str, Any]):
    """A row of the catalogue as it was imported; `id` is its id in the database, which matches refer to."""

    id: int


@dataclass(frozen=True)
class Imported:
    """What an import did: rows that the catalogue now has, and rows that it no longer has."""

    rows: int
    removed: int


def import_catalogue(
    connection: Connection, shop: int, rows: Iterable[Mapping[str, Any]], *, replace: bool
) -> Imported:
    """Insert or update the rows; with `replace`, those of an earlier import that are not among them go."""
    keyed = _keyed(rows)
    at = now()
    for batch in batched(enumerate(keyed.items()), BATCH):
        known = [
            {"shop_id": shop, "key": key, "position": position, "values": values, "imported_at": at}
            for position, (key, values) in batch
        ]
        upsert(connection, KnownOffer, known, key=("shop_id", "key"), newer=("position", "values", "imported_at"))
    removed = 0
    if replace:
        outdated = delete(KnownOffer).where(KnownOffer.shop_id == shop, KnownOffer.imported_at < at)
        removed = connection.execute(outdated).rowcount
    return Imported(len(keyed), removed)


def _keyed(rows: Iterable[Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """The rows by what tells them apart. Rows that only claim to be the same (one id, two titles) are both kept."""
    keyed: dict[str, dict[str, Any]] = {}
    for row in rows:
        values = storable(dict(row))
        key = next((digest([name, values[name]]) for name in NAMING if values.get(name)), digest(values))
        if keyed.setdefault(key, values) != values:
            keyed[digest([key, values])] = values
    return keyed


def known_offers(connection: Connection, shop: int) -> list[KnownOfferRecord]:
    """The rows of the catalogue in its order."""
    query = select(KnownOffer.id, KnownOffer.values).where(KnownOffer.shop_id == shop).order_by(KnownOffer.position)
    return [_record(id_, values) for id_, values in connection.execute(query)]


def _record(id_: int, values: dict[str, Any]) -> KnownOfferRecord:
    record = KnownOfferRecord(values)
    record.id = id_
    return record
