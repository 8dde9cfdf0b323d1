"""The catalogue: the known offers of a shop, with the columns of the imported file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, delete, select

from scout.store.batched import batched
from scout.store.columns import now
from scout.store.identity import digest
from scout.store.models import KnownOffer
from scout.store.upsert import BATCH, upsert
from scout.values.storable import storable

# identify a row, most reliable first; a row without any is identified by all its values
ID_COLUMNS = ("id", "url", "ean", "sku")


class KnownOfferRecord(dict[str, Any]):
    """A row of the catalogue as imported; matches refer to its database id, `id`, decisions to its `key`, which a later import keeps."""

    id: int
    key: str


@dataclass(frozen=True)
class ImportCounts:
    """The result of an import: imported rows, and earlier rows that it removed."""

    rows: int
    removed: int


def import_catalogue(
    connection: Connection, shop: int, rows: Iterable[Mapping[str, Any]], *, replace: bool
) -> ImportCounts:
    """Insert or update the rows; with `replace`, delete earlier rows that are not among them."""
    keyed = _rows_by_key(rows)
    at = now()
    for batch in batched(enumerate(keyed.items()), BATCH):
        known = [
            {"shop_id": shop, "key": key, "position": position, "values": values, "imported_at": at}
            for position, (key, values) in batch
        ]
        upsert(connection, KnownOffer, known, key=("shop_id", "key"), update=("position", "values", "imported_at"))
    removed = 0
    if replace:
        outdated = delete(KnownOffer).where(KnownOffer.shop_id == shop, KnownOffer.imported_at < at)
        removed = connection.execute(outdated).rowcount
    return ImportCounts(len(keyed), removed)


def _rows_by_key(rows: Iterable[Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """The rows by their key. Rows with the same id but different values are all kept."""
    keyed: dict[str, dict[str, Any]] = {}
    for row in rows:
        values = storable(dict(row))
        key = next((digest([name, values[name]]) for name in ID_COLUMNS if values.get(name)), digest(values))
        if keyed.setdefault(key, values) != values:
            keyed[digest([key, values])] = values
    return keyed


def known_offers(connection: Connection, shop: int) -> list[KnownOfferRecord]:
    """The catalogue's rows, in the order of the imported file."""
    query = select(KnownOffer.id, KnownOffer.key, KnownOffer.values).where(KnownOffer.shop_id == shop)
    return [_record(*row) for row in connection.execute(query.order_by(KnownOffer.position))]


def _record(id_: int, key: str, values: dict[str, Any]) -> KnownOfferRecord:
    record = KnownOfferRecord(values)
    record.id, record.key = id_, key
    return record
