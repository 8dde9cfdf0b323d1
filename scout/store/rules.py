"""The versions of a shop's rules, for workers that do not see the rules directory."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, insert, select

from scout.store.columns import now
from scout.store.models import RulesVersion, Shop


@dataclass(frozen=True)
class RulesRecord:
    """A shop's rules as they were at one time."""

    version: int
    yaml: str
    saved_at: datetime


def save_rules(connection: Connection, shop: int, yaml: str) -> int:
    """Store the rules as the newest version, unless they are what the newest version says already; its number."""
    connection.execute(select(Shop.id).where(Shop.id == shop).with_for_update(key_share=True))
    newest = rules(connection, shop)
    if newest is not None and newest.yaml == yaml:
        return newest.version
    version = newest.version + 1 if newest else 1
    connection.execute(insert(RulesVersion).values(shop_id=shop, version=version, yaml=yaml, saved_at=now()))
    return version


def rules(connection: Connection, shop: int, version: int | None = None) -> RulesRecord | None:
    """The rules of this version, or the newest."""
    query = select(RulesVersion.version, RulesVersion.yaml, RulesVersion.saved_at).where(RulesVersion.shop_id == shop)
    if version is not None:
        query = query.where(RulesVersion.version == version)
    row = connection.execute(query.order_by(RulesVersion.version.desc()).limit(1)).first()
    return RulesRecord(*row) if row else None
